import * as z from 'zod'
import { count } from '../../block/text.ts'
import { searchItems as run } from '../../care/items.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'
import { item, namespace, space } from './place.ts'

/** Finds items by the meaning of their texts; what was just put is dreamed before. */
export const searchItems = defineScopedOperation({
  name: 'searchItems',
  summary: 'Find named items by meaning.',
  guide: {
    when: 'A program looks for an item by what it says.',
    whenNot:
      'If its key is known: readItems. For all that is known: recall, which finds the texts of items, too.',
    next: 'Nothing.',
    example: "await memory.items('notes').search({ query: 'When is tea?' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'write',
  isLibraryOnly: true,
  cost: 'batch',
  idempotent: true,
  forReader: { dream: false },
  input: z.object({
    space,
    namespace,
    query: schemas.question.min(1).describe('What is looked for, in words'),
    limit: z.int().min(1).max(300).default(10).describe('At most so many'),
    offset: z.int().min(0).max(1_000).default(0).describe('So many of the best are left out'),
    dream: z.boolean().default(true).describe('Dream first, by rules alone, if texts of the namespace wait'),
  }),
  output: z.object({
    items: z
      .array(item.extend({ score: z.number().describe('Strength of its best text, 0 to 1') }))
      .readonly()
      .describe('The best first; what does not match at all is left out'),
    wordsOnly: z.string().optional().describe('Why words alone were looked for'),
    summary: schemas.summary,
  }),
  run: async (engine, { dream: dreams, ...search }, context) => {
    const { items, ...why } = await run(engine, context, { ...search, dreams })
    const { wordsOnly } = why
    const told = wordsOnly !== undefined && `Words alone were looked for: ${wordsOnly}.`
    return { items, ...why, summary: sentences(`${count(items.length, 'item')} found.`, told) }
  },
})
