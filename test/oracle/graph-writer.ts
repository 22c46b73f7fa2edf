import {
  type BlockPair,
  type Disconnection,
  type Edge,
  type Ends,
  orderedPair,
  type PendingConnection,
} from '../../src/domain/graph/edge.ts'
import type { GraphWriter } from '../../src/ports/store/graph.ts'
import { MemoryReader } from './reader.ts'
import { isJoinable, keyOf, pairKeyOf, uniqueKeys } from './state.ts'

const RANK: Readonly<Record<BlockPair['kind'], number>> = {
  near_duplicate: 0,
  supersession: 1,
  contradiction: 2,
}

/** True if `pair` replaces `known`: it is a stronger kind. A contradiction also reopens a resolved pair. */
function outranks(pair: BlockPair, known: BlockPair): boolean {
  if (pair.kind === 'contradiction') return true
  return !known.resolved && RANK[pair.kind] > RANK[known.kind]
}

/** Changes the graph in the transaction's own copy of the state. */
export class MemoryGraphWriter extends MemoryReader implements GraphWriter {
  async saveEdges(edges: readonly Edge[]): Promise<void> {
    const state = this.access()
    for (const edge of edges) {
      const [from, to] = orderedPair(edge.from, edge.to)
      if (!isJoinable(state, [from, to])) continue
      const key = keyOf(from, to)
      if (!state.edges.has(key) && edge.origin === 'co_retrieval') state.staged.delete(key)
      state.edges.set(key, { ...edge, from, to })
    }
  }

  async removeEdges(pairs: readonly Ends[]): Promise<Edge[]> {
    const { edges } = this.access()
    return uniqueKeys(pairs).flatMap(([key]) => {
      const edge = edges.get(key)
      edges.delete(key)
      return edge ?? []
    })
  }

  async removeUnusedEdges(given: readonly Edge[]): Promise<Edge[]> {
    const { edges } = this.access()
    const unused = given.filter((edge) => {
      const now = edges.get(pairKeyOf(edge.from, edge.to))
      return (
        now?.weight === edge.weight &&
        now.reinforcementCount === edge.reinforcementCount &&
        now.lastActiveAt === edge.lastActiveAt
      )
    })
    return this.removeEdges(unused.map(({ from, to }) => [from, to]))
  }

  async reinforceEdgesAmong(ids: readonly string[], hours: number): Promise<number> {
    const { edges } = this.access()
    const wanted = new Set(ids)
    let reinforced = 0
    for (const [key, edge] of edges) {
      if (!wanted.has(edge.from) || !wanted.has(edge.to)) continue
      edges.set(key, { ...edge, reinforcementCount: edge.reinforcementCount + 1, lastActiveAt: hours })
      reinforced += 1
    }
    return reinforced
  }

  async stagePairs(
    pairs: readonly Ends[],
    options: Parameters<GraphWriter['stagePairs']>[1],
  ): Promise<Ends[]> {
    const state = this.access()
    const { edges, staged, disconnections } = state
    const isApart = (key: string): boolean =>
      (disconnections.get(key)?.at ?? Number.NEGATIVE_INFINITY) > options.disconnectedSince
    const counted = uniqueKeys(pairs).filter(
      ([key, ends]) => isJoinable(state, ends) && !edges.has(key) && !isApart(key),
    )
    for (const [key, [from, to]] of counted) {
      const sessions = staged.get(key)?.sessions ?? []
      if (!sessions.includes(options.session)) {
        staged.set(key, { from, to, sessions: [...sessions, options.session] })
      }
    }
    const surplus = counted.length === 0 ? 0 : staged.size - Math.max(0, options.limit)
    if (surplus > 0) {
      const lowestFirst = [...staged].sort((one, other) => one[1].sessions.length - other[1].sessions.length)
      for (const [key] of lowestFirst.slice(0, surplus)) staged.delete(key)
      return []
    }
    return counted
      .filter(([key]) => (staged.get(key)?.sessions.length ?? 0) >= options.threshold)
      .map(([, ends]) => ends)
  }

  async removeStaleStaging(): Promise<number> {
    const { blocks, edges, staged } = this.access()
    const isActive = (id: string): boolean => blocks.get(id)?.block.status === 'active'
    const stale = [...staged].filter(
      ([key, { from, to }]) => edges.has(key) || !isActive(from) || !isActive(to),
    )
    for (const [key] of stale) staged.delete(key)
    return stale.length
  }

  async savePairs(saved: readonly BlockPair[]): Promise<void> {
    const state = this.access()
    for (const pair of saved) {
      const [a, b] = orderedPair(pair.a, pair.b)
      const key = keyOf(a, b)
      const known = state.pairs.get(key)
      const isNew = known === undefined || outranks(pair, known)
      if (isJoinable(state, [a, b]) && isNew) state.pairs.set(key, { ...pair, a, b })
    }
  }

  async resolvePair(a: string, b: string): Promise<boolean> {
    const { pairs } = this.access()
    const key = keyOf(...orderedPair(a, b))
    const pair = pairs.get(key)
    if (pair === undefined || pair.resolved) return false
    pairs.set(key, { ...pair, resolved: true })
    return true
  }

  async savePendingConnections(connections: readonly PendingConnection[]): Promise<void> {
    const state = this.access()
    for (const each of connections) {
      if (!isJoinable(state, [each.source, each.target])) continue
      const key = pairKeyOf(each.source, each.target)
      const { source, target } = state.pending.get(key) ?? each
      state.pending.set(key, { ...each, source, target })
    }
  }

  async removePendingConnections(pairs: readonly Ends[]): Promise<PendingConnection[]> {
    const { pending } = this.access()
    const wanted = new Set(uniqueKeys(pairs).map(([key]) => key))
    const removed = [...pending].filter(([key]) => wanted.has(key))
    for (const [key] of removed) pending.delete(key)
    return removed.map(([, connection]) => connection)
  }

  async saveDisconnections(disconnections: readonly Disconnection[]): Promise<void> {
    const state = this.access()
    for (const each of disconnections) {
      const [from, to] = orderedPair(each.from, each.to)
      if (isJoinable(state, [from, to])) state.disconnections.set(keyOf(from, to), { ...each, from, to })
    }
  }

  async removeDisconnections(pairs: readonly Ends[]): Promise<void> {
    const { disconnections } = this.access()
    for (const [key] of uniqueKeys(pairs)) disconnections.delete(key)
  }

  async trimDisconnections(since: number): Promise<number> {
    const { disconnections } = this.access()
    const old = [...disconnections].filter(([, { at }]) => at <= since)
    for (const [key] of old) disconnections.delete(key)
    return old.length
  }
}
