import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { countDecisions, forPerson } from '../../dream/decisions.ts'
import { type DreamRequest, type DreamResult, dream as runDream } from '../../dream/dream.ts'
import { RESCORE } from '../../dream/judgement.ts'
import { type Engine, llmTokens } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { LABELS } from '../../graph/edge.ts'
import { mayReplaceSentence, replacingBlocks, toReplaceable } from '../may-replace.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { alias } from '../schemas.ts'
import { sentences, shortId, waitingWords } from '../wording.ts'

const some = z.int().min(1)
const conflict = z.object({
  a: z.string(),
  b: z.string(),
  kind: z.enum(['near_duplicate', 'perhaps_newer', 'supersession', 'contradiction']),
  score: z.number(),
  foundBy: z.string().optional().describe('model, host, owner, hint, or the rule'),
})

/** The judgement of a host about one block. */
const hostAnalysis = z.strictObject({
  alignmentScore: z.number().min(0).max(1).describe('0..1: how strongly it expresses who the agent is'),
  tags: z.array(schemas.name).max(32).default([]).describe('Identity tags it deserves, such as self/value'),
  summary: z
    .string()
    .max(10_000)
    .describe('One or two sentences that keep every name, number and constraint'),
})

/** The judgement of a host about a pair of blocks. */
const edgeLabel = z.strictObject({
  a: schemas.blockId,
  b: schemas.blockId,
  relation: z.enum(LABELS).describe('Of the newer to the older; supersedes: it says what holds now instead'),
  confidence: z.number().min(0).max(1).default(0.9).describe('0..1; below 0.6 nothing changes'),
})

/** Pairs that an answer names; decisions() lists all of them. */
const NAMED_MOST = 20

