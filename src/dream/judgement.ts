import {
  type Block,
  CONSTITUTIONAL_TAG,
  grantableByModel,
  grantableTags,
  isIdentityTag,
  isOwn,
  mayCover,
  normaliseTags,
  type SourceClass,
} from '../block/block.ts'
import { isFaithful } from '../block/summary.ts'
import { count, stripInvisible } from '../block/text.ts'
import { isNewer } from '../block/validity.ts'
import { reindex } from '../engine/embedding.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import {
  type BlockPair,
  CONTRADICTS,
  contradictionOf,
  type Edge,
  type Ends,
  endsOf,
  LABELS,
  type Label,
  newEdge,
  orderedPair,
  type PairLabel,
  relationDefaultWeight,
} from '../graph/edge.ts'
import { Linker } from '../graph/linker.ts'
import { resolveIds } from '../intake/check-input.ts'
import { setTags } from '../outcome/formulas.ts'
import { blocksById, idsOfStatus, readBlocks, saveBlocks } from '../store/blocks.ts'
import type { JudgementCounts, PendingJudgementFilter } from '../store/database.ts'
import { removeEdges, removeUnlabelled, resolvePairs, savePairs } from '../store/graph.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { CONFLICT_COSINE } from './contradiction.ts'

export interface Judgement {
  readonly alignmentScore: number
  readonly tags: readonly string[]
  readonly summary: string
  /** The most trusted class that the host's caller may claim; absent if a model judged. */
  readonly hostRank?: SourceClass
}

/** A judging model is a language model that judges blocks and labels pairs (`model-judge.ts`). */
export interface JudgingModel {
  readonly isOpen: boolean
  /** Judges blocks; blocks without a usable answer are left out. */
  judge(blocks: readonly Block[]): Promise<Map<string, Judgement>>
  /** Returns by key how the newer text of each pair relates to the older; pairs without a usable answer are left out. */
  label(pairs: readonly TextPair[]): Promise<Map<string, PairLabel>>
}

export interface Judges {
  readonly host: ReadonlyMap<string, Judgement>
  readonly model: JudgingModel | undefined
}

export interface TextPair {
  readonly key: string
  readonly older: string
  readonly newer: string
}

export interface Judged {
  readonly judged: readonly string[]
  readonly byHost: readonly string[]
  /** Number of blocks that the model was asked to judge and did not. */
  readonly failed: number
  readonly refusedTags: readonly string[]
}

/**
 * Judges active blocks and writes the judgements: the host judges a block if it sent a judgement and may, else the model does. Runs a few
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
  const done: Awaited<ReturnType<typeof writeJudgements>> = []
  for (let at = 0; at < known.length; at += JUDGING.blocksPerWrite) {
    const batch = known.slice(at, at + JUDGING.blocksPerWrite)
    done.push(...(await mutate(engine, context, (mutation) => writeJudgements(engine, mutation, batch))))
  }
  const judged = done.filter(({ counts }) => counts).map(({ id }) => id)
  return {
    judged,
    byHost: judged.filter((id) => ofHost.has(id)),
    failed: others.length - (ofModel?.size ?? 0),
    refusedTags: done.flatMap(({ refusedTags }) => refusedTags),
  }
}

export const JUDGING = {
  /** Blocks judged in one call; more would save little, and one bad answer would cost more. */
  blocksPerCall: 5,
  /** Judgements written in one transaction: a kill loses no more than these. */
  blocksPerWrite: 50,
  pairsPerCall: 20,
  /** Blocks of an earlier dream that are judged when the model answers again. */
  pendingPerDream: 100,
  /** Pairs labelled by one dream, the oldest first. */
  pairsPerDream: 200,
  /** Pairs that may wait for a label; older ones stay unlabelled. */
  pairsWaiting: 500,
  /** Characters of a block that the model sees to judge it. */
  charactersPerBlock: 6_000,
  /** Characters that the model sees of each block of a pair; their beginnings show how they relate. */
  charactersPerSide: 600,
  labelConfidence: 0.6,
  /** Confidence from which an unrelated pair loses its edge; below it, the edge loses half its weight. */
  unrelatedConfidence: 0.8,
} as const

