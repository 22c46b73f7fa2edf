import * as z from 'zod'
import { ElfmemError } from '../errors.ts'
import { type DreamResult, dream as runDream } from '../flow/dream/dream.ts'
import { defineScopedOperation } from './operation.ts'
import * as schemas from './schemas.ts'

const hostAnalysis = z.object({
  alignmentScore: z
    .number()
    .min(0)
    .max(1)
    .describe('How strongly the block expresses who the agent is, 0..1'),
  tags: z.array(z.string()).default([]).describe('Identity tags it deserves, such as self/value'),
  summary: z.string().describe('One or two sentences that keep every name, number and constraint'),
})

const rate = z.number().min(0)

export const dream = defineScopedOperation({
  name: 'dream',
  summary: 'Take in what waits: embed, recognise duplicates, link, make it recallable.',
  guide: {
    when: 'At a pause, when remember says a dream is due, or before recalling what was just remembered.',
    whenNot: 'After every single remember: waiting blocks are safe, and dreaming in batches is cheaper.',
    next: 'recall({ query }); if inboxRemaining is above 0, dream again.',
    example: 'await memory.dream()',
  },
  effect: 'write',
  cost: 'batch',
  idempotent: false,
  input: z.object({
    maxCount: z.number().int().min(1).optional().describe('At most so many blocks; absent = all that wait'),
    maxSeconds: z.number().positive().optional().describe('Takes up no new blocks after so many seconds'),
    hostAnalyses: z
      .record(z.string(), hostAnalysis)
      .optional()
      .describe('Your own judgement of waiting blocks (see inbox), by block id'),
    noLlm: z.boolean().default(false).describe('Rules only; without a configured model this is always so'),
    rescore: z.boolean().default(false).describe('Judge old blocks anew; needs a model'),
    rescoreMax: z.number().int().min(1).optional().describe('At most so many blocks judged anew'),
  }),
  output: z.object({
    status: z.enum(['dreamt', 'idle']),
    processed: z.number().int(),
    promoted: z.number().int(),
    deduplicated: z.number().int(),
    edgesCreated: z.number().int(),
    displacedEdges: schemas.displacedEdges,
    nearDuplicatesFlagged: z.number().int(),
    rescored: z.number().int(),
    rescoreFailed: z.number().int(),
    inboxRemaining: z.number().int(),
    outOfTime: z.boolean(),
    analysesUnused: z.array(z.string()),
    tagsRefused: z.array(z.string()),
    promotedIds: z.array(z.string()),
    health: z
      .object({ edgeCreationRate: rate, promotionRate: rate, deduplicationRate: rate })
      .optional()
      .describe('Per processed block; absent when nothing was processed'),
    archivedByCurate: z
      .array(z.string())
      .describe('Faded blocks that the curation due after this dream archived'),
    pendingDropped: schemas.pendingDropped,
    seconds: z.number(),
    summary: z.string(),
  }),
  run: async (engine, input, context) => {
    if (input.rescore) throw noModel(input.noLlm)
    const result = await runDream(
      engine,
      {
        ...(input.maxCount === undefined ? {} : { maxCount: input.maxCount }),
        maxSeconds: input.maxSeconds ?? engine.settings.memory.dreamSeconds,
        hostAnalyses: input.hostAnalyses ?? {},
      },
      context,
    )
    const { curated, displaced, ...counts } = result
    const output = {
      ...counts,
      displacedEdges: schemas.toDisplacedEdges([...displaced, ...(curated?.displaced ?? [])]),
      pendingDropped: schemas.toPendingDropped(curated?.pendingDropped ?? []),
      status: result.processed === 0 ? ('idle' as const) : ('dreamt' as const),
      analysesUnused: [...result.analysesUnused],
      tagsRefused: [...result.tagsRefused],
      promotedIds: [...result.promotedIds],
      rescored: 0,
      rescoreFailed: 0,
      archivedByCurate: [...(curated?.archived ?? [])],
      ...(result.processed === 0 ? {} : { health: healthOf(result) }),
    }
    return { ...output, summary: summarise(output) }
  },
  render: ({ summary }) => summary,
})

function healthOf({ processed, promoted, deduplicated, edgesCreated }: DreamResult) {
  return {
    edgeCreationRate: edgesCreated / processed,
    promotionRate: promoted / processed,
    deduplicationRate: deduplicated / processed,
  }
}

type Told = Omit<DreamResult, 'promotedIds' | 'seconds' | 'curated' | 'displaced'> & {
  readonly archivedByCurate: readonly string[]
  readonly pendingDropped: readonly unknown[]
}

function summarise(told: Told): string {
  const parts =
    told.processed === 0
      ? ['Nothing was waiting; nothing changed']
      : [
          `${told.promoted} of ${told.processed} waiting blocks are active now`,
          `${told.deduplicated} said what was known`,
          `${told.edgesCreated} edges`,
        ]
  if (told.nearDuplicatesFlagged > 0)
    parts.push(`${told.nearDuplicatesFlagged} near twins flagged (see resolve)`)
  if (told.archivedByCurate.length > 0)
    parts.push(`${told.archivedByCurate.length} faded blocks archived (see restore)`)
  if (told.pendingDropped.length > 0)
    parts.push(`${told.pendingDropped.length} waiting connections given up (see pendingDropped)`)
  if (told.inboxRemaining > 0)
    parts.push(`${told.inboxRemaining} still wait${told.outOfTime ? ', time was up' : ''}: dream again`)
  if (told.analysesUnused.length > 0) parts.push(`${told.analysesUnused.length} analyses not used`)
  if (told.tagsRefused.length > 0) parts.push(`tags refused: ${told.tagsRefused.join(', ')}`)
  return `${parts.join(' · ')}.`
}

function noModel(noLlm: boolean): ElfmemError {
  return noLlm
    ? new ElfmemError('INVALID_INPUT', 'rescore judges with a model, and noLlm forbids one.', {
        recovery: 'Drop one of the two.',
      })
    : new ElfmemError('INVALID_INPUT', 'rescore needs a model, and none is configured.', {
        recovery: 'Judge blocks yourself: inbox, then dream with hostAnalyses.',
      })
}
