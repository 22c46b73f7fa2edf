import * as z from 'zod'
import type { Block } from '../../domain/block/block.ts'
import { count } from '../../domain/text/count.ts'
import { preview } from '../../domain/text/text.ts'
import { type InboxResult, inbox as run } from '../../flow/inspect/inbox.ts'
import { recall } from '../../flow/recall/recall.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** More at once are more than a reader judges well. */
const JUDGED_AT_ONCE = 50

const pairSide = z.object({
  id: z.string(),
  content: z.string().describe('Its first 600 characters (llm.characters_per_side)'),
  truncated: z.literal(true).optional().describe('The content goes on; show gives all of it'),
})

const blockToJudge = schemas.waitingBlock.extend({
  judgementPending: schemas.judgementPending,
  alignment: z.number().optional().describe('As it was judged before'),
  scoredAt: z.string().optional().describe('When it was judged last; absent: never'),
})

export const inbox = defineScopedOperation({
  name: 'inbox',
  summary: 'Read what waits for a dream, and for a judgement, oldest first.',
  guide: {
    when: 'You want to judge blocks and pairs yourself, without any model: inbox({ identity: true, pairs: 20, pendingJudgement: 10 }), think, then dream with hostAnalyses and edgeLabels. Or to correct a block before it counts.',
    whenNot: 'To find something: recall finds what waits, too.',
    next: 'dream, with hostAnalyses by block id for the blocks, and edgeLabels for pairs, if you judged them.',
    example: 'const { blocks } = await memory.inbox({ maxCount: 5 })',
  },
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    maxCount: z.int().min(1).max(500).default(20).describe('At most so many blocks'),
    cursor: schemas.cursor.optional(),
    identity: z.boolean().default(false).describe('Also give the self frame, to judge alignment against'),
    pairs: z
      .int()
      .min(0)
      .max(JUDGED_AT_ONCE)
      .default(0)
      .describe('Also give at most so many pairs of active blocks whose relation nobody has named yet'),
    pendingJudgement: z
      .int()
      .min(0)
      .max(JUDGED_AT_ONCE)
      .default(0)
      .describe(
        'Also give at most so many active blocks whose judgement is pending: a model did not judge them, nobody has, or long ago',
      )
      .meta({ formerly: 'due' }),
  }),
  output: z.object({
    blocks: z.array(schemas.waitingBlock).readonly(),
    remaining: z.int().describe('How many wait behind these'),
    cursor: z.string().optional().describe('Pass it to get those'),
    pairs: z
      .array(
        z.object({
          newer: pairSide,
          older: pairSide,
          cosine: z.number().describe('How alike the two contents are, 0..1'),
        }),
      )
      .readonly()
      .optional()
      .describe('Say in edgeLabels how the newer relates to the older; only when asked for'),
    morePairs: z.literal(true).optional().describe('More pairs wait behind these'),
    pendingJudgement: z
      .array(blockToJudge)
      .readonly()
      .optional()
      .describe(
        'Those a model did not judge first, then those never judged, then the longest ago; only when asked for',
      )
      .meta({ formerly: 'due' }),
    morePending: z
      .literal(true)
      .optional()
      .describe('More blocks wait for a judgement behind these')
      .meta({ formerly: 'moreDue' }),
    identity: z.string().optional().describe('The self frame; empty while nothing of it is active'),
    summary: schemas.summary,
  }),
  page: 'maxCount',
  run: async (engine, { identity, ...input }, context) => {
    const result = await run(engine, input)
    const { blocks, remaining, cursor } = result
    const self = identity
      ? await recall(engine, { frame: 'self', reinforce: false, suggest: false }, context)
      : undefined
    return {
      ...(self ? { identity: self.text } : {}),
      blocks: blocks.map(schemas.toWaitingBlock),
      remaining,
      ...(cursor === undefined ? {} : { cursor }),
      ...toJudge(result),
      summary: summaryOf(result),
    }
  },
  render: ({ blocks, pairs = [], pendingJudgement = [], summary }) =>
    [
      ...blocks.map(({ id, category, content }) => `${shortId(id)}  [${category}]  ${preview(content, 80)}`),
      ...pendingJudgement.map(
        ({ id, judgementPending, scoredAt, content }) =>
          `${shortId(id)}  to judge (${judgementPending ? 'pending' : (scoredAt?.slice(0, 10) ?? 'never judged')})  ${preview(content, 80)}`,
      ),
      ...pairs.flatMap(({ newer, older, cosine }) => [
        `${shortId(newer.id)}  newer (${cosine.toFixed(2)})  ${preview(newer.content, 80)}`,
        `${shortId(older.id)}  older         ${preview(older.content, 80)}`,
      ]),
      summary,
    ].join('\n'),
})

function toJudge({ pairs, pendingJudgement }: InboxResult) {
  return {
    ...(pairs ? { pairs: [...pairs.items] } : {}),
    ...(pairs?.more ? { morePairs: true as const } : {}),
    ...(pendingJudgement ? { pendingJudgement: pendingJudgement.items.map(toBlockToJudge) } : {}),
    ...(pendingJudgement?.more ? { morePending: true as const } : {}),
  }
}

function toBlockToJudge(block: Block): z.output<typeof blockToJudge> {
  const { judgementPending, alignment, scoredAt } = block
  return {
    ...schemas.toWaitingBlock(block),
    ...(judgementPending ? { judgementPending } : {}),
    ...(alignment === undefined ? {} : { alignment }),
    ...(scoredAt === undefined ? {} : { scoredAt }),
  }
}

function summaryOf({ blocks, remaining, pairs, pendingJudgement }: InboxResult): string {
  return sentences(
    waitingSentence(blocks.length, remaining),
    pendingJudgement &&
      `${count(pendingJudgement.items.length, 'active block')}${pendingJudgement.more ? ' and more' : ''} to judge.`,
    pairs && `${count(pairs.items.length, 'pair')}${pairs.more ? ' and more' : ''} to label.`,
  )
}

function waitingSentence(shown: number, remaining: number): string {
  if (shown === 0) return 'The inbox is empty.'
  if (remaining === 0) return `${count(shown, 'waiting block')}; dream judges and links them.`
  return `${count(shown, 'waiting block')}, ${remaining} more behind the cursor.`
}