/**
 * Reads the blocks to judge besides new ones: those that the host judged, then those that an earlier dream left pending and, with
 * `rescore`, those never judged and the stalest. All but the first need a model.
 */
export async function blocksToJudge(
  engine: Engine,
  { host, model }: Judges,
  { rescore, limit }: { readonly rescore: boolean; readonly limit: number },
): Promise<readonly Block[]> {
  const filter = pendingJudgementFilter(engine, limit, { pendingOnly: !rescore, hours: RESCORE.restHours })
  return engine.store.read(async (tx) => {
    const active = (await readBlocks(tx, [...host.keys()])).filter(({ status }) => status === 'active')
    const due = model !== undefined ? await tx.queries.pendingJudgements(filter) : []
    // The model does not judge a block only because the host may not judge it.
    const given = active.filter(
      (block) => model === undefined || mayJudge(block, host.get(block.id) as Judgement),
    )
    return [...new Map([...given, ...due].map((block) => [block.id, block])).values()]
  })
}

/**
 * Returns true if a judgement of a block counts. A host judges no words that are trusted more than its caller, and a principle only for the
 * owner.
 */
function mayJudge(
  { sourceClass, tags }: Pick<Block, 'sourceClass' | 'tags'>,
  { hostRank: rank }: Pick<Judgement, 'hostRank'>,
): boolean {
  if (rank === undefined) return true
  return mayCover(rank, sourceClass) && (rank === 'user' || !tags.includes(CONSTITUTIONAL_TAG))
}

/**
 * Applies a judgement to a block. Tags outside the vocabulary of identity and protected tags are refused, others' words get no identity
 * tag, and only the host grants a goal. A summary that lost, reversed or invented a fact is left out. A judgement that does not count only
 * marks the block as judged, so that other blocks are next.
 */
function applyJudgement(block: Block, judgement: Judgement, at: string) {
  const { accepted, refused } = grantableTags(judgement.tags)
  if (!mayJudge(block, judgement))
    return { block: { ...block, scoredAt: at }, refusedTags: [...refused, ...accepted] }
  const isGranted = (tag: string) =>
    (isOwn(block) || !isIdentityTag(tag)) && (judgement.hostRank !== undefined || grantableByModel(tag))
  const { judgementPending: _judged, summary: _before, ...rest } = block
  const summary = stripInvisible(judgement.summary).trim()
  const isKept = summary !== block.content.trim() && isFaithful(summary, block.content)
  const tags = normaliseTags([...block.tags, ...accepted.filter(isGranted)])
  const judged = { ...rest, alignment: judgement.alignmentScore, scoredAt: at, tags }
  const refusedTags = [...refused, ...accepted.filter((tag) => !isGranted(tag))]
  return { block: isKept ? { ...judged, summary } : judged, refusedTags }
}

interface Known {
  readonly block: Block
  readonly judgement: Judgement
}

/**
 * Writes judgements of active blocks: alignment, summary and identity tags. It leaves evidence from outcomes alone (W52), and blocks that
 * were changed or archived since they were read.
 */
async function writeJudgements(
  { settings, analysis: words }: Engine,
  { tx, moment, log }: Mutation,
  batch: readonly Known[],
) {
  const read = new Map(batch.map((each) => [each.block.id, each]))
  const done = (await readBlocks(tx, [...read.keys()])).flatMap((before) => {
    const { block: seen, judgement } = read.get(before.id) as Known
    if (before.status !== 'active' || before.content !== seen.content) return []
    const { block, refusedTags } = applyJudgement(before, judgement, moment.at)
    const after = setTags({ ...block, tags: before.tags }, { tags: block.tags }, settings.decay)
    return [{ id: before.id, before, after, refusedTags, counts: mayJudge(before, judgement) }]
  })
  if (done.length === 0) return []
  const after = done.map((each) => each.after)
  await saveBlocks(tx, after)
  const digested = after.filter(({ summary }, at) => summary !== done[at]?.before.summary)
  await reindex(tx, digested, words)
  await log({
    operation: 'rescore',
    blockIds: done.map(({ id }) => id),
    summary: `${count(done.filter(({ counts }) => counts).length, 'block')} judged`,
    before: done.map(({ before: { id, alignment, summary, tags } }) => ({ id, alignment, summary, tags })),
  })
  return done
}

