import type { Block, BlockIndex, BlockStatus } from '../../src/domain/block/block.ts'
import type { Edge, Ends } from '../../src/domain/graph/edge.ts'
import type { UnlabelledPair } from '../../src/ports/store/judging.ts'
import type {
  ArchivedEdges,
  InsertedBlock,
  NewBlock,
  NewOperation,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
  StoreWriter,
} from '../../src/ports/store/transaction.ts'
import type { Later, Reverted, TouchedEdge } from '../../src/ports/store/undo.ts'
import type { ContentVector } from '../../src/ports/store/vectors.ts'
import { MemoryGraphWriter } from './graph-writer.ts'
import { queueUnlabelled, removeUnlabelled } from './judging.ts'
import { trimSessions } from './sessions.ts'
import {
  beginShadow,
  changedTo,
  dropShadow,
  dropWaiting,
  keepSpare,
  losesVector,
  sameVector,
  saveWaiting,
  swapSets,
} from './spare.ts'
import { commonScope, edgesAround, leaveGraph, newestSequence, openPairsAround, type State } from './state.ts'
import { revert, trimChanges } from './undo.ts'
import { touchedEdges } from './undo-use.ts'

/** Changes the transaction's own copy of the state, one thing after the other. */
export class MemoryWriter extends MemoryGraphWriter implements StoreWriter {
  async insertBlock(block: NewBlock): Promise<InsertedBlock> {
    const { blocks } = this.access()
    return insert(blocks, block, newestSequence(blocks) + 1)
  }

  async insertBlocks(inserted: readonly NewBlock[]): Promise<InsertedBlock[]> {
    const { blocks } = this.access()
    const sequence = newestSequence(blocks) + 1
    return inserted.map((block) => insert(blocks, block, sequence))
  }

  async saveBlocks(saved: readonly Block[]): Promise<void> {
    const { blocks, spare } = this.access()
    const sequence = newestSequence(blocks) + 1
    for (const { scope: _given, ...each } of new Map(saved.map((given) => [given.id, given])).values()) {
      const before = blocks.get(each.id)
      if (before === undefined) continue
      const { scope } = before.block
      const block: Block = { ...each, ...(scope === undefined ? {} : { scope }) }
      const counts = block.status !== 'archived' || before.block.status !== 'archived'
      const changed = counts && !sameFields(before.block, block)
      const activated = block.status === 'active' && before.block.status !== 'active'
      if (losesVector(before.block, block)) spare.delete(each.id)
      blocks.set(each.id, {
        ...changedTo(before, block),
        sequence: changed ? sequence : before.sequence,
        indexSequence: activated ? sequence : before.indexSequence,
      })
    }
  }

  async saveIndex(entries: readonly BlockIndex[]): Promise<void> {
    const { blocks, spare } = this.access()
    const sequence = newestSequence(blocks) + 1
    for (const entry of new Map(entries.map((each) => [each.id, each])).values()) {
      const before = blocks.get(entry.id)
      if (before === undefined) continue
      const index = entry.vector === undefined ? entry : { ...entry, vector: entry.vector.slice() }
      const changed = before.block.status === 'active' && !sameIndex(before.index, index)
      const latest = changed ? sequence : before.sequence
      if (!sameVector(before.index?.vector, index.vector)) spare.delete(entry.id)
      blocks.set(entry.id, { ...before, index, sequence: latest, indexSequence: latest })
    }
  }

  async beginShadow(): Promise<void> {
    beginShadow(this.access())
  }

  async saveShadow(vectors: readonly ContentVector[]): Promise<void> {
    keepSpare(this.access(), vectors)
  }

  async swapVectors(): Promise<boolean> {
    return swapSets(this.access())
  }

  async dropShadow(): Promise<void> {
    dropShadow(this.access())
  }

  async saveWaitingVectors(vectors: readonly ContentVector[]): Promise<void> {
    saveWaiting(this.access(), vectors)
  }

