import type { Ends } from '../../src/domain/graph/edge.ts'
import type { ArchivedEdges } from '../../src/ports/store/transaction.ts'
import type { State } from './state.ts'

/** What one scope sees of a state. Its maps and lists are copies, what they hold is the same. */
export function visibleState(state: State, scope: string): State {
  const blocks = only(state.blocks, ({ block }) => block.scope === scope)
  const sees = (...ids: readonly string[]): boolean => ids.every((id) => blocks.has(id))
  const tombstones = only(state.tombstones, ({ blockId }) => sees(blockId))
  for (const [id, tombstone] of tombstones) tombstones.set(id, visibleTombstone(tombstone, sees))
  return {
    blocks,
    edges: only(state.edges, ({ from, to }) => sees(from, to)),
    pairs: only(state.pairs, ({ a, b }) => sees(a, b)),
    staged: only(state.staged, ({ from, to }) => sees(from, to)),
    pending: only(state.pending, ({ source, target }) => sees(source, target)),
    disconnections: only(state.disconnections, ({ from, to }) => sees(from, to)),
    unlabelled: only(state.unlabelled, ({ from, to }) => sees(from, to)),
    outcomes: state.outcomes.filter(({ blockId }) => sees(blockId)),
    queued: state.queued.filter(({ blockId }) => sees(blockId)),
    tombstones,
    sessions: only(state.sessions, (each) => each.scope === scope),
    operations: state.operations.filter((record) => record.scope === scope),
    kept: state.kept,
    meta: new Map(state.meta),
    spare: state.spare,
  }
}

/** Takes what was added to, changed in or removed from the graph and the lists of a visible state over into the whole. */
export function takeOver(state: State, before: State, after: State): void {
  for (const part of [
    'edges',
    'pairs',
    'staged',
    'pending',
    'disconnections',
    'unlabelled',
    'tombstones',
  ] as const)
    takeOverMap<unknown>(state[part], before[part], after[part])
  for (const part of ['outcomes', 'queued', 'operations'] as const)
    takeOverList<unknown>(state[part], before[part], after[part])
}

function takeOverMap<T>(
  whole: Map<string, T>,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): void {
  for (const key of before.keys()) if (!after.has(key)) whole.delete(key)
  for (const [key, value] of after) if (before.get(key) !== value) whole.set(key, value)
}

function takeOverList<T>(whole: T[], before: readonly T[], after: readonly T[]): void {
  const kept = new Set(after)
  const gone = new Set(before.filter((each) => !kept.has(each)))
  const known = new Set(before)
  const rest = whole.filter((each) => !gone.has(each))
  whole.splice(0, whole.length, ...rest, ...after.filter((each) => !known.has(each)))
}

function only<T>(whole: ReadonlyMap<string, T>, sees: (each: T) => boolean): Map<string, T> {
  return new Map([...whole].filter(([, each]) => sees(each)))
}

function visibleTombstone(tombstone: ArchivedEdges, sees: (...ends: Ends) => boolean): ArchivedEdges {
  const { edges, pairs } = tombstone
  return {
    ...tombstone,
    edges: edges.filter(({ from, to }) => sees(from, to)),
    pairs: pairs.filter(({ a, b }) => sees(a, b)),
  }
}
