import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { isNewer } from '../../domain/block/validity/validity.ts'
import { setTags } from '../../domain/score/formulas.ts'
import { count } from '../../domain/text/text.ts'
import type { UnlabelledPair } from '../../ports/store/queries.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { activeAmong } from '../blocks/look-up.ts'
import { reindex } from '../blocks/reindex.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { highestFor } from '../guard/caller.ts'
import { resolveIds } from '../guard/check-input.ts'
import { applyLabels, type HostLabel, type LabelCounts, type LabelledPair } from '../judge/apply-labels.ts'
import { type Analysis, applyAnalysis, type HostAnalysis, mayJudge } from '../judge/host-analysis.ts'
import { JUDGING } from '../judge/judge.ts'
import type { OpenedJudge } from '../judge/open-judge.ts'
import type { TextPair } from '../judge/pair-labels.ts'
import { RESCORE } from '../judge/pending-judgements.ts'
import type { Analyses } from './batches.ts'
import type { DreamResult } from './dream-result.ts'

/** Analyses by the host agent, by block id. */
type HostAnalyses = Readonly<Record<string, HostAnalysis>>

/** The judgements of the host, and the most trusted class that it may claim. */
interface Hosted {
  readonly analyses: HostAnalyses
  readonly rank: SourceClass
}

/** Returns what the caller of a dream brings as its host. */
export function hostedBy(engine: Engine, context: CallContext, analyses: HostAnalyses): Hosted {
  return { analyses, rank: highestFor(engine, context) }
}

/**
 * Returns the analyses of blocks: the host's where it gave one, the model's otherwise, and where the host may not judge.
 *
 * @param opened the model; `later` if it is there and only a later dream asks it
 */
export async function analyse(
  blocks: readonly Block[],
  { analyses: host, rank }: Hosted,
  opened: OpenedJudge | 'later' | undefined,
): Promise<Analyses> {
  const found = new Map<string, Analysis>()
  for (const block of blocks) {
    const given = host[block.id]
    const analysis = given && ({ ...given, by: 'host', rank } as const)
    if (analysis && (opened === undefined || mayJudge(block, analysis))) found.set(block.id, analysis)
  }
  if (opened === undefined) return { found, judgementPending: new Set() }
  const others = blocks.filter(({ id }) => !found.has(id))
  const judged = opened === 'later' ? [] : await opened.analyse(others)
  for (const [id, analysis] of judged) found.set(id, { ...analysis, by: 'model' })
  return { found, judgementPending: new Set(others.flatMap(({ id }) => (found.has(id) ? [] : [id]))) }
}

/** The blocks to be judged anew, and the host's analyses. */
interface RescoreRequest {
  /** True if only judgements that are pending from an earlier dream are made. */
  readonly pendingOnly: boolean
  readonly limit: number
  readonly host: HostAnalyses
}

/** Judges active blocks anew: those pending first, then those never judged, then the stalest; and those the host judged. */
export async function rescore(
  engine: Engine,
  context: CallContext,
  { request, opened }: { readonly request: RescoreRequest; readonly opened: OpenedJudge | undefined },
  result: DreamResult,
): Promise<void> {
  const judgedBefore = new Date(engine.clock.now() - RESCORE.restHours * 3_600_000).toISOString()
  const { due, hosted } = await engine.store.read(async (tx) => ({
    hosted: (await tx.blocks(Object.keys(request.host))).filter(({ status }) => status === 'active'),
    due:
      opened === undefined
        ? []
        : await tx.pendingJudgements({
            pendingOnly: request.pendingOnly,
            judgedBefore,
            excludeCategories: RESCORE.excludeCategories,
            excludeTags: RESCORE.excludeTags,
            limit: request.limit,
          }),
  }))
  const host = hostedBy(engine, context, request.host)
  const used = hosted.filter((block) => mayJudge(block, { by: 'host', rank: host.rank }))
  const given = opened === undefined ? hosted : used
  const blocks = [...new Map([...given, ...due].map((block) => [block.id, block])).values()]
  if (blocks.length === 0) return
  const { found, judgementPending } = await analyse(blocks, host, opened)
  const judged = blocks.filter(({ id }) => found.has(id))
  const rescored: string[] = []
  for (let at = 0; at < judged.length; at += BATCH) {
    const batch = { batch: judged.slice(at, at + BATCH), analyses: found, result }
    rescored.push(...(await mutate(engine, context, (mutation) => rejudge(engine, mutation, batch))))
  }
  result.rescored = rescored
  result.rescoreFailed = judgementPending.size
  result.pendingJudgement = result.pendingJudgement.filter((id) => !rescored.includes(id))
  for (const { id } of used) result.analysesUsed.add(id)
}

