import type { Block, BlockIndex, BlockStatus } from '../../domain/block.ts'
import { type BlockPair, coOccurrenceEdge, type Edge, orderedPair } from '../../domain/edge.ts'
import type {
  NewBlock,
  OperationRecord,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
  StoreWriter,
  Tombstone,
} from '../../ports/store.ts'
import { MemoryReader } from './reader.ts'
import { degreeOf, edgesAround, keyOf, newestSequence, openPairsAround, type State } from './state.ts'

type Ends = readonly [from: string, to: string]

/** Changes the transaction's own copy of the state, one thing after the other. */
export class MemoryWriter extends MemoryReader implements StoreWriter {
  async insertBlock(block: NewBlock): Promise<{ readonly inserted: boolean; readonly block: Block }> {
    const { blocks } = this.access()
    const existing = blocks.get(block.id)
    if (existing !== undefined) return { inserted: false, block: existing.block }
    let position = 0
    for (const { block: other } of blocks.values()) {
      if (other.session === block.session) position = Math.max(position, other.position + 1)
    }
    const inserted: Block = { ...block, position }
    blocks.set(block.id, {
      block: inserted,
      arrival: blocks.size + 1,
      sequence: block.status === 'active' ? newestSequence(blocks) + 1 : 0,
    })
    return { inserted: true, block: inserted }
  }

  async saveBlocks(saved: readonly Block[]): Promise<void> {
    const { blocks } = this.access()
    const sequence = newestSequence(blocks) + 1
    for (const block of new Map(saved.map((each) => [each.id, each])).values()) {
      const before = blocks.get(block.id)
      if (before === undefined) continue
      const counts = block.status === 'active' || before.block.status === 'active'
      const changed = counts && !sameFields(before.block, block)
      blocks.set(block.id, { ...before, block, sequence: changed ? sequence : before.sequence })
    }
  }

  async saveIndex(entries: readonly BlockIndex[]): Promise<void> {
    const { blocks } = this.access()
    const sequence = newestSequence(blocks) + 1
    for (const entry of new Map(entries.map((each) => [each.id, each])).values()) {
      const before = blocks.get(entry.id)
      if (before === undefined) continue
      const index = entry.vector === undefined ? entry : { ...entry, vector: entry.vector.slice() }
      const changed = before.block.status === 'active' && !sameIndex(before.index, index)
      blocks.set(entry.id, { ...before, index, sequence: changed ? sequence : before.sequence })
    }
  }

