import * as z from 'zod'
import { preview } from '../../block/text.ts'
import { mutate } from '../../engine/engine.ts'
import { requireBlock } from '../../intake/check-input.ts'
import { archive, type Left, leavePlace } from '../../intake/supersede.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId, wordsStay } from '../wording.ts'
import { mayChange } from './edit.ts'

/** Archives a block and keeps its tags, edges and pairs for `restore`; an archived block is no error. */
export const forget = defineScopedOperation({
  name: 'forget',
  summary: 'Archive a block, so that recall no longer finds it.',
  guide: {
    when: 'A block is wrong, unwanted or of no more use.',
    whenNot: 'If a newer fact replaces it, use remember() with supersedes. Blocks that fade need no call.',
    next: 'Nothing. restore() brings it back with tags and edges.',
    example: "await memory.forget({ blockId: '3f2a9c1e', reason: 'it was a misunderstanding' })",
  },
  tools: 'verbs',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'PROTECTED', 'OWNER_ONLY'],
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
  // Nothing is lost: `restore` brings back tags, edges and pairs.
  run: (engine, input, context) =>
    mutate(engine, context, async ({ tx, moment, log }) => {
      const block = await requireBlock(tx, input.blockId)
      const allowConstitutional = input.allowConstitutional || block.status === 'archived'
      mayChange(engine, context, block, { done: 'archived', allowConstitutional })
      const archived = await archive(tx, [block], { reason: 'forgotten', at: moment.at })
      const left = archived.length > 0 ? await leavePlace(tx, block) : undefined
      const status: 'forgotten' | 'already_archived' = archived.length > 0 ? 'forgotten' : 'already_archived'
      await log({
        operation: 'forget',
        blockIds: [block.id],
        summary: status === 'forgotten' ? `archived an ${block.status} block` : 'was archived already',
        ...(input.reason ? { reason: input.reason } : {}),
        ...(status === 'forgotten' ? { before: { status: block.status } } : {}),
      })
      return {
        ...{ blockId: block.id, status },
        summary: summaryOf(block.id, status, left),
      }
    }),
})

function summaryOf(
  blockId: string,
  status: 'forgotten' | 'already_archived',
  left: Left | undefined,
): string {
  const id = shortId(blockId)
  if (status === 'already_archived') return `${id} was archived already; nothing changed.`
  return sentences(
    `${id} is archived; restore() brings it back.`,
    left && leftSentence(left),
    wordsStay(`elfmem erase ${id}`),
  )
}

const PREVIEW = 80

/** Names the older; if that holds again is for whoever forgets to say, since the newer may have been wrong, or over. */
function leftSentence({ block: { id, content }, how }: Left): string {
  const which = `${shortId(id)} ("${preview(content, PREVIEW)}")`
  return how === 'goesOn'
    ? `${which}, whose place it had taken, holds again.`
    : `It had taken the place of ${which}, which stays archived: restore() ${shortId(id)} brings that back, if it holds again.`
}
