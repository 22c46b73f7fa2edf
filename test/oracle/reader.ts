import type { Block } from '../../src/domain/block/block.ts'
import { type Removed, removedBetween } from '../../src/domain/block/removals.ts'
import { isSameText } from '../../src/domain/text/same-text.ts'
import type {
  JudgementCounts,
  PendingJudgementFilter,
  UnlabelledPair,
} from '../../src/ports/store/judging.ts'
import type {
  BlockFilter,
  BlockPage,
  BlockVitality,
  Changes,
  ClockReading,
  Counts,
  IndexedBlock,
  OperationFilter,
  OperationRecord,
  OutcomeRecord,
  SaidText,
  ScopeCounts,
  SessionRecord,
  StoreReader,
} from '../../src/ports/store/transaction.ts'
import type { VectorTotals } from '../../src/ports/store/vectors.ts'
import { MemoryGraphReader } from './graph-reader.ts'
import { blocksToJudge, judgementCounts, unlabelledPairs } from './judging.ts'
import { findPage } from './pages.ts'
import { latestOpen } from './sessions.ts'
import { generationOf, missingInSpare, removalsIn, totalsOf } from './spare.ts'
import { byString, clockOf, degreeOf, newestSequence } from './state.ts'

/** Answers every question by walking over everything. */
export class MemoryReader extends MemoryGraphReader implements StoreReader {
  async clock(): Promise<ClockReading> {
    return clockOf(this.access())
  }

  async changes(since: number): Promise<Changes> {
    const state = this.access()
    const changed = [...state.blocks.values()]
      .filter((each) => each.sequence > since && (since > 0 || each.block.status !== 'archived'))
      .sort((one, other) => one.sequence - other.sequence || one.arrival - other.arrival)
    return {
      clock: clockOf(state),
      sequence: newestSequence(state.blocks),
      generation: generationOf(state),
      blocks: changed.map(({ block, index, indexSequence }) => {
        if (block.status === 'inbox') return { block, ...(index?.vector ? { vector: index.vector } : {}) }
        if (block.status === 'archived' || index === undefined) return { block }
        return indexSequence > since ? { block, index } : { block, indexUnchanged: true }
      }),
    }
  }

  async removedSince(generation: number): Promise<Removed | undefined> {
    const state = this.access()
    return removedBetween(removalsIn(state), generation, generationOf(state))
  }

  async sequence(): Promise<number> {
    return newestSequence(this.access().blocks)
  }

  async livingBlocks(visit: (batch: readonly IndexedBlock[]) => void): Promise<void> {
    visit((await this.changes(0)).blocks)
  }

  async blocks(ids: readonly string[]): Promise<Block[]> {
    return this.found(ids).map(({ block }) => block)
  }

  async sameTexts(texts: readonly SaidText[]): Promise<Block[]> {
    const living = [...this.access().blocks.values()]
      .filter(({ block }) => block.status !== 'archived')
      .sort((one, other) => one.arrival - other.arrival)
    const same = texts.flatMap(({ content, scope }) =>
      living.filter(({ block }) => block.scope === scope && isSameText(block.content, content)),
    )
    return [...new Set(same.map(({ block }) => block))]
  }

  async replacing(ids: readonly string[], limit: number): Promise<Block[]> {
    const replacing = [...this.access().blocks.values()]
      .filter(({ block }) => block.status !== 'archived' && block.supersedes !== undefined)
      .sort((one, other) => one.arrival - other.arrival)
      .map(({ block }) => block)
    const chain = new Set([...new Set(ids)].slice(0, Math.max(0, limit)))
    // A set that grows while it is walked hands out what is added, nearest first.
    for (const id of chain)
      for (const block of replacing) {
        const next = block.supersedes === id ? block.id : block.id === id ? block.supersedes : undefined
        if (next !== undefined && chain.size < limit) chain.add(next)
      }
    return replacing.filter(({ supersedes = '' }) => chain.has(supersedes))
  }

  async vectors(ids: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = this.found(ids).flatMap(({ block, index }) =>
      index?.vector === undefined ? [] : [[block.id, index.vector] as const],
    )
    return new Map(found)
  }

  async vectorTotals(): Promise<VectorTotals> {
    return totalsOf(this.access())
  }

  async missingShadow(limit: number): Promise<Block[]> {
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

  async tagsIn(scope: string | undefined, limit: number): Promise<string[]> {
    const blocks = [...this.access().blocks.values()].filter(({ block }) => block.scope === scope)
    const tags = new Set(blocks.flatMap(({ block }) => block.tags))
    return [...tags].sort(byString).slice(0, Math.max(0, limit))
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
    const { operations, kept } = this.access()
    return operations
      .filter((record) => isAsked(record, filter))
      .reverse()
      .slice(0, Math.max(0, filter.limit))
      .map((record) => {
        const change = [...kept].find(([last, { first }]) => first <= record.id && record.id <= last)
        return change === undefined ? record : { ...record, kept: change[0] }
      })
  }

  async outcomes(blockId: string, limit: number): Promise<OutcomeRecord[]> {
    const found = this.access().outcomes.filter((record) => record.blockId === blockId)
    return found.reverse().slice(0, Math.max(0, limit))
  }

  async meta(key: string): Promise<string | undefined> {
    return this.access().meta.get(key)
  }

  async session(id: string): Promise<SessionRecord | undefined> {
    return this.access().sessions.get(id)?.session
  }

  async latestOpenSession(): Promise<SessionRecord | undefined> {
    return latestOpen([...this.access().sessions.values()].map(({ session }) => session))
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

  async pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]> {
    return blocksToJudge(this.access(), filter)
  }

  async judgementCounts(judgedBefore: string): Promise<JudgementCounts> {
    return judgementCounts(this.access(), judgedBefore)
  }

  async unlabelledPairs(limit: number): Promise<UnlabelledPair[]> {
    return unlabelledPairs(this.access(), limit)
  }
}

function isAsked(record: OperationRecord, filter: OperationFilter): boolean {
  const { blockId, operation, run, actor, since, until, before } = filter
  return [
    blockId === undefined || record.blockIds.includes(blockId),
    operation === undefined || record.operation === operation,
    run === undefined || record.run === run,
    actor === undefined || record.actor === actor,
    since === undefined || record.at >= since,
    until === undefined || record.at < until,
    before === undefined || record.id < before,
  ].every(Boolean)
}

function tally(words: readonly string[]): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const word of words) totals[word] = (totals[word] ?? 0) + 1
  return totals
}