/** A host label is the host's label of two blocks, named by ids or by unambiguous prefixes of ids. */
export interface HostLabel {
  readonly a: string
  readonly b: string
  readonly relation: Label
  readonly confidence: number
}

export type LabelCounts = Record<PairLabel['relation'], number>
export const NO_LABELS = Object.fromEntries([...LABELS, 'similar'].map((label) => [label, 0])) as LabelCounts

export interface Labelled {
  readonly counts: LabelCounts
  readonly conflicts: readonly BlockPair[]
  readonly pairs: readonly Ends[]
}

const NOTHING_LABELLED: Labelled = { counts: NO_LABELS, conflicts: [], pairs: [] }

/** Writes the host's labels; labels that are not about two active blocks are unused. Runs two statements to find the blocks. */
export async function labelByHost(
  engine: Engine,
  context: CallContext,
  { labels, rank }: { readonly labels: readonly HostLabel[]; readonly rank: SourceClass },
): Promise<Labelled & { readonly unused: readonly HostLabel[] }> {
  const pairs: LabelledPair[] = []
  const unused: HostLabel[] = []
  await engine.store.read(async (tx) => {
    const given = labels.flatMap(({ a, b }) => [a, b])
    const { ids, byGiven } = await resolveIds(tx, given, { ambiguous: 'report' })
    const active = await idsOfStatus(tx, ids, ['active'])
    const named = (id: string) => active.has(byGiven.get(id.trim()) ?? '') && byGiven.get(id.trim())
    for (const label of labels) {
      const [from, to] = [named(label.a), named(label.b)]
      if (from && to && from !== to) pairs.push({ from, to, label })
      else unused.push(label)
    }
  })
  if (pairs.length === 0) return { ...NOTHING_LABELLED, unused }
  const by = rank === 'user' ? 'owner' : 'host'
  const done = await mutate(engine, context, (mutation) => writeLabels(engine, mutation, pairs, by))
  return { ...done, unused }
}

/** Asks the model about the pairs that wait for a label, and writes its labels; pairs without an answer go on waiting. */
export async function labelByModel(
  engine: Engine,
  context: CallContext,
  model: JudgingModel,
): Promise<Labelled> {
  if (!model.isOpen) return NOTHING_LABELLED
  const asked = await engine.store.read(async (tx) => {
    const waiting = await tx.queries.unlabelledPairs(JUDGING.pairsPerDream)
    const blocks = await blocksById(tx, [...new Set(waiting.flatMap(endsOf))])
    return waiting.flatMap((pair) => {
      const [one, other] = [blocks.get(pair.from), blocks.get(pair.to)]
      if (!one || !other) return []
      const [newer, older] = isNewer(one, other) ? [one, other] : [other, one]
      return [{ pair, key: endsOf(pair).join(' '), older: older.content, newer: newer.content }]
    })
  })
  const given = await model.label(asked)
  const pairs = asked.flatMap(({ pair, key }): LabelledPair[] => {
    const label = given.get(key)
    return label === undefined ? [] : [{ ...pair, label }]
  })
  if (pairs.length === 0) return NOTHING_LABELLED
  return mutate(engine, context, (mutation) => writeLabels(engine, mutation, pairs, 'model'))
}

interface LabelledPair {
  readonly from: string
  readonly to: string
  /** Cosine of the two contents; absent if similarity did not lead to the pair. */
  readonly cosine?: number
  readonly label: PairLabel
}

type Labeller = 'model' | 'host' | 'owner'

/** Labels under which both blocks hold, so that neither replaces the other. */
const BOTH_HOLD: ReadonlySet<PairLabel['relation']> = new Set(['supports', 'elaborates', 'unrelated'])

/**
 * Turns labels into relations of similarity edges, open contradictions and supersessions, and removed edges. Runs eight statements for all
 * pairs, none without a pair.
 */
