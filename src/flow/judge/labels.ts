import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { isNewer } from '../../domain/block/validity/validity.ts'
import {
  type BlockPair,
  CONTRADICTS,
  contradictionOf,
  type Edge,
  type Ends,
  orderedPair,
} from '../../domain/graph/edge.ts'
import { type Label, labelledEdge, type PairLabel } from '../../domain/graph/label.ts'
import { relationDefaultWeight } from '../../domain/graph/relation.ts'
import { count } from '../../domain/text/text.ts'
import { activeAmong, blocksById } from '../blocks/look-up.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { Linker, newEdge } from '../graph/linker.ts'
import { resolveIds } from '../guard/resolve-ids.ts'
import type { ModelJudge } from './model-judge.ts'

/** The host's label of two blocks, named by their ids or by unambiguous prefixes of ids. */
export interface HostLabel {
  readonly a: string
  readonly b: string
  readonly relation: Label
  /** 0..1 */
  readonly confidence: number
}

/** The number of pairs by their label. */
export type LabelCounts = Readonly<Record<PairLabel['relation'], number>>

/** Counts of 0 for every label. */
export const NO_LABELS: LabelCounts = {
  supports: 0,
  contradicts: 0,
  elaborates: 0,
  supersedes: 0,
  unrelated: 0,
  similar: 0,
}

/** Adds up counts of labels. */
export function addLabels(one: LabelCounts, other: LabelCounts): LabelCounts {
  const counts = { ...one }
  for (const [label, number] of Object.entries(other)) counts[label as keyof LabelCounts] += number
  return counts
}

/** The result of labelling pairs. */
export interface Labelled {
  readonly counts: LabelCounts
  /** Contradictions and proposed supersessions. */
  readonly conflicts: readonly BlockPair[]
  readonly pairs: readonly Ends[]
}

const NOTHING_LABELLED: Labelled = { counts: NO_LABELS, conflicts: [], pairs: [] }

/** Writes the host's labels; those that are not about two active blocks are unused. Two statements to find the blocks. */
export async function labelByHost(
  engine: Engine,
  context: CallContext,
  { labels, rank }: { readonly labels: readonly HostLabel[]; readonly rank: SourceClass },
): Promise<Labelled & { readonly unused: readonly HostLabel[] }> {
  if (labels.length === 0) return { ...NOTHING_LABELLED, unused: [] }
  const pairs: LabelledPair[] = []
  const unused: HostLabel[] = []
  await engine.store.read(async (tx) => {
    const given = labels.flatMap(({ a, b }) => [a, b])
    const { ids, byGiven } = await resolveIds(tx, given, { ambiguous: 'report' })
    const active = await activeAmong(tx, ids)
    const named = (id: string) => active.has(byGiven.get(id.trim()) ?? '') && byGiven.get(id.trim())
    for (const label of labels) {
      const [from, to] = [named(label.a), named(label.b)]
      if (from && to && from !== to) pairs.push({ from, to, label })
      else unused.push(label)
    }
  })
  const by = rank === 'user' ? 'owner' : 'host'
  return { ...(await applyLabels(engine, context, { pairs, by })), unused }
}

/** Asks the model about the pairs that wait for a label, and writes its labels; pairs without an answer go on waiting. */
export async function labelByModel(
  engine: Engine,
  context: CallContext,
  model: ModelJudge,
): Promise<Labelled> {
  const { llm } = engine.settings
  if (!llm.classifyEdges || !model.isOpen) return NOTHING_LABELLED
  const { waiting, blocks } = await engine.store.read(async (tx) => {
    const pairs = await tx.unlabelledPairs(llm.pairsPerDream)
    const ids = pairs.flatMap(({ from, to }) => [from, to])
    return { waiting: pairs, blocks: await blocksById(tx, [...new Set(ids)]) }
  })
  const keyOf = ({ from, to }: { readonly from: string; readonly to: string }) => `${from} ${to}`
  const asked = waiting.flatMap((pair) => {
    const [one, other] = [blocks.get(pair.from), blocks.get(pair.to)]
    if (!one || !other) return []
    const [newer, older] = isNewer(one, other) ? [one, other] : [other, one]
    return [{ key: keyOf(pair), older: older.content, newer: newer.content }]
  })
  const given = await model.label(asked)
  const pairs = waiting.flatMap((pair): LabelledPair[] => {
    const label = given.get(keyOf(pair))
    return label === undefined ? [] : [{ ...pair, label }]
  })
  return applyLabels(engine, context, { pairs, by: 'model' })
}