  async reinforceBlocks(ids: readonly string[], hours: number): Promise<string[]> {
    const { blocks } = this.access()
    const sequence = newestSequence(blocks) + 1
    const applied: string[] = []
    for (const id of new Set(ids)) {
      const stored = blocks.get(id)
      if (stored?.block.status !== 'active') continue
      const reinforcementCount = stored.block.reinforcementCount + 1
      const block = { ...stored.block, reinforcementCount, lastReinforcedAt: hours }
      blocks.set(id, { ...stored, block, sequence })
      applied.push(id)
    }
    return applied
  }

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
    options: { readonly session: string; readonly threshold: number; readonly limit: number },
  ): Promise<Ends[]> {
    const state = this.access()
    const { edges, staged } = state
    const counted = uniqueKeys(pairs).filter(([key, ends]) => isJoinable(state, ends) && !edges.has(key))
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

  async promotePairs(
    pairs: readonly Ends[],
    edge: { readonly weight: number; readonly cap: number; readonly hours: number; readonly at: string },
  ): Promise<Edge[]> {
    const state = this.access()
    const hasRoom = (id: string): boolean => degreeOf(state, id) < edge.cap
    const candidates = uniqueKeys(pairs).filter(
      ([key, ends]) => state.staged.has(key) && !state.edges.has(key) && ends.every(hasRoom),
    )
    const within = (id: string, place: number): boolean => {
      const before = candidates.slice(0, place).filter(([, ends]) => ends.includes(id)).length
      return degreeOf(state, id) + before < edge.cap
    }
    const admitted = candidates.filter(([, [from, to]], place) => within(from, place) && within(to, place))
    return admitted.map(([key, ends]) => {
      const joined = coOccurrenceEdge(ends, edge)
      state.edges.set(key, joined)
      state.staged.delete(key)
      return joined
    })
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
      if (isJoinable(state, [a, b]) && !state.pairs.has(key)) state.pairs.set(key, { ...pair, a, b })
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

  async appendOutcomes(records: readonly OutcomeRecord[]): Promise<void> {
    const { blocks, outcomes } = this.access()
    outcomes.push(...records.filter((record) => blocks.has(record.blockId)))
  }

  async queueOutcomes(queued: readonly QueuedOutcome[]): Promise<void> {
    const state = this.access()
    state.queued.push(...queued.filter((outcome) => state.blocks.has(outcome.blockId)))
  }

  async takeQueuedOutcomes(blockIds: readonly string[]): Promise<QueuedOutcome[]> {
    const { queued } = this.access()
    const wanted = new Set(blockIds)
    const all = queued.splice(0)
    queued.push(...all.filter((outcome) => !wanted.has(outcome.blockId)))
    return all.filter((outcome) => wanted.has(outcome.blockId))
  }

  async bury(
    buried: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
  ): Promise<void> {
    const state = this.access()
    for (const { id, previousStatus } of new Map(buried.map((each) => [each.id, each])).values()) {
      if (!state.blocks.has(id)) continue
      const before = state.tombstones.get(id)
      const around = new Set([id])
      const tombstone: Tombstone = {
        blockId: id,
        previousStatus: before?.previousStatus ?? previousStatus,
        edges: [...(before?.edges ?? []), ...edgesAround(state, around)],
        pairs: [...(before?.pairs ?? []), ...openPairsAround(state, around)],
      }
      state.tombstones.set(id, tombstone)
    }
    const gone = new Set(buried.map(({ id }) => id))
    for (const edge of edgesAround(state, gone)) state.edges.delete(keyOf(edge.from, edge.to))
    for (const pair of openPairsAround(state, gone)) state.pairs.delete(keyOf(pair.a, pair.b))
    for (const [key, { from, to }] of state.staged) {
      if (gone.has(from) || gone.has(to)) state.staged.delete(key)
    }
  }

  async takeTombstone(blockId: string): Promise<Tombstone | undefined> {
    const { tombstones } = this.access()
    const tombstone = tombstones.get(blockId)
    tombstones.delete(blockId)
    return tombstone
  }

  async log(record: Omit<OperationRecord, 'id'>): Promise<number> {
    const { operations } = this.access()
    const newest = operations.at(-1)
    const id = (newest?.id ?? 0) + 1
    const hours = Math.max(record.hours, newest?.hours ?? record.hours)
    const before = record.before === undefined ? {} : { before: JSON.parse(JSON.stringify(record.before)) }
    operations.push({ ...record, ...before, hours, id })
    return id
  }

  async trimLog(keep: number): Promise<number> {
    const { operations } = this.access()
    return operations.splice(0, Math.max(0, operations.length - Math.max(1, keep))).length
  }

  async saveMeta(key: string, value: string): Promise<void> {
    this.access().meta.set(key, value)
  }

  async saveSession(session: SessionRecord): Promise<void> {
    this.access().sessions.set(session.id, session)
  }
}

function isJoinable({ blocks }: State, [from, to]: Ends): boolean {
  return from !== to && blocks.has(from) && blocks.has(to)
}

/** Pairs of different ids in canonical order, each once, with their keys. */
function uniqueKeys(pairs: readonly Ends[]): [key: string, ends: Ends][] {
  const ends = pairs.filter(([one, other]) => one !== other).map(([one, other]) => orderedPair(one, other))
  return [...new Map(ends.map((each) => [keyOf(...each), each]))]
}

function sameFields(one: Block, other: Block): boolean {
  return JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))
}

function fieldsOf(block: Block): [string, unknown][] {
  return Object.entries(block).sort(([one], [other]) => (one < other ? -1 : 1))
}

function sameIndex(one: BlockIndex | undefined, other: BlockIndex): boolean {
  if (one === undefined) return false
  const plain = (index: BlockIndex): string =>
    JSON.stringify([index.terms, index.asks, index.timed, index.vector && [...index.vector]])
  return plain(one) === plain(other)
}
