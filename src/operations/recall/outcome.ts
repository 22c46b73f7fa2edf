import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { type OutcomeResult, outcome as run } from '../../outcome/outcome.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** The message about the form of a recallId. */
const RECALL_ID = 'must be a text of digits as recall answers it, such as "42"'

/** Counts reports as evidence and changes the edges among their blocks; those about waiting blocks are queued. */
export const outcome = defineScopedOperation({
  name: 'outcome',
  summary: 'Say which recalled blocks helped and which misled.',
  guide: {
    when: 'A task is done: name over all its recalls what helped and what misled, because that is how the memory learns.',
    whenNot:
      'If you do not know how it went, report nothing. For a block that was only read use recordUse().',
    next: 'Go on: the next recall ranks by it.',
    example: "await memory.outcome({ helped: ['3f2a9c1e'], misled: ['b7d041aa'], source: 'release' })",
  },
  tools: 'verbs',
  isAlwaysShown: true,
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input: z.object({
    blockIds: schemas.blockIds.optional().describe('Blocks the one signal is about'),
    signal: z.number().min(0).max(1).optional().describe('0 misled, 1 helped; 0.5 pulls towards not knowing'),
    helped: schemas.blockIds.optional().describe('Blocks that helped: signal 1, or signal if above 0.5'),
    misled: schemas.blockIds.optional().describe('Blocks that were wrong or out of date'),
    beside: schemas.blockIds
      .optional()
      .describe('Blocks not about this question; counts only for questions like it'),
    recallId: z
      .string({ error: RECALL_ID })
      .max(64)
      .trim()
      .regex(/^\d{1,15}$/, RECALL_ID)
      .optional()
      .describe('The recall that showed them; the newest when left out'),
    answer: schemas.document.optional().describe('Your answer: the blocks it cites, as [2] or by id, helped'),
    about: z
      .enum(['blocks', 'set', 'prediction'])
      .default('blocks')
      .describe('set: not known which block did well or badly; prediction: came true (1) or not (0)'),
    weight: z
      .number()
      .positive()
      .max(1_000)
      .default(1)
      .describe('How many reports this one counts for')
      .meta({ unlisted: true }),
    source: schemas.source.default('').describe('The task, for the log'),
    allowConstitutional: z.boolean().default(false).describe('Also count evidence about principles'),
  }),
  output: z.object({
    blocksUpdated: z.int().describe('Blocks that the report is evidence about'),
    blocksBeside: z.int().describe('Blocks reported as beside this question'),
    meanConfidenceDelta: z.number().describe('The mean change of confidence of the updated blocks'),
    edgesReinforced: z.int(),
    outcomeEdgesCreated: z.int(),
    edgesSkipped: z
      .int()
      .describe('Pairs not joined: no room, disconnected lately, or beyond ten in one report'),
    evictedEdges: schemas.evictedEdges,
    blocksPenalized: z.int().describe('Blocks that fade faster now'),
    recallId: z.string().optional().describe('The recall that the reports were taken to be about'),
    credited: z.array(z.string()).readonly().optional().describe('Blocks that the answer cites'),
    predictionsSettled: z.int().optional().describe('For predictions: how many came true or did not'),
    clocksMoved: z.int().optional().describe('For a set: blocks that count as just used'),
    queued: z.array(z.string()).readonly().describe('Waiting blocks; applied when a dream promotes them'),
    skipped: schemas.skipped,
    summary: schemas.summary,
  }),
  positionals: ['blockIds', 'signal'],
  ownerOnly: { allowConstitutional: [true] },
  run: async (engine, input, context) => {
    const { displaced, recallId, cites, rewordingsAsked, ...result } = await run(engine, context, input)
    return {
      ...result,
      ...(recallId === undefined ? {} : { recallId: String(recallId) }),
      evictedEdges: schemas.toEvictedEdges(displaced),
      summary: summaryOf({ displaced, rewordingsAsked, ...defined({ cites }), ...result }),
    }
  },
})

const FIXES: Readonly<Record<OutcomeResult['skipped'][number]['reason'], string>> = {
  unknown: 'unknown (take ids from recall())',
  archived: 'archived (restore() first, if it still holds)',
  constitutional: 'constitutional (allowConstitutional counts them)',
  unpredicted: 'without a prediction (remember() it with expect)',
}

function summaryOf(result: OutcomeResult): string {
  const { edgesReinforced, outcomeEdgesCreated, edgesSkipped, blocksPenalized, queued } = result
  const { displaced, blocksBeside, operationId } = result
  return sentences(
    doneSentence(result),
    blocksBeside > 0 && `${count(blocksBeside, 'block')} noted as beside this question.`,
    creditSentence(result),
    outcomeEdgesCreated + edgesReinforced > 0 &&
      `${count(outcomeEdgesCreated, 'edge')} made, ${edgesReinforced} strengthened.`,
    edgesSkipped > 0 && `${count(edgesSkipped, 'pair')} not joined.`,
    displaced.length > 0 && `${count(displaced.length, 'weaker edge')} gave way.`,
    blocksPenalized > 0 && `${count(blocksPenalized, 'block')} will fade faster.`,
    result.rewordingsAsked > 0 &&
      `The owner is asked for other words of ${count(result.rewordingsAsked, 'principle')}.`,
    queued.length > 0 && `${queued.length} queued until a dream promotes them.`,
    skippedSentence(result),
    operationId === undefined && 'Nothing changed; undo() would affect the operation before this one.',
  )
}

function doneSentence(result: OutcomeResult): string {
  const { blocksUpdated, meanConfidenceDelta, clocksMoved, predictionsSettled } = result
  if (predictionsSettled !== undefined)
    return `${count(predictionsSettled, 'prediction')} settled; belief is unchanged.`
  if (clocksMoved !== undefined)
    return `${count(clocksMoved, 'block')} of the set count as just used; belief is unchanged.`
  if (blocksUpdated === 0) return 'No block was updated.'
  const sign = meanConfidenceDelta >= 0 ? '+' : '−'
  const delta = `${sign}${Math.abs(meanConfidenceDelta).toFixed(3)}`
  return `${count(blocksUpdated, 'block')} updated, confidence ${delta} on average.`
}

/** Returns a sentence on what the answer cited; nothing without an answer. */
function creditSentence({ cites, credited = [] }: OutcomeResult): string {
  if (cites === undefined) return ''
  if (credited.length > 0) return `The answer cites ${credited.map(shortId).join(', ')}.`
  return cites ? 'No block that the answer cites was credited.' : 'The answer cites no block.'
}

function skippedSentence({ skipped }: OutcomeResult): string {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].map(
    (reason) => `${skipped.filter((each) => each.reason === reason).length} ${FIXES[reason]}`,
  )
  return reasons.length === 0 ? '' : `Skipped: ${reasons.join('; ')}.`
}
