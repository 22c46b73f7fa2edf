import type { Block, BlockIndex } from '../../src/domain/block/block.ts'
import {
  type BlockPair,
  type Disconnection,
  type Edge,
  type Ends,
  orderedPair,
  type PendingConnection,
} from '../../src/domain/graph/edge.ts'
import { effectiveEdgeWeight } from '../../src/domain/graph/edge-weight.ts'
import type { UnlabelledPair } from '../../src/ports/store/judging.ts'
import type {
  ArchivedEdges,
  ClockReading,
  OperationRecord,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
} from '../../src/ports/store/transaction.ts'

/** A block with its place in the store. */
export interface StoredBlock {
  readonly block: Block
  readonly index?: BlockIndex
  /** Its place among all blocks, from 1. */
  readonly arrival: number
  /** The number of its last change that mattered to finding; 0 when it was never active. */
  readonly sequence: number
  /** The number its index changed with last, or the block became active with. */
  readonly indexSequence: number
}

/** A session and the view it was begun in. */
interface StoredSession {
  readonly session: SessionRecord
  readonly scope?: string
}

/** A pair used together that is no edge yet. */
interface StagedPair {
  readonly from: string
  readonly to: string
  readonly sessions: readonly string[]
}

/** The parts of a state that can be taken back. */
export type UndoableState = Pick<
  State,
  | 'blocks'
  | 'edges'
  | 'pairs'
  | 'staged'
  | 'pending'
  | 'disconnections'
  | 'unlabelled'
  | 'outcomes'
  | 'queued'
  | 'tombstones'
>

/** What a write keeps of a state; `learned` is of `meta` what can be taken back. */
export type KeptState = UndoableState & { readonly learned: ReadonlyMap<string, string> }

/** The state before a write and after it; its values are shared with every other state. */
export interface KeptChanges {
  /** The write's first log entry. */
  readonly first: number
  readonly before: KeptState
  readonly after: KeptState
}

/** All a memory holds. Its values are never changed in place, so a copy of the maps is a copy of the state. */
export interface State {
  readonly blocks: Map<string, StoredBlock>
  readonly edges: Map<string, Edge>
  readonly pairs: Map<string, BlockPair>
  /** In the order in which the pairs came. */
  readonly staged: Map<string, StagedPair>
  /** In the order of the requests. */
  readonly pending: Map<string, PendingConnection>
  readonly disconnections: Map<string, Disconnection>
  /** In the order in which the pairs came. */
  readonly unlabelled: Map<string, UnlabelledPair>
  readonly outcomes: OutcomeRecord[]
  readonly queued: QueuedOutcome[]
  readonly tombstones: Map<string, ArchivedEdges>
  readonly sessions: Map<string, StoredSession>
  readonly operations: OperationRecord[]
  /** What undoable writes changed, under the last entry each logged. */
  readonly kept: Map<number, KeptChanges>
  readonly meta: Map<string, string>
  /** The shadow set of vectors by block; `meta` says whether there is one. */
  readonly spare: Map<string, Float32Array>
}

export function emptyState(): State {
  return {
    blocks: new Map(),
    edges: new Map(),
    pairs: new Map(),
    staged: new Map(),
    pending: new Map(),
    disconnections: new Map(),
    unlabelled: new Map(),
    outcomes: [],
    queued: [],
    tombstones: new Map(),
    sessions: new Map(),
    operations: [],
    kept: new Map(),
    meta: new Map(),
    spare: new Map(),
  }
}

/** A copy a transaction may change without anybody seeing it; costs a walk over everything. */
export function copyState(state: State): State {
  return {
    blocks: new Map(state.blocks),
    edges: new Map(state.edges),
    pairs: new Map(state.pairs),
    staged: new Map(state.staged),
    pending: new Map(state.pending),
    disconnections: new Map(state.disconnections),
    unlabelled: new Map(state.unlabelled),
    outcomes: [...state.outcomes],
    queued: [...state.queued],
    tombstones: new Map(state.tombstones),
    sessions: new Map(state.sessions),
    operations: [...state.operations],
    kept: new Map(state.kept),
    meta: new Map(state.meta),
    spare: new Map(state.spare),
  }
}

