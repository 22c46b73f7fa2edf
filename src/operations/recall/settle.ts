import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { settle as run, type SettleResult } from '../../outcome/settle.ts'
import { SIGNALS, type SignalName, TRACE_BOUNDS } from '../../outcome/trace.ts'
import { defineScopedOperation, forPrograms } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, strategyLine } from '../wording.ts'

/** The most blocks of a trace; no frame shows more. */
const BLOCKS_MOST = 100
/** Characters of a block that are compared. */
const CONTENT_MOST = 5_000

const name = schemas.name.min(1)
const id = schemas.blockId

const step = z.strictObject({
  kind: z.literal('tool'),
  tool: schemas.name,
  input: schemas.document.describe('What the agent gave; never what the tool answered'),
  isCommand: z.boolean().optional().describe('True if input is a line of a shell'),
  edited: schemas.note.optional().describe('The file that it changed'),
  ok: z.boolean(),
})

/** Turns what happened after a recall into reports about single blocks, once for each message of a conversation. */
export const settle = defineScopedOperation({
  name: 'settle',
  summary: 'Learn from what was done with recalled blocks.',
  ...forPrograms("await memory.settle(withEvent(trace, { kind: 'reply', text: 'No, not 4210.' }))"),
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  keepsInput: false,
  input: z.object({
    conversation: name.describe('Tells the conversation from all others'),
    message: name.describe('Tells the message from all others of the conversation'),
    asked: schemas.question.describe('The message'),
    recallId: z
      .string()
      .max(15)
      .regex(/^\d{1,15}$/)
      .optional()
      .describe('The recall that showed the blocks'),
    blocks: z
      .array(z.strictObject({ id, content: schemas.content }))
      .max(BLOCKS_MOST)
      .readonly(),
    did: z.array(step).max(1_000).readonly().default([]),
    answer: schemas.document.default('').describe('The end of what the agent said'),
    reply: schemas.question.default('').describe('The next message of the user'),
    origin: z
      .enum(['hooks', 'program'])
      .default('program')
      .describe('Who wrote the trace down; implicit.hooks says whether hooks count'),
  }),
  output: z.object({
    verdicts: z
      .array(
        z.object({
          blockId: z.string(),
          says: z.enum(['helped', 'misled']),
          weight: z.number(),
          signals: z.array(z.enum(Object.keys(SIGNALS) as [SignalName, ...SignalName[]])).readonly(),
          evidence: z.array(z.string()).readonly(),
        }),
      )
      .readonly()
      .describe('What counts as reports now'),
    queued: z.array(z.string()).readonly().describe('Waiting blocks; applied when a dream promotes them'),
    skipped: schemas.skipped,
    passedOver: z.enum(['off', 'before']).optional().describe('Why nothing was done'),
    strategy: z
      .object({
        failed: z.string().describe('The check that failed and passes now'),
        changed: z.array(z.string()).readonly().describe('The files that were changed in between'),
        blocks: z.array(z.string()).readonly().describe('The recalled blocks that were used in between'),
        draft: z.string(),
      })
      .optional()
      .describe('A strategy to word and remember, or to drop; nothing of it is stored'),
    summary: schemas.summary,
  }),
  run: async (engine, { origin, answer, reply, ...given }, context) => {
    const { inputCharacters, answerCharacters, steps } = TRACE_BOUNDS
    const trace = {
      ...given,
      blocks: given.blocks.map(({ id, content }) => ({ id, content: content.slice(0, CONTENT_MOST) })),
      did: given.did.slice(-steps).map((each) => ({ ...each, input: each.input.slice(0, inputCharacters) })),
      answer: answer.slice(-answerCharacters),
      reply: reply.slice(0, answerCharacters),
    }
    const { verdicts, ...result } = await run(engine, context, trace, origin)
    return {
      ...defined(result),
      ...{ queued: result.queued, skipped: result.skipped },
      verdicts: verdicts.map(({ id: blockId, ...verdict }) => ({ blockId, ...verdict })),
      summary: summaryOf({ verdicts, ...result }),
    }
  },
})

const PASSED_OVER = {
  off: 'Implicit outcomes are off for this: nothing was done.',
  before: 'This message was settled before: nothing was done.',
} as const

function summaryOf({ verdicts, queued, skipped, passedOver, strategy }: SettleResult): string {
  if (passedOver !== undefined) return PASSED_OVER[passedOver]
  const helped = verdicts.filter(({ says }) => says === 'helped').length
  return sentences(
    `${count(helped, 'block')} helped, ${verdicts.length - helped} misled.`,
    queued.length > 0 && `${queued.length} queued until a dream promotes them.`,
    skipped.length > 0 && `${skipped.length} skipped.`,
    strategy !== undefined && strategyLine(strategy),
  )
}

/** A trace, as it is settled: the parts without which nothing happened may be left out. */
export type SettledTrace = Omit<z.input<typeof settle.input>, 'origin' | 'scope'>
/** Options of settling a trace: who wrote it down, and the scope of its memory. */
export type SettleOptions = Pick<z.input<typeof settle.input>, 'origin' | 'scope'>
/** The result of a trace. */
export type TraceResult = z.output<typeof settle.output>
