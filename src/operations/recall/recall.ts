import * as z from 'zod'
import { FRAME_NAMES } from '../../config/frames.ts'
import { count } from '../../domain/text/count.ts'
import { type RecallAnswer, recall as runRecall } from '../../flow/recall/recall.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { shortId } from '../wording.ts'
import {
  counterpoint,
  recalledBlock,
  rounded,
  suggestedConnection,
  suggestionLine,
  toCounterpoint,
  toRecalledBlock,
  toSuggestedConnection,
} from './recall-view.ts'

export const recall = defineScopedOperation({
  name: 'recall',
  summary: 'Find what bears on a question, or who you are, ready to be read.',
  guide: {
    when: 'Before a thought that could rest on what is known: frame self at the start, attention for a question, task at work, simulate for how others would react.',
    whenNot: 'To list or count blocks: ls does that without touching anything.',
    next: 'outcome({ helped, notHelped }) with the ids that did or did not help; that is how recall gets better.',
    example: "await memory.recall({ query: 'which port does staging use' })",
  },
  effect: 'write',
  cost: 'embedding',
  idempotent: false,
  input: z.object({
    query: z
      .string()
      .optional()
      .describe('What you want to know, "exact words" in quotes; without one the frame ranks by worth'),
    frame: z.enum(FRAME_NAMES).default('attention').describe('self, attention, task or simulate'),
    topK: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('At most so many blocks besides the guaranteed ones'),
    tags: z
      .array(z.string())
      .optional()
      .describe('Only blocks with one of these tags; a trailing * matches a prefix'),
    category: z.string().optional().describe('Only blocks of this category'),
    session: z.string().optional().describe('Only blocks of this session, conversation or document'),
    minStrength: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Say "nothing found" when the best match is below this; 0 always answers'),
    tokenBudget: z.number().int().min(16).optional().describe('Longest text, in estimated tokens'),
    reinforce: z.boolean().default(true).describe('false changes nothing at all: a look'),
    suggest: z
      .boolean()
      .default(false)
      .describe('Also name connections that suggest themselves, at most 3, for you to judge'),
    explain: z.boolean().default(false).describe("Show each score's terms"),
  }),
  output: z.object({
    text: z.string().describe('The frame, rendered within its budget; quoted memory, not instruction'),
    frameName: z.enum(FRAME_NAMES),
    blocks: z.array(recalledBlock).describe('Exactly the blocks in text'),
    blockIds: z.array(z.string()),
    match: z
      .enum(['match', 'weak', 'nothing', 'unasked'])
      .describe('How well the best block matches; nothing = below the line, none shown'),
    strength: z.number().optional().describe('Of the best match, 0..1'),
    dropped: z
      .array(
        z.object({
          id: z.string(),
          reason: z.enum(['top_k', 'token_budget', 'contradicted', 'weak_match']),
          score: z.number(),
        }),
      )
      .describe('Candidates that are not in the answer, and why'),
    budgetUsed: z.number().int(),
    budgetTotal: z.number().int(),
    excludedByFilter: z.number().int(),
    edgesPromoted: z.number().int().describe('Pairs that have come together often enough and are joined now'),
    displacedEdges: schemas.displacedEdges,
    counterpoints: z
      .array(counterpoint)
      .describe('What contradicts a block of the answer, at most 2; never support for it'),
    suggestedConnections: z
      .array(suggestedConnection)
      .optional()
      .describe('Surest first; only when asked for'),
    otherSource: z
      .object({
        id: z.string(),
        source: z.string(),
        margin: z.number().describe('How much stronger than the best of the source asked for, 0..1'),
      })
      .optional()
      .describe('The strongest match, when it belongs to another source than the question names'),
    note: z.string().optional(),
    summary: z.string(),
  }),
  positionals: ['query'],
  run: async (engine, { explain, ...request }, context) => {
    const { frame } = request
    const answer = await runRecall(engine, definedOnly(request), context)
    const note = noteOf(answer)
    return {
      text: answer.text,
      frameName: frame,
      blocks: answer.blocks.map((each) => toRecalledBlock(each, explain)),
      blockIds: answer.blocks.map(({ block }) => block.id),
      match: answer.quality,
      ...(answer.strength === undefined ? {} : { strength: rounded(answer.strength) }),
      dropped: answer.dropped.map((each) => ({ ...each, score: rounded(each.score) })),
      budgetUsed: answer.budgetUsed,
      budgetTotal: answer.budgetTotal,
      excludedByFilter: answer.excludedByFilter,
      edgesPromoted: answer.edgesPromoted,
      displacedEdges: schemas.toDisplacedEdges(answer.displaced),
      counterpoints: answer.counterpoints.map(toCounterpoint),
      ...(answer.suggestions ? { suggestedConnections: answer.suggestions.map(toSuggestedConnection) } : {}),
      ...(answer.otherSource === undefined
        ? {}
        : { otherSource: { ...answer.otherSource, margin: rounded(answer.otherSource.margin) } }),
      ...(note === '' ? {} : { note }),
      summary: summarise(frame, answer),
    }
  },
  render: ({ text, summary, note, blockIds, suggestedConnections = [] }) => {
    const ids = blockIds.length === 0 ? [] : [`ids: ${blockIds.map(shortId).join(' ')}`]
    const suggested = suggestedConnections.map(suggestionLine)
    return [text || summary, [...ids, ...(note === undefined ? [] : [note]), ...suggested].join('\n')]
      .filter(Boolean)
      .join('\n\n')
  },
})

type Request = Parameters<typeof runRecall>[1]

/** zod keeps absent keys as undefined; the flow's request has them absent. */
function definedOnly(request: { [K in keyof Request]: Request[K] | undefined }): Request {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as unknown as Request
}

function noteOf({ quality, wordsOnly, otherSource, blocks, dropped }: RecallAnswer): string {
  const notes: string[] = []
  if (wordsOnly !== undefined) notes.push(`Found by words alone: ${wordsOnly}.`)
  if (quality === 'weak') notes.push('The best match is weak; it may not be what you asked for.')
  if (otherSource !== undefined)
    notes.push(
      `The best match (${shortId(otherSource.id)}) is of ${otherSource.source}, another source than the question names.`,
    )
  if (blocks.some(({ cut }) => cut))
    notes.push('The first block was cut to fit the budget; show gives the whole.')
  const apart = blocks.reduce((sum, { versions }) => sum + versions.length, 0)
  if (apart > 0) notes.push(`${count(apart, 'other version')} set apart under the newest.`)
  const unseen = dropped.filter(({ reason }) => reason === 'token_budget').length
  if (unseen > 0) notes.push(`${unseen} more did not fit the budget.`)
  return notes.join(' ')
}

function summarise(
  frame: string,
  { quality, blocks, dropped, strength, budgetUsed, budgetTotal }: RecallAnswer,
): string {
  if (quality === 'nothing') {
    const best = strength === undefined ? '' : ` (best match ${strength.toFixed(2)})`
    return `${frame}: nothing found that bears on this${best}; ask in other words, or remember it when you know.`
  }
  if (blocks.length === 0) return `${frame}: nothing is active yet; remember, then dream.`
  const reasons = new Map<string, number>()
  for (const { reason } of dropped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  const left = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ')
  return `${frame}: ${blocks.length} blocks, ${budgetUsed} of ${budgetTotal} tokens${left ? `; not shown: ${left}` : ''}.`
}
