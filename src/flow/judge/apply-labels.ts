import type { SourceClass } from '../../domain/block/source-class.ts'
import { CONFLICT_COSINE } from '../../domain/conflict/contradiction.ts'
import {
  type BlockPair,
  CONTRADICTS,
  contradictionOf,
  type Edge,
  type Ends,
  newEdge,
  orderedPair,
  relationDefaultWeight,
} from '../../domain/graph/edge.ts'
import { type Label, labelledEdge, type PairLabel } from '../../domain/graph/label.ts'
import { count } from '../../domain/text/text.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { Linker } from '../graph/linker.ts'
import { JUDGING } from './judge.ts'

/** A pair of active blocks and what was said of it. */
export interface LabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents; undefined when whoever labelled the pair did not come by similarity. */
  readonly cosine?: number
  readonly label: PairLabel
}

/** The number of pairs by the label that they were given. */
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

/** A label by the host for two blocks, named by their ids or unambiguous prefixes of them. */
export interface HostLabel {
  readonly a: string
  readonly b: string
  readonly relation: Label
  /** 0..1 */
  readonly confidence: number
}

interface LabelOutcome {
  readonly counts: LabelCounts
  /** Contradictions and proposed supersessions. */
  readonly conflicts: readonly BlockPair[]
}

interface Labelling {
  readonly pairs: readonly LabelledPair[]
  readonly by: 'model' | 'host'
  /** The most trusted class that the host's caller may claim. */
  readonly rank?: SourceClass
}

/**
 * Makes of labels what they are worth: relations of edges that similarity made, contradictions and supersessions with a pair to resolve,
 * and edges that go. Eight statements for all.
 */
export async function applyLabels(
  engine: Engine,
  mutation: Mutation,
  { pairs, by, rank = 'user' }: Labelling,
): Promise<LabelOutcome> {
  const { tx, log } = mutation
  const { labelConfidence } = JUDGING
  const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))]
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  const present = pairs.filter((pair) =>
    [pair.from, pair.to].every((id) => blocks.get(id)?.status === 'active'),
  )
  const linker = await Linker.open(engine, mutation, ids, { heedDisconnections: true })
  const work: Work = {
    engine,
    mutation,
    by: by === 'host' && rank === 'user' ? 'owner' : by,
    linker,
    before: [],
    removed: [],
    conflicts: [],
  }
  for (const pair of present) apply(work, pair)
  const { displacements } = await linker.save(tx)
  if (work.removed.length > 0) await tx.removeEdges(work.removed)
  await tx.savePairs(work.conflicts)
  await tx.resolvePairs(
    present
      .filter(({ label }) => BOTH_HOLD.has(label.relation) && label.confidence >= labelConfidence)
      .map(({ from, to }): Ends => [from, to]),
    ['perhaps_newer'],
  )
  await tx.removeUnlabelled(pairs.map(({ from, to }): Ends => [from, to]))
  const counts = countsOf(present)
  await log({
    operation: 'label',
    blockIds: [...new Set(present.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(present.length, 'pair')} labelled by the ${by}: ${inWords(counts)}`,
    before: { edges: work.before, displacements },
  })
  return { counts, conflicts: work.conflicts }
}

interface Work {
  readonly engine: Engine
  readonly mutation: Mutation
  readonly by: 'model' | 'host' | 'owner'
  readonly linker: Linker
  /** Edges as they were. */
  readonly before: Edge[]
  readonly removed: Ends[]
  readonly conflicts: BlockPair[]
}

function apply(work: Work, { from, to, cosine, label }: LabelledPair): void {
  const edge = work.linker.between(from, to)
  const tooFar = label.relation === CONTRADICTS && (cosine ?? 1) < CONFLICT_COSINE
  if (tooFar || edge?.origin === 'agent') return
  if (edge) change(work, edge, label)
  if (label.relation === CONTRADICTS && label.confidence >= JUDGING.labelConfidence)
    contradict(work, [from, to], label)
  if (label.relation === 'supersedes' && label.confidence >= JUDGING.labelConfidence)
    supersede(work, [from, to], label)
}

function change({ linker, before, removed }: Work, edge: Edge, label: PairLabel): void {
  const { labelConfidence: least, unrelatedConfidence: removes } = JUDGING
  const after = labelledEdge(edge, label, { least, removes })
  if (after.kind === 'keep') return
  before.push(edge)
  if (after.kind === 'remove') removed.push([edge.from, edge.to])
  else linker.replace(after.edge)
}

/** Both blocks stay until somebody resolves; the edge is made where the degree cap allows it. */
function contradict(
  { mutation: { moment }, linker, by, conflicts }: Work,
  ends: Ends,
  { confidence }: PairLabel,
): void {
  const made = {
    relation: CONTRADICTS,
    origin: 'llm_inferred',
    weight: relationDefaultWeight(CONTRADICTS),
  } as const
  const edge = newEdge(orderedPair(...ends), made, moment)
  if (linker.between(...ends) === undefined) linker.add(edge)
  conflicts.push({ ...contradictionOf(edge, by), score: confidence })
}

/** The newer is to take the place of the older: both stay until somebody resolves, and recall shows the newer meanwhile. */
function supersede(
  { mutation: { moment }, by, conflicts }: Work,
  ends: Ends,
  { confidence }: PairLabel,
): void {
  const [a, b] = orderedPair(...ends)
  const found = { kind: 'supersession', score: confidence, foundBy: by } as const
  conflicts.push({ a, b, ...found, resolved: false, createdAt: moment.at })
}

/** Labels by which both blocks hold, which ends a guess that one is newer. */
const BOTH_HOLD: ReadonlySet<PairLabel['relation']> = new Set(['supports', 'elaborates', 'unrelated'])

function countsOf(pairs: readonly LabelledPair[]): LabelCounts {
  const counts = { ...NO_LABELS }
  for (const { label } of pairs) counts[label.relation]++
  return counts
}

function inWords(counts: LabelCounts): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0)
  return named.map(([relation, count]) => `${count} ${relation}`).join(', ') || 'none'
}