/** Blocks judged anew in one transaction. */
const BATCH = 50

interface Rejudging {
  readonly batch: readonly Block[]
  readonly analyses: ReadonlyMap<string, Analysis>
  readonly result: DreamResult
}

/**
 * Writes new judgements of active blocks: alignment, summary and the identity tags an analysis may grant. Evidence from
 * outcomes is left alone (W52). Whoever was changed or archived since it was read stays as it is. Returns the ids of the
 * blocks judged; a few statements for 50.
 */
async function rejudge(
  { settings, analysis: words }: Engine,
  { tx, moment, log }: Mutation,
  { batch, analyses, result }: Rejudging,
): Promise<readonly string[]> {
  const read = new Map(batch.map((block) => [block.id, block]))
  const now = await tx.blocks([...read.keys()])
  const same = now.filter(
    ({ id, status, content }) => status === 'active' && content === read.get(id)?.content,
  )
  const judged = same.map((before) => {
    const analysis = analyses.get(before.id) as Analysis
    const { block, refusedTags } = applyAnalysis(before, analysis, moment.at)
    const after = setTags({ ...block, tags: before.tags }, { tags: block.tags }, settings.decay)
    return { before, after, refusedTags, isJudged: mayJudge(before, analysis) }
  })
  if (judged.length === 0) return []
  await tx.saveBlocks(judged.map(({ after }) => after))
  await reindex(
    tx,
    judged.flatMap(({ before, after }) => (before.summary === after.summary ? [] : [after])),
    words,
  )
  const blockIds = judged.filter(({ isJudged }) => isJudged).map(({ after }) => after.id)
  await log({
    operation: 'rescore',
    blockIds: judged.map(({ after }) => after.id),
    summary: `${count(blockIds.length, 'block')} judged anew`,
    before: judged.map(({ before: { id, alignment, summary, tags } }) => ({ id, alignment, summary, tags })),
  })
  for (const tag of judged.flatMap(({ refusedTags }) => refusedTags)) result.tagsRefused.add(tag)
  return blockIds
}

/** Notes what the host said that the blocks it judged rest on; ids of no block are reported. A read and a write, if it said any. */
export async function groundsByHost(
  engine: Engine,
  context: CallContext,
  analyses: HostAnalyses,
  result: DreamResult,
): Promise<void> {
  const said = Object.entries(analyses).flatMap(([id, { derivedFrom = [] }]) =>
    result.analysesUsed.has(id) ? derivedFrom.map((given) => ({ id, given: given.trim() })) : [],
  )
  if (said.length === 0) return
  await mutate(engine, context, async ({ tx, moment, log }) => {
    const { byGiven } = await resolveIds(
      tx,
      said.map(({ given }) => given),
      { ambiguous: 'report' },
    )
    const grounds = said.flatMap(({ id: blockId, given }) => {
      const ground = byGiven.get(given)
      return ground === undefined || ground === blockId
        ? []
        : [{ blockId, ground, foundBy: 'host' as const, createdAt: moment.at }]
    })
    result.groundsUnused = said.map(({ given }) => given).filter((given) => !byGiven.has(given))
    await tx.saveGrounds(grounds)
    const blockIds = [...new Set(grounds.map(({ blockId }) => blockId))]
    await log({ operation: 'judge', blockIds, summary: `what ${count(blockIds.length, 'block')} rests on` })
  })
}