/** One string for the two ends of an edge or pair. */
export function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to])
}

/** The same for two ends in any order. */
export function pairKeyOf(one: string, other: string): string {
  return keyOf(...orderedPair(one, other))
}

/** True if an edge or pair may join the two: different blocks that exist. */
export function isJoinable({ blocks }: State, [from, to]: Ends): boolean {
  return from !== to && blocks.has(from) && blocks.has(to)
}

/** Pairs of different ids in canonical order, each once, with their keys. */
export function uniqueKeys(pairs: readonly Ends[]): [key: string, ends: Ends][] {
  const ends = pairs.filter(([one, other]) => one !== other).map(([one, other]) => orderedPair(one, other))
  return [...new Map(ends.map((each) => [keyOf(...each), each]))]
}

/** For sorting by several criteria: the first that differs decides. */
export function byString(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** How many edges end at the block. */
export function degreeOf(state: State, id: string): number {
  return [...state.edges.values()].filter((edge) => edge.from === id || edge.to === id).length
}

/** Edges with an end among the ids, strongest first. */
export function edgesAround(state: State, ids: ReadonlySet<string>): Edge[] {
  return [...state.edges.values()]
    .filter((edge) => ids.has(edge.from) || ids.has(edge.to))
    .sort(
      (one, other) =>
        other.weight - one.weight || byString(one.from, other.from) || byString(one.to, other.to),
    )
}

/** Open pairs with an end among the ids, strongest first. */
export function openPairsAround(state: State, ids: ReadonlySet<string>): BlockPair[] {
  return [...state.pairs.values()]
    .filter((pair) => !pair.resolved && (ids.has(pair.a) || ids.has(pair.b)))
    .sort((one, other) => other.score - one.score || byString(one.a, other.a) || byString(one.b, other.b))
}

/** The scope that all blocks named in a list and anywhere in some data have in common; undefined when there is none. */
export function commonScope({ blocks }: State, listed: readonly string[], told: unknown): string | undefined {
  const mentioned = textsIn(told).filter((text) => blocks.has(text))
  const scopes = new Set([...listed, ...mentioned].map((id) => blocks.get(id)?.block.scope))
  return scopes.size === 1 ? [...scopes][0] : undefined
}

function textsIn(data: unknown): string[] {
  if (typeof data === 'string') return [data]
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(textsIn) : []
}

/** The number of the newest change; 0 before the first. */
export function newestSequence(blocks: State['blocks']): number {
  let newest = 0
  for (const { sequence } of blocks.values()) newest = Math.max(newest, sequence)
  return newest
}

/** The memory's clock as the newest entry left it. */
export function clockOf({ operations }: State): ClockReading {
  const newest = operations.at(-1)
  return newest === undefined ? { hours: 0 } : { hours: newest.hours, wallMs: Date.parse(newest.at) }
}

/** How well blocks are joined; in whole billionths until the end, so that sums are exact in any order. */
export function strengthsOf({ edges }: State): Map<string, number> {
  const billionths = new Map<string, number>()
  for (const edge of edges.values()) {
    const strength = Math.round(effectiveEdgeWeight(edge) * 1e9)
    for (const id of [edge.from, edge.to]) billionths.set(id, (billionths.get(id) ?? 0) + strength)
  }
  return new Map([...billionths].map(([id, strength]) => [id, strength / 1e9]))
}

/** Removes all edges, open pairs and what waits to become some from the blocks that go. */
export function leaveGraph(state: State, gone: ReadonlySet<string>): void {
  for (const edge of edgesAround(state, gone)) state.edges.delete(keyOf(edge.from, edge.to))
  for (const pair of openPairsAround(state, gone)) state.pairs.delete(keyOf(pair.a, pair.b))
  for (const [key, { from, to }] of state.staged) if (gone.has(from) || gone.has(to)) state.staged.delete(key)
  for (const [key, { source, target }] of state.pending)
    if (gone.has(source) || gone.has(target)) state.pending.delete(key)
  for (const [key, { from, to }] of state.unlabelled)
    if (gone.has(from) || gone.has(to)) state.unlabelled.delete(key)
}