async function writeLabels(
  engine: Engine,
  mutation: Mutation,
  pairs: readonly LabelledPair[],
  by: Labeller,
): Promise<Labelled> {
  const { tx, log } = mutation
  const least = JUDGING.labelConfidence
  const ids = [...new Set(pairs.flatMap(endsOf))]
  const blocks: ReadonlyMap<string, Block> = await blocksById(tx, ids)
  const isActive = (id: string) => blocks.get(id)?.status === 'active'
  const present = pairs.filter(({ from, to }) => isActive(from) && isActive(to))
  const linker = await Linker.open(engine, mutation, ids, { heedDisconnections: true })
  const work: Work = { mutation, by, linker, before: [], removed: [], conflicts: [] }
  for (const pair of present) applyLabel(work, pair)
  const { displaced } = await linker.save(tx)
  if (work.removed.length > 0) await removeEdges(tx, work.removed)
  await savePairs(tx, work.conflicts)
  const settled = present.filter(({ label }) => BOTH_HOLD.has(label.relation) && label.confidence >= least)
  await resolvePairs(tx, settled.map(endsOf), ['perhaps_newer'])
  await removeUnlabelled(tx, pairs.map(endsOf))
  const counts = { ...NO_LABELS }
  for (const { label } of present) counts[label.relation]++
  const counted = Object.entries(counts).filter(([, number]) => number > 0)
  const named = counted.map(([label, number]) => `${number} ${label}`)
  await log({
    operation: 'label',
    blockIds: [...new Set(present.flatMap(endsOf))],
    summary: `${count(present.length, 'pair')} labelled by the ${by}: ${named.join(', ') || 'none'}`,
    before: { edges: work.before, displaced },
  })
  return { counts, conflicts: work.conflicts, pairs: pairs.map(endsOf) }
}

interface Work {
  readonly mutation: Mutation
  readonly by: Labeller
  readonly linker: Linker
  readonly before: Edge[]
  readonly removed: Ends[]
  readonly conflicts: BlockPair[]
}

/**
 * Applies one label. Both blocks of a contradiction or supersession stay until somebody resolves it. An edge that an agent asserted, or
 * that an outcome or use made, stays as it is: a model's word is weaker than a deed.
 */
function applyLabel(
  work: Work,
  { from, to, cosine = 1, label: { relation, confidence } }: LabelledPair,
): void {
  const { by, linker, conflicts } = work
  const { moment } = work.mutation
  const edge = linker.between(from, to)
  if (edge?.origin === 'agent' || (relation === CONTRADICTS && cosine < CONFLICT_COSINE)) return
  if (confidence < JUDGING.labelConfidence) return
  if (edge) relabel(work, edge, { relation, confidence })
  const ends = orderedPair(from, to)
  if (relation === CONTRADICTS) {
    const weight = relationDefaultWeight(CONTRADICTS)
    const made = newEdge(ends, { relation: CONTRADICTS, origin: 'llm_inferred', weight }, moment)
    if (linker.between(from, to) === undefined) linker.add(made)
    conflicts.push({ ...contradictionOf(made, by), score: confidence })
  }
  if (relation === 'supersedes') {
    const found = { kind: 'supersession', score: confidence, foundBy: by } as const
    conflicts.push({ a: ends[0], b: ends[1], ...found, resolved: false, createdAt: moment.at })
  }
}

/** Gives an edge that rules or a model made its label. A superseding block stays joined to the other as it is. */
function relabel({ linker, before, removed }: Work, edge: Edge, { relation, confidence }: PairLabel): void {
  const isOpen = edge.origin === 'similarity' || edge.origin === 'llm_inferred'
  if (!isOpen || relation === 'similar' || relation === 'supersedes') return
  before.push(edge)
  const labelled = { ...edge, origin: 'llm_inferred' } as const
  if (relation !== 'unrelated') linker.replace({ ...labelled, relation })
  else if (confidence >= JUDGING.unrelatedConfidence) removed.push(endsOf(edge))
  else linker.replace({ ...labelled, weight: edge.weight / 2 })
}

interface Health {
  readonly health: 'good' | 'attention'
  readonly finding: 'inbox_full' | 'inbox_nearly_full' | 'empty' | 'fine'
}

/** Returns the health of a memory with `inbox` waiting blocks; a dream is due from `threshold` blocks (> 0). */
export function healthOf(inbox: number, threshold: number, active: number): Health {
  if (inbox >= threshold) return { health: 'attention', finding: 'inbox_full' }
  if (inbox >= threshold * 0.8) return { health: 'good', finding: 'inbox_nearly_full' }
  return { health: 'good', finding: active === 0 && inbox === 0 ? 'empty' : 'fine' }
}