/** Writes down what the host said of pairs. */
export async function labelByHost(
  engine: Engine,
  context: CallContext,
  labels: readonly HostLabel[],
  result: DreamResult,
): Promise<void> {
  if (labels.length === 0) return
  const { pairs, unused } = await engine.store.read((tx) => findLabelled(tx, labels))
  result.labelsUnused = unused
  await apply(engine, context, { pairs, by: 'host', result })
  result.labelled(pairs)
}

/** Which blocks labels are about. Two statements for all. */
async function findLabelled(
  tx: StoreReader,
  labels: readonly HostLabel[],
): Promise<{ readonly pairs: readonly LabelledPair[]; readonly unused: readonly HostLabel[] }> {
  const given = labels.flatMap(({ a, b }) => [a, b])
  const { ids, byGiven } = await resolveIds(tx, given, { ambiguous: 'report' })
  const active = await activeAmong(tx, ids)
  const pairs: LabelledPair[] = []
  const unused: HostLabel[] = []
  for (const label of labels) {
    const [from, to] = [byGiven.get(label.a.trim()), byGiven.get(label.b.trim())]
    const usable = from !== undefined && to !== undefined && from !== to && active.has(from) && active.has(to)
    if (usable) pairs.push({ from, to, label })
    else unused.push(label)
  }
  return { pairs, unused }
}

/** Asks the model how the pairs that wait for a label relate, and writes down what it says. Pairs it gave no answer for go on waiting. */
export async function labelByModel(
  engine: Engine,
  context: CallContext,
  { judge, label }: OpenedJudge,
  result: DreamResult,
): Promise<void> {
  if (!judge.isOpen) return
  const { waiting, blocks } = await engine.store.read(async (tx) => {
    const pairs = await tx.unlabelledPairs(JUDGING.pairsPerDream)
    const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))]
    return { waiting: pairs, blocks: new Map((await tx.blocks(ids)).map((block) => [block.id, block])) }
  })
  if (waiting.length === 0) return
  const given = await label(textsOf(waiting, blocks))
  const pairs = waiting.flatMap((pair): LabelledPair[] => {
    const said = given.get(keyOf(pair))
    return said === undefined ? [] : [{ ...pair, label: said }]
  })
  await apply(engine, context, { pairs, by: 'model', result })
}

interface Labelling {
  readonly pairs: readonly LabelledPair[]
  readonly by: 'model' | 'host'
  readonly result: DreamResult
}

async function apply(engine: Engine, context: CallContext, { pairs, by, result }: Labelling): Promise<void> {
  if (pairs.length === 0) return
  const said = { pairs, by, ...(by === 'host' && { rank: highestFor(engine, context) }) }
  const done = await mutate(engine, context, (mutation) => applyLabels(engine, mutation, said))
  result.labels = sum(result.labels, done.counts)
  result.conflicts.push(...done.conflicts)
}

function sum(one: LabelCounts, other: LabelCounts): LabelCounts {
  return {
    supports: one.supports + other.supports,
    contradicts: one.contradicts + other.contradicts,
    elaborates: one.elaborates + other.elaborates,
    supersedes: one.supersedes + other.supersedes,
    unrelated: one.unrelated + other.unrelated,
    similar: one.similar + other.similar,
  }
}

function textsOf(pairs: readonly UnlabelledPair[], blocks: ReadonlyMap<string, Block>): TextPair[] {
  return pairs.flatMap((pair) => {
    const [one, other] = [blocks.get(pair.from), blocks.get(pair.to)]
    if (!one || !other) return []
    const [newer, older] = isNewer(one, other) ? [one, other] : [other, one]
    return [{ key: keyOf(pair), first: older.content, second: newer.content }]
  })
}

function keyOf({ from, to }: Pick<UnlabelledPair, 'from' | 'to'>): string {
  return `${from} ${to}`
}
