import type { Block, BlockIndex, BlockStatus } from '../../src/domain/block/block.ts'
import type { Edge } from '../../src/domain/graph/edge.ts'
import { ElfmemError } from '../../src/errors.ts'
import type {
  Changes,
  ClockReading,
  InsertedBlock,
  NewBlock,
  NewOperation,
  StoreWriter,
} from '../../src/ports/store/transaction.ts'
import type { Access } from './graph-reader.ts'
import { MemoryReader } from './reader.ts'
import { trimSessions } from './sessions.ts'
import { copyState } from './state.ts'
import { takeOver, visibleState } from './visible.ts'
import { MemoryWriter } from './writer.ts'

type Given<Name extends keyof StoreWriter> = Parameters<StoreWriter[Name]>

/** Answers from what one scope sees of the state; clock, sequence, settings and the shadow vectors are the whole store's. */
export class ScopedReader extends MemoryReader {
  readonly #whole: MemoryReader

  constructor(access: Access, scope: string) {
    super(() => visibleState(access(), scope))
    this.#whole = new MemoryReader(access)
  }

  override clock(): Promise<ClockReading> {
    return this.#whole.clock()
  }

  override sequence(): Promise<number> {
    return this.#whole.sequence()
  }

  override async changes(since: number): Promise<Changes> {
    const { blocks, generation } = await super.changes(since)
    return { clock: await this.clock(), sequence: await this.sequence(), generation, blocks }
  }

  override vectorTotals() {
    return this.#whole.vectorTotals()
  }

  override missingShadow(limit: number) {
    return this.#whole.missingShadow(limit)
  }
}

/**
 * Changes one scope of the state. What is about blocks and the log goes to the whole state, without what the scope does
 * not see; all else happens to a copy of what it sees and is taken over.
 */
export class ScopedWriter extends ScopedReader implements StoreWriter {
  readonly #scope: string
  readonly #state: Access
  readonly #whole: MemoryWriter

  constructor(access: Access, scope: string) {
    super(access, scope)
    this.#scope = scope
    this.#state = access
    this.#whole = new MemoryWriter(access)
  }

  async insertBlock(block: NewBlock): Promise<InsertedBlock> {
    return this.#whole.insertBlock(this.#owned(block))
  }

  async insertBlocks(blocks: readonly NewBlock[]): Promise<InsertedBlock[]> {
    return this.#whole.insertBlocks(blocks.map((block) => this.#owned(block)))
  }

  saveBlocks(blocks: readonly Block[]): Promise<void> {
    return this.#whole.saveBlocks(blocks.filter(({ id }) => this.#sees(id)))
  }

  saveIndex(entries: readonly BlockIndex[]): Promise<void> {
    return this.#whole.saveIndex(entries.filter(({ id }) => this.#sees(id)))
  }

  reinforceBlocks(ids: readonly string[], hours: number): Promise<string[]> {
    return this.#whole.reinforceBlocks(
      ids.filter((id) => this.#sees(id)),
      hours,
    )
  }

  archiveEdgesOf(
    blocks: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
  ): Promise<void> {
    return this.#whole.archiveEdgesOf(blocks.filter(({ id }) => this.#sees(id)))
  }

  addArchivedEdges(edges: readonly Edge[]): Promise<void> {
    return this.#whole.addArchivedEdges(edges.filter(({ from, to }) => this.#sees(from) && this.#sees(to)))
  }

  log(record: NewOperation): Promise<number> {
    return this.#whole.logFor(this.#scope, record)
  }

  async logAll(records: readonly NewOperation[]): Promise<void> {
    for (const record of records) await this.#whole.logFor(this.#scope, record)
  }

  beginShadow() {
    return this.#whole.beginShadow()
  }

  saveShadow(...given: Given<'saveShadow'>) {
    return this.#whole.saveShadow(...given)
  }

  swapVectors() {
    return this.#whole.swapVectors()
  }

  dropShadow() {
    return this.#whole.dropShadow()
  }

  saveWaitingVectors(...[vectors]: Given<'saveWaitingVectors'>) {
    return this.#whole.saveWaitingVectors(vectors.filter(({ id }) => this.#sees(id)))
  }

  dropWaitingVectors() {
    return this.#whole.dropWaitingVectors()
  }

  saveMeta(...given: Given<'saveMeta'>): Promise<void> {
    return this.#whole.saveMeta(...given)
  }

