import * as z from 'zod'
import { count } from '../../block/text.ts'
import { recordUse as run } from '../../outcome/outcome.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** Sets the clocks of active blocks to now and returns the others in `skipped`; confidence stays. */
export const recordUse = defineScopedOperation({
  name: 'recordUse',
  summary: 'Say which blocks informed an answer, so that they stay fresh.',
  guide: {
    when: 'You used blocks without a recall in this memory, or before it is known how it went.',
    whenNot:
      'If you know whether they helped, use outcome(). Blocks that recall() shows are counted by themselves.',
    next: 'outcome(), once it is known how it went.',
    example: "await memory.recordUse({ blockIds: ['3f2a9c1e'] })",
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: false,
  refuses: ['AMBIGUOUS_ID'],
  input: z.object({
    blockIds: schemas.blockIds,
    source: schemas.source.default('').describe('The use, for the log'),
  }),
  output: z.object({ blocksReinforced: z.int(), skipped: schemas.skipped, summary: schemas.summary }),
  positionals: ['blockIds'],
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const skipped = result.skipped.map(({ id, reason }) => `${id.slice(0, 8)} is ${reason}`).slice(0, 3)
    const text = sentences(
      `${count(result.blocksReinforced, 'block')} reinforced.`,
      skipped.length > 0 &&
        `${result.skipped.length} skipped: ${skipped.join(', ')}${result.skipped.length > 3 ? ' …' : ''}.`,
    )
    return { ...result, summary: text }
  },
})