export const RESCORE = {
  mostPerRun: 20,
  /** Hours for which a judged block is left alone. */
  restHours: 24,
  /** Days after which a judgement counts as drift. */
  staleDays: 90,
  /** Number of drifting blocks above which drift is reported, once a model is configured. */
  driftCount: 25,
  /** Percent of active blocks above which drift is reported in small memories. */
  driftPercent: 25,
  /** Categories whose blocks say nothing about the agent's identity. */
  excludeCategories: ['message', 'mind', 'decision', 'prediction'],
  /** Tag that excludes a single block. */
  excludeTags: ['system/no-rescore'],
} as const

/** Largest number of pairs without a label that are counted. */
export const PAIRS_COUNTED = 1_000

/** Returns a filter of active blocks to judge: pending ones and, unless `pendingOnly`, those never judged or judged `hours` ago. */
export function pendingJudgementFilter(
  { clock }: Pick<Engine, 'clock'>,
  limit: number,
  { pendingOnly = false, hours = 24 * RESCORE.staleDays } = {},
): PendingJudgementFilter {
  const { excludeCategories, excludeTags } = RESCORE
  const judgedBefore = new Date(clock.now() - hours * 3_600_000).toISOString()
  return { pendingOnly, judgedBefore, excludeCategories, excludeTags, limit }
}

export interface JudgingState extends JudgementCounts {
  readonly model?: string
  /** Number of pairs of active blocks without a label, up to 1,000. */
  readonly unlabelledPairs: number
  readonly drift: boolean
  readonly advice: string
}

/**
 * Counts by indexes the blocks that are still to be judged, including blocks that are never judged anew. Only if these numbers exceed the
 * limit and a model could judge, it reads blocks up to the limit: the lower of a count and a share of the active blocks (Python elfmem).
 */
export async function judgingState(
  engine: Pick<Engine, 'clock' | 'languageModel'>,
  tx: ReadTransaction,
  counting: Promise<{ readonly active: number }>,
): Promise<JudgingState> {
  const { languageModel } = engine
  const [{ active }, { pending, unjudged, stale }, unlabelled] = await Promise.all([
    counting,
    tx.queries.judgementCounts(pendingJudgementFilter(engine, 1).judgedBefore),
    tx.queries.unlabelledPairs(PAIRS_COUNTED),
  ])
  const allowed = Math.min(RESCORE.driftCount, Math.floor((active * RESCORE.driftPercent) / 100))
  const filter = pendingJudgementFilter(engine, allowed + 1)
  const waiting = unjudged + stale
  const seemsDrifting = waiting > allowed
  const isLookedAt = seemsDrifting && languageModel !== undefined
  return {
    ...(languageModel ? { model: languageModel.model } : {}),
    ...{ pending, unjudged, stale },
    unlabelledPairs: unlabelled.length,
    drift: isLookedAt ? (await tx.queries.pendingJudgements(filter)).length > allowed : seemsDrifting,
    advice: `Call dream({ rescore: true, rescoreMax: ${driftRecommendedMax(waiting)} }) at a pause, which has them judged.`,
  }
}

/** Returns the number of blocks to judge anew in one go: the waiting ones, in fifties; 20 if none waits (Python elfmem). */
export function driftRecommendedMax(waiting: number): number {
  return waiting <= 0 ? RESCORE.mostPerRun : Math.ceil(waiting / 50) * 50
}

const TROUBLE_KEY = 'llm_trouble'

/** A trouble is the reason why the model did not answer when it was last asked. */
export interface Trouble {
  readonly at: string
  readonly message: string
  readonly recovery: string
}

export async function lastTrouble(tx: ReadTransaction): Promise<Trouble | undefined> {
  const stored = await readMeta(tx, TROUBLE_KEY)
  return stored === undefined || stored === '' ? undefined : (JSON.parse(stored) as Trouble)
}

/** Notes why the model failed; without a trouble it notes that the model answers again. */
export async function noteTrouble(tx: Transaction, trouble: Trouble | undefined): Promise<void> {
  const before = await readMeta(tx, TROUBLE_KEY)
  const after = trouble === undefined ? '' : JSON.stringify(trouble)
  if ((before ?? '') !== after) await saveMeta(tx, TROUBLE_KEY, after)
}
