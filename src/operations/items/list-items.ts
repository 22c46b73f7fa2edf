import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { listItems as run } from '../../care/items.ts'
import { ElfmemError } from '../../errors.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'
import { item, namespace, space } from './place.ts'

/** Returns a page of a namespace and all inside it, in the order the items came. */
export const listItems = defineScopedOperation({
  name: 'listItems',
  summary: 'List the items of a namespace and of all inside it.',
  guide: {
    when: 'A program wants all it put, or looks for a key.',
    whenNot: 'To find an item by what it says: searchItems.',
    next: 'The next page with cursor.',
    example: "const { items } = await memory.items('notes').list({ namespace: ['tea'] })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  isLibraryOnly: true,
  cost: 'instant',
  idempotent: true,
  input: z.object({
    space,
    namespace,
    limit: z.int().min(1).max(1_000).default(100).describe('At most so many'),
    cursor: schemas.cursor.optional(),
  }),
  output: z.object({
    items: z.array(item).readonly(),
    cursor: z.string().optional().describe('Pass it to get the next page'),
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, { space, namespace, limit, cursor }) => {
    const after = cursor === undefined ? undefined : placeIn(cursor)
    const { items, next } = await run(engine, { space, namespace }, { after, limit })
    const more = next === undefined ? undefined : String(next)
    return {
      items,
      ...defined({ cursor: more }),
      summary: sentences(`${count(items.length, 'item')}.`, more !== undefined && 'There are more.'),
    }
  },
})

function placeIn(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new ElfmemError('INVALID_INPUT', 'The cursor is none that listItems returned.', {
    recovery: 'Pass the cursor of the page before, or leave it out to begin anew.',
  })
}
