import * as z from 'zod'
import { forget as run } from '../../flow/correct/forget.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { shortId, wordsStay } from '../wording.ts'

export const forget = defineScopedOperation({
  name: 'forget',
  summary: 'Archive a block, so that recall no longer finds it.',
  guide: {
    when: 'A block is wrong, unwanted or of no more use.',
    whenNot:
      'When a newer fact replaces it: remember that one with supersedes. When it only faded: curate sees to it.',
    next: 'Nothing; restore brings it back with tags and edges.',
    example: "await memory.forget({ blockId: '3f2a9c1e', reason: 'it was a misunderstanding' })",
  },
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    blockId: schemas.blockId,
    reason: schemas.reason.optional().describe('Why, for the log'),
    allowConstitutional: z.boolean().default(false).describe('Needed to let a principle go'),
  }),
  output: z.object({
    blockId: z.string(),
    status: z.enum(['forgotten', 'already_archived']),
    summary: schemas.summary,
  }),
  positionals: ['blockId'],
  ownerOnly: { allowConstitutional: [true] },
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const id = shortId(result.blockId)
    const text =
      result.status === 'forgotten'
        ? `${id} is archived; restore brings it back. ${wordsStay(`elfmem erase ${id}`)}`
        : `${id} was archived already; nothing changed.`
    return { ...result, summary: text }
  },
  render: ({ summary }) => summary,
})
