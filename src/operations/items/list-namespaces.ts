import * as z from 'zod'
import { count } from '../../block/text.ts'
import { listNamespaces as run } from '../../care/items.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { namespace, space } from './place.ts'

/** Returns the namespaces that hold items, in the order of their labels. */
export const listNamespaces = defineScopedOperation({
  name: 'listNamespaces',
  summary: 'List the namespaces that hold items.',
  guide: {
    when: 'A program wants to know what it has made room for.',
    whenNot: 'For the items themselves: listItems.',
    next: 'listItems of one of them.',
    example: "await memory.items('notes').namespaces()",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  isLibraryOnly: true,
  cost: 'instant',
  idempotent: true,
  input: z.object({ space, namespace }),
  output: z.object({
    namespaces: z.array(z.array(z.string()).readonly()).readonly().describe('Each as its labels, once'),
    summary: schemas.summary,
  }),
  run: async (engine, within) => {
    const namespaces = await run(engine, within)
    return { namespaces, summary: `${count(namespaces.length, 'namespace')}.` }
  },
})
