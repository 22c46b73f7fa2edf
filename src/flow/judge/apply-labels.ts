import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { isIdentityTag, isProtectedTag, normaliseTags, tagNamespace } from '../../domain/block/tags.ts'
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
import { stripInvisible } from '../../domain/safety/visible.ts'
import { codePointLength, count, defined, splitWhitespace } from '../../domain/text/text.ts'
import { reindex } from '../blocks/reindex.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { Linker, newEdge } from '../graph/linker.ts'
import type { Enrichment, GivenLabel } from './pair-labels.ts'

/** A pair of active blocks and what was said of it. */
export interface LabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents; undefined when whoever labelled the pair did not come by similarity. */
  readonly cosine?: number
  readonly label: GivenLabel
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
  readonly enrichment?: Enrichment
}

/** The tags and the cue an older block gained. */
export interface Evolved {
  readonly blockId: string
  readonly tags: readonly string[]
  readonly cue?: string
}

interface LabelOutcome {
  readonly counts: LabelCounts
  /** Contradictions and proposed supersessions. */
  readonly conflicts: readonly BlockPair[]
  readonly evolved: readonly Evolved[]
}

interface Labelling {
  readonly pairs: readonly LabelledPair[]
  readonly by: 'model' | 'host'
  /** The most trusted class that the host's caller may claim. */
  readonly rank?: SourceClass
}

/**
 * Makes of labels what they are worth: relations of edges that similarity made, contradictions and supersessions with a pair to resolve,
 * edges that go, and, when memories may evolve, tags and a cue for the older block. Eight statements for all, and three more
 * when something evolves.
 */
export async function applyLabels(
  engine: Engine,
  mutation: Mutation,
  { pairs, by, rank = 'user' }: Labelling,
): Promise<LabelOutcome> {
  const { tx, log } = mutation
  const { labelConfidence } = engine.settings.llm
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
  const evolved = await evolve(engine, mutation, { pairs: present, blocks, by, rank })
  return { counts, conflicts: work.conflicts, evolved }
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
  const { llm, conflicts } = work.engine.settings
  const edge = work.linker.between(from, to)
  const tooFar = label.relation === CONTRADICTS && (cosine ?? 1) < conflicts.cosineFloor
  if (tooFar || edge?.origin === 'agent') return
  if (edge) change(work, edge, label)
  if (label.relation === CONTRADICTS && label.confidence >= llm.labelConfidence)
    contradict(work, [from, to], label)
  if (label.relation === 'supersedes' && label.confidence >= llm.labelConfidence)
    supersede(work, [from, to], label)
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

/** Tags one block may gain at once. */
const TAGS_MAX = 3
/** Longest cue that is taken, in code points. */
const CUE_MAX = 200

interface Evolving extends Required<Labelling> {
  readonly blocks: ReadonlyMap<string, Block>
}

/**
 * Lets new blocks enrich the older ones they are related to: tags the new one was filed under, and a cue where there is
 * none. Contents never change, identity, protected and more trusted blocks neither, nor what is trusted more than the host's
 * caller, and the words of others enrich nothing. What was before is in the log. A model's proposals count only with `llm.evolve`.
 */
async function evolve(
  engine: Engine,
  { tx, log }: Pick<Mutation, 'tx' | 'log'>,
  { pairs, blocks, by, rank }: Evolving,
): Promise<Evolved[]> {
  const { settings, analysis } = engine
  if (by === 'model' && !settings.llm.evolve) return []
  const changed = new Map<string, { readonly before: Block; readonly after: Block }>()
  for (const { from, to, label } of pairs) {
    const [one, other] = [blocks.get(from), blocks.get(to)]
    if (label.enrichment === undefined || label.relation === 'unrelated' || !one || !other) continue
    const ends = [one, other] as const
    const [newer, older] = isNewer(...ends) ? ends : [ends[1], ends[0]]
    if (isLessTrusted(rank, older.sourceClass)) continue
    const known = changed.get(older.id)
    const after = enriched(engine, { newer, older: known?.after ?? older }, label.enrichment)
    if (after) changed.set(older.id, { before: known?.before ?? older, after })
  }
  const all = [...changed.values()]
  if (all.length === 0) return []
  await tx.saveBlocks(all.map(({ after }) => after))
  await reindex(
    tx,
    all.flatMap(({ before, after }) => (before.cue === after.cue ? [] : [after])),
    analysis,
  )
  await log({
    operation: 'evolve',
    blockIds: all.map(({ after }) => after.id),
    summary: `${count(all.length, 'older block')} gained tags or a cue, as the ${by} proposed`,
    before: all.map(({ before: { id, tags, cue } }) => ({ id, tags, cue })),
  })
  return all.map(({ before, after }) => gained(before, after))
}

function enriched(
  { settings }: Engine,
  { newer, older }: { readonly newer: Block; readonly older: Block },
  { tags, cue }: Enrichment,
): Block | undefined {
  const isIdentity = older.tags.some((tag) => isIdentityTag(tag) || isProtectedTag(tag))
  if (isIdentity || !isOwn(newer) || newer.scope !== older.scope) return undefined
  if (isLessTrusted(newer.sourceClass, older.sourceClass)) return undefined
  const asked = new Set(tags.map((tag) => splitWhitespace(tag).join(' ').toLowerCase()))
  const fresh = newer.tags.filter(
    (tag) => asked.has(tag) && tagNamespace(tag) === undefined && !older.tags.includes(tag),
  )
  const room = Math.max(0, settings.memory.maxTags - older.tags.length)
  const added = fresh.slice(0, Math.min(TAGS_MAX, room))
  const line = older.cue === undefined ? lineOf(cue) : undefined
  if (added.length === 0 && line === undefined) return undefined
  return {
    ...older,
    tags: normaliseTags([...older.tags, ...added]),
    ...defined({ cue: line }),
  }
}

/** A cue is one visible line. */
function lineOf(cue: string | undefined): string | undefined {
  const line = splitWhitespace(stripInvisible(cue ?? '').text).join(' ')
  return line === '' || codePointLength(line) > CUE_MAX ? undefined : line
}

function gained(before: Block, after: Block): Evolved {
  return {
    blockId: after.id,
    tags: after.tags.filter((tag) => !before.tags.includes(tag)),
    ...defined({ cue: before.cue === after.cue ? undefined : after.cue }),
  }
}