/** Moves inbox blocks into the active memory in batches; each batch is kept, also if a later one fails. */
export const dream = defineScopedOperation({
  name: 'dream',
  summary: 'Take in what waits: embed, judge, recognise duplicates, link.',
  guide: {
    when: 'At a pause, when an answer says shouldDream. To hand in your own judgements.',
    whenNot:
      'Not after every remember(): blocks that wait are safe, and an open memory dreams by itself at rest.',
    next: 'recall({ query }). If inboxRemaining is above 0: dream() again. What conflicts names: resolve(). Blocks that share a tag or a session are joined from a lower similarity on.',
    example: 'await memory.dream()',
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'write',
  cost: 'batch',
  idempotent: false,
  refuses: ['EMBEDDER_FAILED', 'EMBEDDER_MISMATCH'],
  input: z.object({
    limit: some.optional().describe('At most so many blocks; all when left out').meta({ unlisted: true }),
    maxCount: alias('limit', some.optional()),
    max: alias('limit', some.optional()),
    maxSeconds: z
      .number()
      .positive()
      .optional()
      .describe('Takes up nothing new after so many seconds')
      .meta({ unlisted: true }),
    hostAnalyses: z
      .record(schemas.name, hostAnalysis)
      .refine((given) => Object.keys(given).length <= 10_000, 'has more than 10,000 analyses')
      .optional()
      .describe('Your judgement of blocks that inbox() gave, by block id'),
    edgeLabels: z
      .array(edgeLabel)
      .max(200)
      .optional()
      .describe('Your word for how pairs that inbox() gave relate'),
    noLlm: z.boolean().default(false).describe('Rules only, as without a model').meta({ unlisted: true }),
    rescore: z.boolean().default(false).describe('Judge old blocks anew; needs a model or hostAnalyses'),
    rescoreMax: some.optional().describe('At most so many blocks judged anew').meta({ unlisted: true }),
  }),
  output: z.object({
    status: z.enum(['dreamt', 'idle']),
    processed: z.number().int(),
    promoted: z.number().int(),
    deduplicated: z.number().int(),
    edgesCreated: z.number().int(),
    evictedEdges: schemas.evictedEdges,
    nearDuplicatesFlagged: z.number().int(),
    analysed: z.number().int().describe('Processed blocks that a model or you judged'),
    pendingJudgement: z
      .array(z.string())
      .readonly()
      .describe('Promoted by rule because the model did not judge them; the next dream has them judged'),
    rescored: z.number().int().describe('Older blocks judged anew'),
    labelled: z.int().describe('Pairs whose relation a model or you named'),
    pairsUnlabelled: z.int().describe('Pairs that still wait for the model, up to 1,000'),
    conflicts: z
      .array(conflict)
      .readonly()
      .describe('Contradictions and proposed supersessions found now; both blocks stay until resolve'),
    mayReplace: replacingBlocks,
    llmCalls: z.int(),
    tokens: z.int().describe('Tokens of language models, in and out'),
    modelTrouble: z
      .object({ kind: z.enum(['limits', 'failed']), message: z.string(), recovery: z.string() })
      .optional()
      .describe('Why the model did not do all it was asked'),
    redacted: z
      .record(z.string(), z.int())
      .describe('Secrets kept from a model or embedder elsewhere, by kind; the blocks still hold them'),
    inboxRemaining: z.number().int(),
    outOfTime: z.boolean(),
    analysesUnused: z
      .array(z.string())
      .describe('Analyses about no block of this dream, or about words trusted more than the caller'),
    labelsUnused: z
      .array(z.object({ a: z.string(), b: z.string() }))
      .readonly()
      .describe('Labels that were not about two active blocks'),
    tagsRefused: z.array(z.string()),
    promotedIds: z.array(z.string()),
    decisionsWaiting: z.int().describe('Decisions that only the owner makes; decisions() lists them'),
    pendingDropped: schemas.pendingDropped,
    seconds: z.number(),
    summary: z.string(),
  }),
  run: async (engine, input, context) => {
    const request = requestOf(engine, input)
    const done = await runDream(engine, request, context)
    const analysesUnused = Object.keys(request.hostAnalyses)
      .filter((id) => !done.analysesUsed.has(id))
      .sort()
    const { total: usage, redacted } = done.meter
    const decisionsWaiting = await engine.store.read(async (tx) =>
      forPerson(await countDecisions(tx, engine.session.moment((await tx.state()).clock).at)),
    )
    return {
      decisionsWaiting,
      status: didNothing(done) ? ('idle' as const) : ('dreamt' as const),
      processed: done.processed,
      promoted: done.promotedIds.length,
      deduplicated: done.deduplicated,
      edgesCreated: done.edgesCreated,
      evictedEdges: schemas.toEvictedEdges([...done.displaced, ...(done.curated?.displaced ?? [])]),
      nearDuplicatesFlagged: done.nearDuplicatesFlagged,
      analysed: done.analysed,
      pendingJudgement: [...done.pendingJudgement],
      rescored: done.rescored.length,
      labelled: labelled(done),
      pairsUnlabelled: done.pairsUnlabelled,
      conflicts: done.conflicts.map(({ a, b, kind, score, foundBy }) => ({
        ...{ a, b, kind, score },
        ...defined({ foundBy }),
      })),
      mayReplace: done.mayReplace.slice(0, NAMED_MOST).map(({ newer, ...found }) => ({
        ...toReplaceable(newer.id, found),
        ...{ id: newer.id, older: found.older.id },
      })),
      llmCalls: usage.llmCalls,
      tokens: llmTokens(usage),
      ...defined({ modelTrouble: done.modelTrouble }),
      redacted: Object.fromEntries(redacted),
      inboxRemaining: done.inboxRemaining,
      outOfTime: done.outOfTime,
      analysesUnused,
      labelsUnused: done.labelsUnused.map(({ a, b }) => ({ a, b })),
      tagsRefused: [...done.tagsRefused].sort(),
      promotedIds: done.promotedIds,
      pendingDropped: done.curated?.pending.dropped.length ?? 0,
      seconds: done.seconds,
      summary: sentences(
        summarise(done, analysesUnused.length),
        decisionsWaiting > 0 && `${waitingWords(decisionsWaiting)}.`,
      ),
    }
  },
  render: ({ summary, conflicts, mayReplace }) =>
    [
      summary,
      ...conflicts
        .slice(0, SHOWN)
        .map(
          ({ a, b, kind, foundBy }) =>
            `  ${kind} ${shortId(a)} ${shortId(b)}${foundBy ? ` (${foundBy})` : ''}`,
        ),
      ...(conflicts.length > SHOWN
        ? [`  and ${conflicts.length - SHOWN} more, which decisions() lists`]
        : []),
      ...mayReplace.map((each) => `  ${mayReplaceSentence(each, true)}`),
    ].join('\n'),
})

/** Number of conflicts that the text of a dream names. */
const SHOWN = 10

type DreamInput = z.output<typeof dream.input>

function requestOf({ settings, languageModel }: Engine, input: Omit<DreamInput, 'scope'>): DreamRequest {
  const hostAnalyses = input.hostAnalyses ?? {}
  if (input.rescore && input.noLlm)
    throw new ElfmemError('INVALID_INPUT', 'rescore judges with a model, and noLlm forbids one.', {
      recovery: 'Drop one of the two.',
    })
  if (input.rescore && languageModel === undefined && Object.keys(hostAnalyses).length === 0)
    throw new ElfmemError('INVALID_INPUT', 'rescore needs a model, and none is configured.', {
      recovery: 'Judge blocks yourself: inbox() with pendingJudgement, then dream() with hostAnalyses.',
    })
  return {
    ...defined({ maxCount: input.limit }),
    maxSeconds: input.maxSeconds ?? settings.memory.dreamSeconds,
    hostAnalyses,
    edgeLabels: input.edgeLabels ?? [],
    noLlm: input.noLlm,
    rescore: input.rescore,
    rescoreMax: input.rescoreMax ?? RESCORE.mostPerRun,
  }
}

function labelled({ labels }: DreamResult): number {
  return Object.values(labels).reduce((sum, each) => sum + each, 0)
}

function didNothing(result: DreamResult): boolean {
  return result.processed === 0 && result.rescored.length === 0 && labelled(result) === 0
}

function summarise(told: DreamResult, analysesUnused: number): string {
  const parts = [...mainParts(told), ...judgedParts(told), ...leftParts(told, analysesUnused)]
  return `${parts.filter(Boolean).join(' · ')}.`
}

function mainParts(told: DreamResult): (string | false)[] {
  const archived = told.curated?.archived.length ?? 0
  const given = told.curated?.pending.dropped.length ?? 0
  return [
    ...(told.processed === 0
      ? [didNothing(told) ? 'Nothing was waiting; nothing changed' : 'Nothing was waiting']
      : [
          `${count(told.promotedIds.length, 'note')} taken in`,
          count(told.deduplicated, 'duplicate'),
          count(told.edgesCreated, 'link'),
        ]),
    told.nearDuplicatesFlagged > 0 &&
      `${count(told.nearDuplicatesFlagged, 'near-duplicate')} flagged (see resolve())`,
    told.conflicts.length > 0 &&
      `${count(told.conflicts.length, 'conflict')} with older blocks (see resolve())`,
    told.mayReplace.length > 0 &&
      `${count(told.mayReplace.length, 'older block')} perhaps replaced (see mayReplace)`,
    archived > 0 && `${count(archived, 'faded block')} archived (see restore())`,
    given > 0 && `${count(given, 'waiting connection')} given up`,
  ]
}

function judgedParts(told: DreamResult): (string | false)[] {
  const { total: usage, redacted } = told.meter
  const secrets = [...redacted.values()].reduce((sum, each) => sum + each, 0)
  return [
    told.analysed > 0 && `${told.analysed} judged`,
    told.rescored.length > 0 && `${told.rescored.length} judged anew`,
    labelled(told) > 0 && `${count(labelled(told), 'pair')} labelled`,
    usage.llmCalls > 0 && `${count(usage.llmCalls, 'model call')}, ${llmTokens(usage)} tokens`,
    secrets > 0 && `${count(secrets, 'secret')} kept from what left the machine`,
  ]
}

function leftParts(told: DreamResult, analysesUnused: number): (string | false)[] {
  const { modelTrouble: trouble, pendingJudgement, inboxRemaining, labelsUnused, tagsRefused } = told
  const withoutStop = (sentence: string) => sentence.replace(/\.$/, '')
  return [
    pendingJudgement.size > 0 &&
      `${count(pendingJudgement.size, 'judgement')} pending: the next dream asks again`,
    told.rescoreFailed > 0 && `${told.rescoreFailed} could not be judged anew`,
    told.pairsUnlabelled > 0 && `${count(told.pairsUnlabelled, 'pair')} without a label`,
    trouble !== undefined && `the model: ${withoutStop(trouble.message)} (${withoutStop(trouble.recovery)})`,
    inboxRemaining > 0 &&
      `${inboxRemaining} still wait${told.outOfTime ? ', time was up' : ''}: dream() again`,
    analysesUnused > 0 && `${analysesUnused} analyses not used`,
    labelsUnused.length > 0 && `${labelsUnused.length} labels not used`,
    tagsRefused.size > 0 && `tags refused: ${[...tagsRefused].sort().join(', ')}`,
  ]
}
