import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { isNewer } from '../../domain/block/standing.ts'
import { type BlockPair, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { PairLabel } from '../../domain/graph/label.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { highestFor } from '../guard/claimed-class.ts'
import { applyLabels, type LabelledPair } from '../judge/apply-labels.ts'
import type { Evolved } from '../judge/evolve.ts'
import type { Analysis, HostAnalysis } from '../judge/host-analysis.ts'
import { findLabelled, type HostLabel } from '../judge/host-labels.ts'
import type { OpenedJudge } from '../judge/open-judge.ts'
import type { GivenLabel, TextPair } from '../judge/pair-labels.ts'
import { rejudge } from '../judge/rejudge.ts'
import type { Analyses } from './batches.ts'

/** Analyses by the host agent, by block id. */
export type HostAnalyses = Readonly<Record<string, HostAnalysis>>

/** What the host brings, and the most trusted class that it may claim. */
interface Hosted {
  readonly analyses: HostAnalyses
  readonly rank: SourceClass
}

/** Returns what the caller of a dream brings as its host. */
export function hostedBy(engine: Engine, context: CallContext, analyses: HostAnalyses): Hosted {
  return { analyses, rank: highestFor(engine, context) }
}

/**
 * Returns the analyses of blocks: the host's where it gave one, the model's otherwise.
 *
 * @param opened the model; `later` if it is there and only a later dream asks it
 */
export async function analyse(
  blocks: readonly Block[],
  { analyses: host, rank }: Hosted,
  opened: OpenedJudge | 'later' | undefined,
): Promise<Analyses> {
  const found = new Map<string, Analysis>()
  for (const { id } of blocks) {
    const given = host[id]
    if (given) found.set(id, { ...given, by: 'host', rank })
  }
  if (opened === undefined) return { found, judgementPending: new Set() }
  const others = blocks.filter(({ id }) => !found.has(id))
  const judged = opened === 'later' ? [] : await opened.analyse(others)
  for (const [id, analysis] of judged) found.set(id, { ...analysis, by: 'model' })
  return { found, judgementPending: new Set(others.flatMap(({ id }) => (found.has(id) ? [] : [id]))) }
}

export interface Rescored {
  readonly blockIds: readonly string[]
  /** Blocks that were to be judged and were not. */
  readonly failed: number
  readonly refusedTags: readonly string[]
  /** Which of the host's analyses were about them. */
  readonly hosted: readonly string[]
}

export const NOTHING_RESCORED: Rescored = { blockIds: [], failed: 0, refusedTags: [], hosted: [] }

/** The blocks to be judged anew, and the host's analyses. */
export interface RescoreRequest {
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
): Promise<Rescored> {
  const { rescore: settings } = engine.settings
  const judgedBefore = new Date(engine.clock.now() - settings.minAgeHours * 3_600_000).toISOString()
  const { due, hosted } = await engine.store.read(async (tx) => ({
    hosted: (await tx.blocks(Object.keys(request.host))).filter(({ status }) => status === 'active'),
    due:
      opened === undefined || !settings.enabled
        ? []
        : await tx.pendingJudgements({
            pendingOnly: request.pendingOnly,
            judgedBefore,
            excludeCategories: settings.excludeCategories,
            excludeTags: settings.excludeTags,
            limit: request.limit,
          }),
  }))
  const byId = new Map([...hosted, ...due].map((block) => [block.id, block]))
  const blocks = [...byId.values()]
  if (blocks.length === 0) return NOTHING_RESCORED
  const { found, judgementPending } = await analyse(blocks, hostedBy(engine, context, request.host), opened)
  const { blockIds, refusedTags } = await rejudge(engine, context, { blocks, analyses: found })
  return { blockIds, refusedTags, failed: judgementPending.size, hosted: hosted.map(({ id }) => id) }
}

export interface Labelled {
  readonly counts: Readonly<Record<PairLabel['relation'], number>>
  readonly contradictions: readonly BlockPair[]
  readonly evolved: readonly Evolved[]
}

export const NOTHING_LABELLED: Labelled = {
  counts: { supports: 0, contradicts: 0, elaborates: 0, unrelated: 0, similar: 0 },
  contradictions: [],
  evolved: [],
}

/** The result of applying the host's labels. */
export interface HostLabelled extends Labelled {
  /** The pairs that have a label now. */
  readonly pairs: readonly Ends[]
  /** Labels that were not about two active blocks. */
  readonly unused: readonly HostLabel[]
}

/** Writes down what the host said of pairs. */
export async function labelByHost(
  engine: Engine,
  context: CallContext,
  labels: readonly HostLabel[],
): Promise<HostLabelled> {
  if (labels.length === 0) return { ...NOTHING_LABELLED, pairs: [], unused: [] }
  const { pairs, unused } = await engine.store.read((tx) => findLabelled(tx, labels))
  if (pairs.length === 0) return { ...NOTHING_LABELLED, pairs: [], unused }
  const work = (mutation: Mutation) => applyLabels(engine, mutation, { pairs, by: 'host' })
  const done = await mutate(engine, context, work)
  return { ...done, pairs: pairs.map(({ from, to }) => orderedPair(from, to)), unused }
}

/** Asks the model how the pairs that wait for a label relate, and writes down what it says. Pairs it gave no answer for go on waiting. */
export async function labelByModel(
  engine: Engine,
  context: CallContext,
  { judge, label }: OpenedJudge,
): Promise<Labelled> {
  const { llm } = engine.settings
  if (!llm.classifyEdges || !judge.isOpen) return NOTHING_LABELLED
  const { waiting, blocks } = await engine.store.read(async (tx) => {
    const pairs = await tx.unlabelledPairs(llm.pairsPerDream)
    const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))]
    return { waiting: pairs, blocks: new Map((await tx.blocks(ids)).map((block) => [block.id, block])) }
  })
  if (waiting.length === 0) return NOTHING_LABELLED
  const given = await label(textsOf(waiting, blocks))
  const pairs = waiting.flatMap((pair): LabelledPair[] => {
    const said: GivenLabel | undefined = given.get(keyOf(pair))
    return said === undefined ? [] : [{ ...pair, label: said }]
  })
  if (pairs.length === 0) return NOTHING_LABELLED
  const work = (mutation: Mutation) => applyLabels(engine, mutation, { pairs, by: 'model' })
  return mutate(engine, context, work)
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
