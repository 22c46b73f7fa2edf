import type { Settings } from '../../config/settings.ts'
import { driftAllowed, isDrifting } from '../../domain/advice/health.ts'
import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { isFaithful } from '../../domain/block/summary.ts'
import {
  CONSTITUTIONAL_TAG,
  grantableByModel,
  grantableTags,
  isIdentityTag,
  normaliseTags,
} from '../../domain/block/tags.ts'
import { stripInvisible } from '../../domain/safety/visible.ts'
import { setTags } from '../../domain/score/experience.ts'
import { count } from '../../domain/text/text.ts'
import type { JudgementCounts, PendingJudgementFilter } from '../../ports/store/judging.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { reindex } from '../blocks/reindex.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'

/** A judgement of a block by a model, or by the host agent in its place. */
export interface Judgement {
  /** How strongly the block expresses the agent's identity, 0..1. */
  readonly alignmentScore: number
  readonly tags: readonly string[]
  readonly summary: string
  /** The most trusted class that the host's caller may claim; absent if a model judged. */
  readonly hostRank?: SourceClass
}

/** The judges of a dream. */
export interface Judges {
  /** The host's judgements by block id. */
  readonly host: ReadonlyMap<string, Judgement>
  /** Absent if rules alone decide. */
  readonly model:
    | { readonly judge: (blocks: readonly Block[]) => Promise<ReadonlyMap<string, Judgement>> }
    | undefined
}

/** The result of judging blocks. */
export interface Judged {
  /** Ids of the blocks whose judgement counts. */
  readonly judged: readonly string[]
  /** Those of them that the host judged. */
  readonly byHost: readonly string[]
  /** Number of blocks that the model was to judge and did not. */
  readonly failed: number
  readonly refusedTags: readonly string[]
}

/** Blocks judged in one transaction. */
const BATCH = 50

/**
 * Judges active blocks, each by the host if it judged the block and may, else by the model, and writes the judgements. A few
 * statements for 50 blocks.
 */
export async function judgeBlocks(
  engine: Engine,
  context: CallContext,
  { host, model }: Judges,
  blocks: readonly Block[],
): Promise<Judged> {
  const ofHost = new Map<string, Judgement>()
  for (const block of blocks) {
    const given = host.get(block.id)
    if (given && (model === undefined || mayJudge(block, given))) ofHost.set(block.id, given)
  }
  const others = model === undefined ? [] : blocks.filter(({ id }) => !ofHost.has(id))
  const ofModel = others.length === 0 ? undefined : await model?.judge(others)
  const known = blocks.flatMap((block): Known[] => {
    const judgement = ofHost.get(block.id) ?? ofModel?.get(block.id)
    return judgement === undefined ? [] : [{ block, judgement }]
  })
  const judged: string[] = []
  const byHost: string[] = []
  const refusedTags: string[] = []
  for (let at = 0; at < known.length; at += BATCH) {
    const batch = known.slice(at, at + BATCH)
    const done = await mutate(engine, context, (mutation) => writeJudgements(engine, mutation, batch))
    judged.push(...done.judged)
    byHost.push(...done.byHost)
    refusedTags.push(...done.refusedTags)
  }
  return { judged, byHost, failed: others.length - (ofModel?.size ?? 0), refusedTags }
}

/**
 * Reads the blocks to judge besides new ones: those that the host judged, then those that an earlier dream left pending and,
 * with `rescore`, those never judged and the stalest. The last three are for a model alone.
 */
export async function blocksToJudge(
  { store, settings, clock }: Engine,
  { host, model }: Judges,
  { rescore, limit }: { readonly rescore: boolean; readonly limit: number },
): Promise<readonly Block[]> {
  const { enabled, minAgeHours, excludeCategories, excludeTags } = settings.rescore
  const judgedBefore = new Date(clock.now() - minAgeHours * 3_600_000).toISOString()
  const filter = { pendingOnly: !rescore, judgedBefore, excludeCategories, excludeTags, limit }
  return store.read(async (tx) => {
    const active = (await tx.blocks([...host.keys()])).filter(({ status }) => status === 'active')
    const due = model !== undefined && enabled ? await tx.pendingJudgements(filter) : []
    // The model judges no other block because the host may not judge it.
    const given = active.filter(
      (block) => model === undefined || mayJudge(block, host.get(block.id) as Judgement),
    )
    return [...new Map([...given, ...due].map((block) => [block.id, block])).values()]
  })
}

/**
 * Returns true if a judgement of a block counts. A host judges no words that are trusted more than its caller, and a
 * principle only for the owner.
 */
function mayJudge(
  { sourceClass, tags }: Pick<Block, 'sourceClass' | 'tags'>,
  { hostRank: rank }: Pick<Judgement, 'hostRank'>,
): boolean {
  if (rank === undefined) return true
  return !isLessTrusted(rank, sourceClass) && (rank === 'user' || !tags.includes(CONSTITUTIONAL_TAG))
}

/**
 * Gives a block its judgement. Tags outside the vocabulary of identity and protected tags are refused, others' words get
 * no identity tag, and a goal is granted by the host alone. A summary that lost, turned round or invented a fact is left
 * out. A judgement that does not count only marks the block as looked at, so that others are judged next.
 *
 * @param at ISO-8601 UTC
 */
