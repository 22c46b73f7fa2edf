import {
  type BlockPair,
  contradictionOf,
  type Edge,
  type Ends,
  orderedPair,
} from '../../domain/graph/edge.ts'
import { CONTRADICTS } from '../../domain/graph/expansion.ts'
import { labelledEdge, type PairLabel } from '../../domain/graph/label.ts'
import { relationDefaultWeight } from '../../domain/graph/relation.ts'
import { count } from '../../domain/text/count.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { Linker } from '../graph/linker.ts'
import { type Evolved, evolve } from './evolve.ts'
import type { GivenLabel } from './pair-labels.ts'

/** A pair of active blocks and what was said of it. */
export interface LabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents; undefined when whoever labelled the pair did not come by similarity. */
  readonly cosine?: number
  readonly label: GivenLabel
}

export type LabelCounts = Readonly<Record<PairLabel['relation'], number>>

export interface LabelOutcome {
  readonly counts: LabelCounts
  readonly contradictions: readonly BlockPair[]
  readonly evolved: readonly Evolved[]
}

/**
 * Makes of labels what they are worth: relations of edges that similarity made, contradictions with a pair to resolve,
 * edges that go, and, when memories may evolve, tags and a cue for the older block. Six statements for all, and three more
 * when something evolves.
 */
export async function applyLabels(
  engine: Engine,
  mutation: Mutation,
  { pairs, by }: { readonly pairs: readonly LabelledPair[]; readonly by: 'model' | 'host' },
): Promise<LabelOutcome> {
  const { tx, log } = mutation
  const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))]
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  const present = pairs.filter((pair) =>
    [pair.from, pair.to].every((id) => blocks.get(id)?.status === 'active'),
  )
  const linker = await Linker.open(engine, mutation, ids, { heedDisconnections: true })
  const work: Work = { engine, mutation, by, linker, before: [], removed: [], contradictions: [] }
  for (const pair of present) apply(work, pair)
  const { displacements } = await linker.save(tx)
  if (work.removed.length > 0) await tx.removeEdges(work.removed)
  await tx.savePairs(work.contradictions)
  await tx.removeUnlabelled(pairs.map(({ from, to }): Ends => [from, to]))
  const counts = countsOf(present)
  await log({
    operation: 'label',
    blockIds: [...new Set(present.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(present.length, 'pair')} labelled by the ${by}: ${inWords(counts)}`,
    before: { edges: work.before, displacements },
  })
  const evolved = await evolve(engine, mutation, { pairs: present, blocks, by })
  return { counts, contradictions: work.contradictions, evolved }
}

interface Work {
  readonly engine: Engine
  readonly mutation: Mutation
  readonly by: 'model' | 'host'
  readonly linker: Linker
  /** Edges as they were. */
  readonly before: Edge[]
  readonly removed: Ends[]
  readonly contradictions: BlockPair[]
}

function apply(work: Work, { from, to, cosine, label }: LabelledPair): void {
  const { llm, conflicts } = work.engine.settings
  const edge = work.linker.between(from, to)
  const tooFar = label.relation === CONTRADICTS && (cosine ?? 1) < conflicts.cosineFloor
  if (tooFar || edge?.origin === 'agent') return
  if (edge) change(work, edge, label)
  if (label.relation === CONTRADICTS && label.confidence >= llm.labelConfidence)
    contradict(work, [from, to], label)
}

function change({ engine, linker, before, removed }: Work, edge: Edge, label: PairLabel): void {
  const { labelConfidence: least, unrelatedConfidence: removes } = engine.settings.llm
  const after = labelledEdge(edge, label, { least, removes })
  if (after.kind === 'keep') return
  before.push(edge)
  if (after.kind === 'remove') removed.push([edge.from, edge.to])
  else linker.replace(after.edge)
}

/** Both blocks stay until somebody resolves; the edge is made where the degree cap allows it. */
function contradict(
  { mutation: { moment }, linker, by, contradictions }: Work,
  ends: Ends,
  { confidence }: PairLabel,
): void {
  const [from, to] = orderedPair(...ends)
  const edge: Edge = {
    from,
    to,
    relation: CONTRADICTS,
    origin: 'llm_inferred',
    weight: relationDefaultWeight(CONTRADICTS),
    reinforcementCount: 0,
    lastActiveAt: moment.hours,
    createdAt: moment.at,
  }
  if (linker.between(from, to) === undefined) linker.add(edge)
  contradictions.push({ ...contradictionOf(edge, by), score: confidence })
}

function countsOf(pairs: readonly LabelledPair[]): LabelCounts {
  const counts = { supports: 0, contradicts: 0, elaborates: 0, unrelated: 0, similar: 0 }
  for (const { label } of pairs) counts[label.relation]++
  return counts
}

function inWords(counts: LabelCounts): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0)
  return named.map(([relation, count]) => `${count} ${relation}`).join(', ') || 'none'
}
