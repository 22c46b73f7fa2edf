import type { Block } from '../../domain/block.ts'
import type {
  BlockPair,
  Disconnection,
  Edge,
  Ends,
  PendingConnection,
  StagedPair,
} from '../../domain/edge.ts'
import type {
  BlockFilter,
  BlockPage,
  BlockVitality,
  Changes,
  ClockReading,
  Counts,
  EdgeWithDecay,
  IndexedBlock,
  Links,
  OperationFilter,
  OperationRecord,
  OutcomeRecord,
  ScopeCounts,
  SessionRecord,
  StoreReader,
  Strengths,
} from '../../ports/store.ts'
import type { VectorTotals } from '../../ports/store-vectors.ts'
import { findPage } from './pages.ts'
import { generationOf, missingInSpare, totalsOf } from './spare.ts'
import {
  byString,
  clockOf,
  degreeOf,
  edgesAround,
  newestSequence,
  openPairsAround,
  type State,
  type StoredBlock,
  strengthsOf,
} from './state.ts'

/** Gives the state while the transaction lasts. */
export type Access = () => State

/** Answers every question by walking over everything. */
export class MemoryReader implements StoreReader {
  protected readonly access: Access

  constructor(access: Access) {
    this.access = access
  }

  async clock(): Promise<ClockReading> {
    return clockOf(this.access())
  }

  async changes(since: number): Promise<Changes> {
    const state = this.access()
    const changed = [...state.blocks.values()]
      .filter((each) => each.sequence > since && (since > 0 || each.block.status === 'active'))
      .sort((one, other) => one.sequence - other.sequence || one.arrival - other.arrival)
    return {
      clock: clockOf(state),
      sequence: newestSequence(state.blocks),
      generation: generationOf(state),
      blocks: changed.map(({ block, index, indexSequence }) => {
        if (block.status !== 'active' || index === undefined) return { block }
        return indexSequence > since ? { block, index } : { block, indexUnchanged: true }
      }),
    }
  }

  async sequence(): Promise<number> {
    return newestSequence(this.access().blocks)
  }

  async activeBlocks(visit: (batch: readonly IndexedBlock[]) => void): Promise<void> {
    visit((await this.changes(0)).blocks)
  }

  async blocks(ids: readonly string[]): Promise<Block[]> {
    return this.#found(ids).map(({ block }) => block)
  }