function applyJudgement(
  block: Block,
  judgement: Judgement,
  { settings, at }: { readonly settings: Settings; readonly at: string },
): { readonly block: Block; readonly refusedTags: readonly string[] } {
  const { accepted, refused } = grantableTags(judgement.tags, settings.prompts.validSelfTags)
  if (!mayJudge(block, judgement))
    return { block: { ...block, scoredAt: at }, refusedTags: [...refused, ...accepted] }
  const isGranted = (tag: string) =>
    (isOwn(block) || !isIdentityTag(tag)) && (judgement.hostRank !== undefined || grantableByModel(tag))
  const { judgementPending: _judged, summary: _before, ...rest } = block
  const summary = stripInvisible(judgement.summary).text.trim()
  const isKept = summary !== block.content.trim() && isFaithful(summary, block.content)
  return {
    block: {
      ...rest,
      alignment: judgement.alignmentScore,
      scoredAt: at,
      tags: normaliseTags([...block.tags, ...accepted.filter(isGranted)]),
      ...(isKept ? { summary } : {}),
    },
    refusedTags: [...refused, ...accepted.filter((tag) => !isGranted(tag))],
  }
}

/** A block and its judgement. */
interface Known {
  readonly block: Block
  readonly judgement: Judgement
}

/**
 * Writes judgements of active blocks: alignment, summary and identity tags. Evidence from outcomes is left alone (W52), and
 * so are blocks that were changed or archived since they were read.
 */
async function writeJudgements(
  { settings, analysis: words }: Engine,
  { tx, moment, log }: Mutation,
  batch: readonly Known[],
): Promise<Omit<Judged, 'failed'>> {
  const read = new Map(batch.map((each) => [each.block.id, each]))
  const done = (await tx.blocks([...read.keys()])).flatMap((before) => {
    const { block: seen, judgement } = read.get(before.id) as Known
    if (before.status !== 'active' || before.content !== seen.content) return []
    const { block, refusedTags } = applyJudgement(before, judgement, { settings, at: moment.at })
    const after = setTags({ ...block, tags: before.tags }, { tags: block.tags }, settings.decay)
    return [{ before, after, refusedTags, counts: mayJudge(before, judgement) }]
  })
  if (done.length === 0) return { judged: [], byHost: [], refusedTags: [] }
  await tx.saveBlocks(done.map(({ after }) => after))
  const digested = done.filter(({ before, after }) => before.summary !== after.summary)
  await reindex(
    tx,
    digested.map(({ after }) => after),
    words,
  )
  const judged = done.filter(({ counts }) => counts).map(({ after }) => after.id)
  await log({
    operation: 'rescore',
    blockIds: done.map(({ after }) => after.id),
    summary: `${count(judged.length, 'block')} judged`,
    before: done.map(({ before: { id, alignment, summary, tags } }) => ({ id, alignment, summary, tags })),
  })
  const byHost = judged.filter((id) => read.get(id)?.judgement.hostRank !== undefined)
  return { judged, byHost, refusedTags: done.flatMap(({ refusedTags }) => refusedTags) }
}

/** More pairs without a label than these are not counted. */
export const PAIRS_COUNTED = 1_000

/** Selects the active blocks to judge: never judged, left pending by a model, or judged more than `rescore.targetMaxAgeDays` ago. */
export function pendingJudgementFilter(
  { settings: { rescore }, clock }: Pick<Engine, 'settings' | 'clock'>,
  limit: number,
): PendingJudgementFilter {
  const { excludeCategories, excludeTags } = rescore
  const judgedBefore = staleBefore(rescore, clock.now())
  return { pendingOnly: false, judgedBefore, excludeCategories, excludeTags, limit }
}

/** Counts of what is still to be judged, and the model that is to do it. */
export interface JudgingState extends JudgementCounts {
  /** Name of the configured model. */
  readonly model?: string
  /** Pairs of active blocks without a label, up to 1,000. */
  readonly unlabelledPairs: number
  /** True if too many blocks lack a fresh judgement. */
  readonly drift: boolean
}

/**
 * Counts what is still to be judged, from indexes, with the blocks that are never judged anew. Only if that says drift and
 * a model could judge, as many blocks as the limits allow are looked at.
 *
 * @param active number of active blocks
 */
export async function judgingState(
  engine: Pick<Engine, 'settings' | 'clock' | 'languageModel'>,
  tx: StoreReader,
  active: number,
): Promise<JudgingState> {
  const { languageModel } = engine
  const { rescore } = engine.settings
  const counts = await tx.judgementCounts(staleBefore(rescore, engine.clock.now()))
  const limits = { count: rescore.driftWarningCount, percent: rescore.driftWarningPercent }
  let drift = isDrifting({ active, ...counts }, limits)
  if (drift && languageModel) {
    const allowed = driftAllowed(active, limits)
    const due = await tx.pendingJudgements(pendingJudgementFilter(engine, allowed + 1))
    drift = rescore.enabled && due.length > allowed
  }
  return {
    ...(languageModel ? { model: languageModel.model } : {}),
    pending: counts.pending,
    unjudged: counts.unjudged,
    stale: counts.stale,
    unlabelledPairs: (await tx.unlabelledPairs(PAIRS_COUNTED)).length,
    drift,
  }
}

const DAY_MS = 86_400_000

/** ISO-8601 UTC. */
function staleBefore({ targetMaxAgeDays }: Settings['rescore'], now: number): string {
  return new Date(now - targetMaxAgeDays * DAY_MS).toISOString()
}
