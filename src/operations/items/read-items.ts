import * as z from 'zod'
import { count } from '../../block/text.ts'
import { readItems as run } from '../../care/items.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { item, key, namespace, space } from './place.ts'

/** Reads named items by their exact keys. */
export const readItems = defineScopedOperation({
  name: 'readItems',
  summary: 'Read named items by their keys.',
  guide: {
    when: 'A program wants back what it put.',
    whenNot: 'If the key is not known: listItems or searchItems.',
    next: 'Nothing.',
    example: "await memory.items('notes').get({ key: 'tea' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  isLibraryOnly: true,
  cost: 'instant',
  idempotent: true,
  input: z.object({ space, places: z.array(z.strictObject({ namespace, key })).min(1).max(10_000) }),
  output: z.object({
    items: z.array(item.optional()).readonly().describe('The item at each place; absent where there is none'),
    summary: schemas.summary,
  }),
  run: async (engine, { space, places }) => {
    const items = await run(
      engine,
      places.map((place) => ({ space, ...place })),
    )
    return { items, summary: `${count(items.filter(Boolean).length, 'item')} found.` }
  },
})