  async dropWaitingVectors(): Promise<boolean> {
    return dropWaiting(this.access())
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

  async queueUnlabelled(pairs: readonly UnlabelledPair[], keep: number): Promise<void> {
    queueUnlabelled(this.access(), pairs, keep)
  }

  async removeUnlabelled(pairs: readonly Ends[]): Promise<void> {
    removeUnlabelled(this.access(), pairs)
  }

  async appendOutcomes(records: readonly OutcomeRecord[], keep: number): Promise<void> {
    const { blocks, outcomes } = this.access()
    appendTo(
      outcomes,
      records.filter(({ blockId }) => blocks.has(blockId)),
      keep,
    )
  }

  async queueOutcomes(outcomes: readonly QueuedOutcome[], keep: number): Promise<void> {
    const { blocks, queued } = this.access()
    appendTo(
      queued,
      outcomes.filter(({ blockId }) => blocks.has(blockId)),
      keep,
    )
  }

  async takeQueuedOutcomes(blockIds: readonly string[]): Promise<QueuedOutcome[]> {
    const { queued } = this.access()
    const wanted = new Set(blockIds)
    const all = queued.splice(0)
    queued.push(...all.filter((outcome) => !wanted.has(outcome.blockId)))
    return all.filter((outcome) => wanted.has(outcome.blockId))
  }

  async archiveEdgesOf(
    buried: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
  ): Promise<void> {
    const state = this.access()
    for (const { id, previousStatus } of new Map(buried.map((each) => [each.id, each])).values()) {
      if (!state.blocks.has(id)) continue
      const before = state.tombstones.get(id)
      const around = new Set([id])
      const tombstone: ArchivedEdges = {
        blockId: id,
        previousStatus: before?.previousStatus ?? previousStatus,
        edges: [...(before?.edges ?? []), ...edgesAround(state, around)],
        pairs: [...(before?.pairs ?? []), ...openPairsAround(state, around)],
      }
      state.tombstones.set(id, tombstone)
    }
    leaveGraph(state, new Set(buried.map(({ id }) => id)))
  }

  async takeArchivedEdges(blockId: string): Promise<ArchivedEdges | undefined> {
    const { tombstones } = this.access()
    const tombstone = tombstones.get(blockId)
    tombstones.delete(blockId)
    return tombstone
  }

  async addArchivedEdges(edges: readonly Edge[]): Promise<void> {
    const { tombstones } = this.access()
    for (const edge of edges)
      for (const id of [edge.from, edge.to]) {
        const tombstone = tombstones.get(id)
        if (tombstone) tombstones.set(id, { ...tombstone, edges: [...tombstone.edges, edge] })
      }
  }

  async log(record: NewOperation): Promise<number> {
    return append(this.access(), record)
  }

  async logAll(records: readonly NewOperation[]): Promise<void> {
    const state = this.access()
    for (const record of records) append(state, record)
  }

  /** Logs an entry of a scope. */
  async logFor(scope: string, record: NewOperation): Promise<number> {
    return append(this.access(), record, scope)
  }

  async trimLog(keep: number, most: number): Promise<number> {
    const { operations, kept } = this.access()
    const surplus = Math.max(0, operations.length - Math.max(1, keep))
    const trimmed = operations.splice(0, Math.min(surplus, Math.max(0, most)))
    for (const { id } of trimmed) kept.delete(id)
    return trimmed.length
  }

  async trimChanges(bytes: number): Promise<number> {
    return trimChanges(this.access(), bytes)
  }

  async revert(kept: number, except?: readonly number[]): Promise<Reverted | undefined> {
    return revert(this.access(), kept, except)
  }

  async touchedEdges(edges: readonly Ends[], later: Later): Promise<TouchedEdge[]> {
    return touchedEdges(this.access(), edges, later)
  }

  async saveMeta(key: string, value: string): Promise<void> {
    this.access().meta.set(key, value)
  }

  async saveSession(session: SessionRecord): Promise<void> {
    const { sessions } = this.access()
    sessions.set(session.id, { ...sessions.get(session.id), session })
  }

  async trimSessions(keep: number, most: number): Promise<number> {
    const state = this.access()
    const all = [...state.sessions.values()].map(({ session }) => session)
    return trimSessions(state, all, { keep, most })
  }
}

/** Appends, and removes of every block named what is beyond its newest. */
function appendTo<T extends { readonly blockId: string }>(
  list: T[],
  added: readonly T[],
  keep: number,
): void {
  list.push(...added)
  const kept = new Map(added.map(({ blockId }) => [blockId, 0]))
  for (let at = list.length - 1; at >= 0; at--) {
    const { blockId } = list[at] as T
    const newer = kept.get(blockId)
    if (newer === undefined) continue
    if (newer >= Math.max(0, keep)) list.splice(at, 1)
    else kept.set(blockId, newer + 1)
  }
}

function insert(blocks: State['blocks'], block: NewBlock, sequence: number): InsertedBlock {
  const existing = blocks.get(block.id)
  if (existing !== undefined) return { inserted: false, block: existing.block }
  let position = 0
  for (const { block: other } of blocks.values()) {
    if (other.session === block.session && other.scope === block.scope)
      position = Math.max(position, other.position + 1)
  }
  const inserted: Block = { ...block, position }
  blocks.set(block.id, {
    block: inserted,
    arrival: Math.max(0, ...[...blocks.values()].map(({ arrival }) => arrival)) + 1,
    sequence: block.status === 'archived' ? 0 : sequence,
    indexSequence: 0,
  })
  return { inserted: true, block: inserted }
}

/** An entry belongs to the scope that all blocks it names have in common, unless one is given. */
function append(
  state: State,
  record: NewOperation,
  scope = commonScope(state, record.blockIds, record.before),
): number {
  const newest = state.operations.at(-1)
  const id = (newest?.id ?? 0) + 1
  const hours = Math.max(record.hours, newest?.hours ?? record.hours)
  const before = record.before === undefined ? {} : { before: JSON.parse(JSON.stringify(record.before)) }
  state.operations.push({ ...record, ...before, hours, id, ...(scope === undefined ? {} : { scope }) })
  return id
}

function sameFields(one: Block, other: Block): boolean {
  return JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))
}

function fieldsOf(block: Block): [string, unknown][] {
  return Object.entries(block).sort(([one], [other]) => (one < other ? -1 : 1))
}

function sameIndex(one: BlockIndex | undefined, other: BlockIndex): boolean {
  if (one === undefined) return false
  const plain = (index: BlockIndex): string => JSON.stringify([index.terms, index.asks, index.timed])
  return plain(one) === plain(other) && sameVector(one.vector, other.vector)
}
