import type {
  BlockPair,
  Disconnection,
  Edge,
  Ends,
  PendingConnection,
  StagedPair,
} from '../../src/domain/graph/edge.ts'
import type { EdgeWithDecay, GraphReader, Links, Strengths } from '../../src/ports/store/graph.ts'
import { byString, edgesAround, openPairsAround, type State, type StoredBlock, strengthsOf } from './state.ts'

/** Gives the state while the transaction lasts. */
export type Access = () => State

/** Answers questions about the graph by walking over all of it. */
export class MemoryGraphReader implements GraphReader {
  protected readonly access: Access

  constructor(access: Access) {
    this.access = access
  }

  async links(ids: readonly string[]): Promise<Links> {
    const wanted = new Set(ids)
    return { edges: edgesAround(this.access(), wanted), pairs: openPairsAround(this.access(), wanted) }
  }

  async groupedPairs(ids: readonly string[], limit: number): Promise<BlockPair[]> {
    const open = [...this.access().pairs.values()].filter(({ resolved }) => !resolved)
    const grouped = new Set(ids.slice(0, Math.max(0, limit)))
    // A set that grows while it is walked hands out what is added, nearest first.
    for (const id of grouped)
      for (const { a, b, kind } of open) {
        const other = a === id ? b : a
        if (kind !== 'contradiction' && (a === id || b === id) && grouped.size < limit) grouped.add(other)
      }
    return open
      .filter(({ a, b }) => grouped.has(a) && grouped.has(b))
      .sort((one, other) => byString(one.a, other.a) || byString(one.b, other.b))
  }

  async degrees(ids: readonly string[]): Promise<Map<string, number>> {
    const state = this.access()
    const degrees = new Map(this.found(ids).map(({ block }) => [block.id, 0]))
    for (const edge of state.edges.values()) {
      for (const end of [edge.from, edge.to]) {
        const degree = degrees.get(end)
        if (degree !== undefined) degrees.set(end, degree + 1)
      }
    }
    return degrees
  }

  async edgePage([from, to]: Ends, limit: number): Promise<Edge[]> {
    return this.#edgesInOrder()
      .map(({ edge }) => edge)
      .filter((edge) => edge.from > from || (edge.from === from && edge.to > to))
      .slice(0, Math.max(0, limit))
  }

  async edgesAround(ids: readonly string[]): Promise<EdgeWithDecay[]> {
    const wanted = new Set(ids)
    return this.#edgesInOrder().filter(({ edge }) => wanted.has(edge.from) || wanted.has(edge.to))
  }

  async strengths(ids: readonly string[]): Promise<Map<string, number>> {
    const all = strengthsOf(this.access())
    return new Map([...new Set(ids)].flatMap((id) => (all.has(id) ? [[id, all.get(id) ?? 0]] : [])))
  }

  async strongest(limit: number, rank: number): Promise<Strengths> {
    const ranked = [...strengthsOf(this.access())]
      .map(([id, strength]) => ({ id, strength }))
      .sort((one, other) => other.strength - one.strength || byString(one.id, other.id))
    return {
      strongest: ranked.slice(0, Math.max(0, limit)),
      atRank: ranked[Math.max(0, rank - 1)]?.strength ?? 0,
    }
  }

  async openPairs(limit: number): Promise<BlockPair[]> {
    const open = [...this.access().pairs.values()].filter((pair) => !pair.resolved)
    return open.slice(0, Math.max(0, limit))
  }

  async stagedPairs({
    atLeast,
    limit,
    among,
  }: Parameters<GraphReader['stagedPairs']>[0]): Promise<StagedPair[]> {
    const wanted = new Set(among)
    return [...this.access().staged.values()]
      .map(({ from, to, sessions }) => ({ from, to, count: sessions.length }))
      .filter(({ from, to, count }) => {
        return count >= atLeast && (among === undefined || (wanted.has(from) && wanted.has(to)))
      })
      .sort((one, other) => other.count - one.count)
      .slice(0, Math.max(0, limit))
  }

  async pendingConnections(limit: number): Promise<PendingConnection[]> {
    return [...this.access().pending.values()].slice(0, Math.max(0, limit))
  }

  async disconnections(ids: readonly string[], since: number): Promise<Disconnection[]> {
    const wanted = new Set(ids)
    return [...this.access().disconnections.values()]
      .filter(({ from, to, at }) => wanted.has(from) && wanted.has(to) && at > since)
      .sort((one, other) => byString(one.from, other.from) || byString(one.to, other.to))
  }

  protected found(ids: readonly string[]): StoredBlock[] {
    const { blocks } = this.access()
    return [...new Set(ids)].flatMap((id) => blocks.get(id) ?? [])
  }

  #edgesInOrder(): EdgeWithDecay[] {
    const { blocks, edges } = this.access()
    const lambda = (id: string): number => blocks.get(id)?.block.decayLambda ?? 0
    return [...edges.values()]
      .sort((one, other) => byString(one.from, other.from) || byString(one.to, other.to))
      .map((edge) => ({ edge, fromLambda: lambda(edge.from), toLambda: lambda(edge.to) }))
  }
}