/** A pair of blocks and its label. */
interface LabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents; absent if similarity did not lead to the pair. */
  readonly cosine?: number
  readonly label: PairLabel
}

interface Labelling {
  readonly pairs: readonly LabelledPair[]
  readonly by: 'model' | 'host' | 'owner'
}

/** Labels by which both blocks hold, so that neither takes the place of the other. */
const BOTH_HOLD: ReadonlySet<PairLabel['relation']> = new Set(['supports', 'elaborates', 'unrelated'])

/**
 * Turns labels into relations of similarity edges, contradictions and supersessions to resolve, and removed edges. Eight
 * statements for all.
 */
async function applyLabels(engine: Engine, context: CallContext, labelling: Labelling): Promise<Labelled> {
  if (labelling.pairs.length === 0) return NOTHING_LABELLED
  return mutate(engine, context, (mutation) => writeLabels(engine, mutation, labelling))
}

async function writeLabels(engine: Engine, mutation: Mutation, { pairs, by }: Labelling): Promise<Labelled> {
  const { tx, log } = mutation
  const least = engine.settings.llm.labelConfidence
  const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))]
  const blocks: ReadonlyMap<string, Block> = await blocksById(tx, ids)
  const isActive = (id: string) => blocks.get(id)?.status === 'active'
  const present = pairs.filter(({ from, to }) => isActive(from) && isActive(to))
  const linker = await Linker.open(engine, mutation, ids, { heedDisconnections: true })
  const work: Work = { engine, mutation, by, linker, before: [], removed: [], conflicts: [] }
  for (const pair of present) applyLabel(work, pair)
  const { displacements } = await linker.save(tx)
  if (work.removed.length > 0) await tx.removeEdges(work.removed)
  await tx.savePairs(work.conflicts)
  const settled = present.filter(({ label }) => BOTH_HOLD.has(label.relation) && label.confidence >= least)
  await tx.resolvePairs(settled.map(endsOf), ['perhaps_newer'])
  await tx.removeUnlabelled(pairs.map(endsOf))
  const counts = { ...NO_LABELS }
  for (const { label } of present) counts[label.relation]++
  const named = Object.entries(counts).flatMap(([label, number]) =>
    number > 0 ? [`${number} ${label}`] : [],
  )
  await log({
    operation: 'label',
    blockIds: [...new Set(present.flatMap(endsOf))],
    summary: `${count(present.length, 'pair')} labelled by the ${by}: ${named.join(', ') || 'none'}`,
    before: { edges: work.before, displacements },
  })
  return { counts, conflicts: work.conflicts, pairs: pairs.map(endsOf) }
}

function endsOf({ from, to }: LabelledPair): Ends {
  return [from, to]
}

interface Work {
  readonly engine: Engine
  readonly mutation: Mutation
  readonly by: Labelling['by']
  readonly linker: Linker
  /** Edges as they were. */
  readonly before: Edge[]
  readonly removed: Ends[]
  readonly conflicts: BlockPair[]
}

/** Applies one label. Both blocks of a contradiction or supersession stay until somebody resolves it. */
function applyLabel(
  { engine, mutation: { moment }, by, linker, before, removed, conflicts }: Work,
  { from, to, cosine = 1, label: { relation, confidence } }: LabelledPair,
): void {
  const { llm, conflicts: limits } = engine.settings
  const edge = linker.between(from, to)
  if (edge?.origin === 'agent' || (relation === CONTRADICTS && cosine < limits.cosineFloor)) return
  if (edge) {
    const confidences = { least: llm.labelConfidence, removes: llm.unrelatedConfidence }
    const after = labelledEdge(edge, { relation, confidence }, confidences)
    if (after.kind !== 'keep') before.push(edge)
    if (after.kind === 'remove') removed.push([edge.from, edge.to])
    if (after.kind === 'replace') linker.replace(after.edge)
  }
  if (confidence < llm.labelConfidence) return
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