  async vectors(ids: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = this.#found(ids).flatMap(({ block, index }) =>
      index?.vector === undefined ? [] : [[block.id, index.vector] as const],
    )
    return new Map(found)
  }

  async vectorTotals(): Promise<VectorTotals> {
    return totalsOf(this.access())
  }

  async missingSpare(limit: number): Promise<Block[]> {
    const missing = missingInSpare(this.access())
    return missing.slice(0, Math.max(0, limit)).map(({ block }) => block)
  }

  async idsByPrefix(prefixes: readonly string[]): Promise<Map<string, readonly string[]>> {
    const ids = [...this.access().blocks.keys()].sort(byString)
    return new Map(
      prefixes.map((prefix) => {
        const found = ids.filter((id) => id.startsWith(prefix))
        return [prefix, found.includes(prefix) ? [prefix] : found.slice(0, 2)]
      }),
    )
  }

  async page(filter: BlockFilter): Promise<BlockPage> {
    return findPage([...this.access().blocks.values()], filter)
  }

  async links(ids: readonly string[]): Promise<Links> {
    const wanted = new Set(ids)
    return { edges: edgesAround(this.access(), wanted), pairs: openPairsAround(this.access(), wanted) }
  }

  async degrees(ids: readonly string[]): Promise<Map<string, number>> {
    const state = this.access()
    const degrees = new Map(this.#found(ids).map(({ block }) => [block.id, 0]))
    for (const edge of state.edges.values()) {
      for (const end of [edge.from, edge.to]) {
        const degree = degrees.get(end)
        if (degree !== undefined) degrees.set(end, degree + 1)
      }
    }
    return degrees
  }

  async scopes(limit: number): Promise<ScopeCounts[]> {
    const scopes = new Map<string, { scope: string; inbox: number; active: number; archived: number }>()
    for (const { block } of this.access().blocks.values()) {
      const { scope, status } = block
      if (scope === undefined) continue
      const counts = scopes.get(scope) ?? { scope, inbox: 0, active: 0, archived: 0 }
      counts[status] += 1
      scopes.set(scope, counts)
    }
    const living = (each: ScopeCounts): number => each.active + each.inbox
    return [...scopes.values()]
      .sort((one, other) => living(other) - living(one) || byString(one.scope, other.scope))
      .slice(0, Math.max(0, limit))
  }

  async waiting(): Promise<number> {
    return [...this.access().blocks.values()].filter(({ block }) => block.status === 'inbox').length
  }

  async counts(): Promise<Counts> {
    const state = this.access()
    const edges = [...state.edges.values()]
    const blocks = [...state.blocks.values()].map(({ block }) => block)
    const linked = new Set(edges.flatMap((edge) => [edge.from, edge.to]))
    const withStatus = (status: string): Block[] => blocks.filter((block) => block.status === status)
    return {
      inbox: withStatus('inbox').length,
      active: withStatus('active').length,
      archived: withStatus('archived').length,
      edges: edges.length,
      edgesByRelation: tally(edges.map((edge) => edge.relation)),
      edgesByOrigin: tally(edges.map((edge) => edge.origin)),
      isolated: withStatus('active').filter((block) => !linked.has(block.id)).length,
      openPairs: [...state.pairs.values()].filter((pair) => !pair.resolved).length,
      stagedPairs: state.staged.size,
      pendingConnections: state.pending.size,
      queuedOutcomes: state.queued.length,
    }
  }

  async operations(filter: OperationFilter): Promise<OperationRecord[]> {
    const { blockId, operation, limit } = filter
    return this.access()
      .operations.filter((record) => operation === undefined || record.operation === operation)
      .filter((record) => blockId === undefined || record.blockIds.includes(blockId))
      .reverse()
      .slice(0, Math.max(0, limit))
  }

  async outcomes(blockId: string, limit: number): Promise<OutcomeRecord[]> {
    const found = this.access().outcomes.filter((record) => record.blockId === blockId)
    return found.reverse().slice(0, Math.max(0, limit))
  }

  async openPairs(limit: number): Promise<BlockPair[]> {
    const open = [...this.access().pairs.values()].filter((pair) => !pair.resolved)
    return open.slice(0, Math.max(0, limit))
  }

  async meta(key: string): Promise<string | undefined> {
    return this.access().meta.get(key)
  }

  async session(id: string): Promise<SessionRecord | undefined> {
    return this.access().sessions.get(id)?.session
  }

  async latestOpenSession(): Promise<SessionRecord | undefined> {
    return [...this.access().sessions.values()]
      .map(({ session }) => session)
      .filter((session) => session.endedAt === undefined)
      .sort(
        (one, other) =>
          byString(one.startedAt, other.startedAt) ||
          one.startHours - other.startHours ||
          byString(one.id, other.id),
      )
      .at(-1)
  }

  async vitalityPage(afterId: string, limit: number): Promise<BlockVitality[]> {
    const state = this.access()
    return [...state.blocks.values()]
      .map(({ block }) => block)
      .filter((block) => block.status === 'active' && block.id > afterId)
      .sort((one, other) => byString(one.id, other.id))
      .slice(0, Math.max(0, limit))
      .map(({ id, decayLambda, lastReinforcedAt }) => ({
        id,
        decayLambda,
        lastReinforcedAt,
        degree: degreeOf(state, id),
      }))
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

  async stagedPairs({
    atLeast,
    limit,
    among,
  }: Parameters<StoreReader['stagedPairs']>[0]): Promise<StagedPair[]> {
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

  #edgesInOrder(): EdgeWithDecay[] {
    const { blocks, edges } = this.access()
    const lambda = (id: string): number => blocks.get(id)?.block.decayLambda ?? 0
    return [...edges.values()]
      .sort((one, other) => byString(one.from, other.from) || byString(one.to, other.to))
      .map((edge) => ({ edge, fromLambda: lambda(edge.from), toLambda: lambda(edge.to) }))
  }

  #found(ids: readonly string[]): StoredBlock[] {
    const { blocks } = this.access()
    return [...new Set(ids)].flatMap((id) => blocks.get(id) ?? [])
  }
}

function tally(words: readonly string[]): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const word of words) totals[word] = (totals[word] ?? 0) + 1
  return totals
}