  async saveSession(...[session]: Given<'saveSession'>): Promise<void> {
    const { sessions } = this.#state()
    const known = sessions.get(session.id)
    if (known === undefined || known.scope === this.#scope)
      sessions.set(session.id, { session, scope: this.#scope })
  }

  async trimSessions(...[keep, most]: Given<'trimSessions'>): Promise<number> {
    const state = this.#state()
    const own = [...state.sessions.values()].filter(({ scope }) => scope === this.#scope)
    return trimSessions(
      state,
      own.map(({ session }) => session),
      { keep, most },
    )
  }

  saveEdges(...given: Given<'saveEdges'>) {
    return this.#through((tx) => tx.saveEdges(...given))
  }

  removeEdges(...given: Given<'removeEdges'>) {
    return this.#through((tx) => tx.removeEdges(...given))
  }

  removeUnusedEdges(...given: Given<'removeUnusedEdges'>) {
    return this.#through((tx) => tx.removeUnusedEdges(...given))
  }

  reinforceEdgesAmong(...given: Given<'reinforceEdgesAmong'>) {
    return this.#through((tx) => tx.reinforceEdgesAmong(...given))
  }

  stagePairs(...given: Given<'stagePairs'>) {
    return this.#through((tx) => tx.stagePairs(...given))
  }

  removeStaleStaging() {
    return this.#through((tx) => tx.removeStaleStaging())
  }

  savePairs(...given: Given<'savePairs'>) {
    return this.#through((tx) => tx.savePairs(...given))
  }

  resolvePair(...given: Given<'resolvePair'>) {
    return this.#through((tx) => tx.resolvePair(...given))
  }

  savePendingConnections(...given: Given<'savePendingConnections'>) {
    return this.#through((tx) => tx.savePendingConnections(...given))
  }

  removePendingConnections(...given: Given<'removePendingConnections'>) {
    return this.#through((tx) => tx.removePendingConnections(...given))
  }

  saveDisconnections(...given: Given<'saveDisconnections'>) {
    return this.#through((tx) => tx.saveDisconnections(...given))
  }

  removeDisconnections(...given: Given<'removeDisconnections'>) {
    return this.#through((tx) => tx.removeDisconnections(...given))
  }

  trimDisconnections(...given: Given<'trimDisconnections'>) {
    return this.#through((tx) => tx.trimDisconnections(...given))
  }

  queueUnlabelled(...given: Given<'queueUnlabelled'>) {
    return this.#through((tx) => tx.queueUnlabelled(...given))
  }

  removeUnlabelled(...given: Given<'removeUnlabelled'>) {
    return this.#through((tx) => tx.removeUnlabelled(...given))
  }

  appendOutcomes(...given: Given<'appendOutcomes'>) {
    return this.#through((tx) => tx.appendOutcomes(...given))
  }

  queueOutcomes(...given: Given<'queueOutcomes'>) {
    return this.#through((tx) => tx.queueOutcomes(...given))
  }

  takeQueuedOutcomes(...given: Given<'takeQueuedOutcomes'>) {
    return this.#through((tx) => tx.takeQueuedOutcomes(...given))
  }

  takeArchivedEdges(...given: Given<'takeArchivedEdges'>) {
    return this.#through((tx) => tx.takeArchivedEdges(...given))
  }

  trimLog(...given: Given<'trimLog'>) {
    return this.#through((tx) => tx.trimLog(...given))
  }

  trimChanges(...[bytes]: Given<'trimChanges'>) {
    return this.#whole.trimChanges(bytes)
  }

  touchedEdges(...given: Given<'touchedEdges'>) {
    return this.#whole.touchedEdges(...given)
  }

  async revert(...[kept, except]: Given<'revert'>) {
    const { operations, kept: changes } = this.#state()
    const { first = kept } = changes.get(kept) ?? {}
    const entries = operations.filter(({ id }) => first <= id && id <= kept)
    return entries.every(({ scope }) => scope === this.#scope) ? this.#whole.revert(kept, except) : undefined
  }

  async #through<T>(work: (tx: MemoryWriter) => Promise<T>): Promise<T> {
    const state = this.#state()
    const before = visibleState(state, this.#scope)
    const after = copyState(before)
    const result = await work(new MemoryWriter(() => after))
    takeOver(state, before, after)
    return result
  }

  #owned(block: NewBlock): NewBlock {
    if (this.#state().blocks.has(block.id) && !this.#sees(block.id))
      throw new ElfmemError('INVALID_INPUT', `A block of another scope has the id ${block.id}.`, {
        recovery: 'Give the block another id.',
      })
    return { ...block, scope: this.#scope }
  }

  #sees(id: string): boolean {
    return this.#state().blocks.get(id)?.block.scope === this.#scope
  }
}
