import type { Block, BlockIndex, BlockStatus } from '../../domain/block.ts'
import type { BlockPair, Disconnection, Edge, Ends, PendingConnection } from '../../domain/edge.ts'
import type {
  BlockFilter,
  IndexedBlock,
  NewBlock,
  OperationFilter,
  OperationRecord,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
  StoreReader,
  StoreWriter,
} from '../../ports/store.ts'
import type { SpareVector } from '../../ports/store-vectors.ts'
import * as blocks from './blocks.ts'
import { readChanges, readSequence, visitActive } from './changes.ts'
import { readCounts, readWaiting } from './counts.ts'
import * as curation from './curation.ts'
import * as edges from './edges.ts'
import * as operations from './operations.ts'
import * as outcomes from './outcomes.ts'
import { readPage } from './pages.ts'
import * as pairs from './pairs.ts'
import * as pending from './pending.ts'
import type { Scope } from './scope.ts'
import * as sessions from './sessions.ts'
import * as staging from './staging.ts'
import * as vectors from './vectors.ts'

/** What a caller of `read` holds: each call runs in its scope. */
export class ReadTransaction implements StoreReader {
  protected readonly scope: Scope

  constructor(scope: Scope) {
    this.scope = scope
  }

  clock() {
    return this.scope.run((connection) => operations.readClock(connection))
  }

  changes(since: number) {
    return this.scope.run((connection) => readChanges(connection, since))
  }

  blocks(ids: readonly string[]) {
    return this.scope.run((connection) => blocks.readBlocks(connection, ids))
  }

  vectors(ids: readonly string[]) {
    return this.scope.run((connection) => vectors.readVectors(connection, ids))
  }

  vectorTotals() {
    return this.scope.run((connection) => vectors.readVectorTotals(connection))
  }

  missingSpare(limit: number) {
    return this.scope.run((connection) => vectors.readMissingSpare(connection, limit))
  }

  idsByPrefix(prefixes: readonly string[]) {
    return this.scope.run((connection) => blocks.readIdsByPrefix(connection, prefixes))
  }

  page(filter: BlockFilter) {
    return this.scope.run((connection) => readPage(connection, filter))
  }

  links(ids: readonly string[]) {
    return this.scope.run((connection) => edges.readLinks(connection, ids))
  }

  degrees(ids: readonly string[]) {
    return this.scope.run((connection) => edges.readDegrees(connection, ids))
  }

  edgesAround(ids: readonly string[]) {
    return this.scope.run((connection) => edges.readEdgesAround(connection, ids))
  }

  strengths(ids: readonly string[]) {
    return this.scope.run((connection) => edges.readStrengths(connection, ids))
  }

  strongest(limit: number, rank: number) {
    return this.scope.run((connection) => edges.readStrongest(connection, limit, rank))
  }

  stagedPairs(filter: Parameters<StoreReader['stagedPairs']>[0]) {
    return this.scope.run((connection) => staging.readStagedPairs(connection, filter))
  }

  pendingConnections(limit: number) {
    return this.scope.run((connection) => pending.readPending(connection, limit))
  }

  disconnections(ids: readonly string[], since: number) {
    return this.scope.run((connection) => pending.readDisconnections(connection, ids, since))
  }

  sequence() {
    return this.scope.run((connection) => readSequence(connection))
  }

  activeBlocks(visit: (batch: readonly IndexedBlock[]) => void) {
    return this.scope.run((connection) => visitActive(connection, visit))
  }

  waiting() {
    return this.scope.run((connection) => readWaiting(connection))
  }

  counts() {
    return this.scope.run((connection) => readCounts(connection))
  }

  operations(filter: OperationFilter) {
    return this.scope.run((connection) => operations.readOperations(connection, filter))
  }

  outcomes(blockId: string, limit: number) {
    return this.scope.run((connection) => outcomes.readOutcomes(connection, blockId, limit))
  }

  openPairs(limit: number) {
    return this.scope.run((connection) => pairs.readOpenPairs(connection, limit))
  }

  meta(key: string) {
    return this.scope.run((connection) => sessions.readMeta(connection, key))
  }

  session(id: string) {
    return this.scope.run((connection) => sessions.readSession(connection, id))
  }

  latestOpenSession() {
    return this.scope.run((connection) => sessions.readLatestOpenSession(connection))
  }

  vitalityPage(afterId: string, limit: number) {
    return this.scope.run((connection) => curation.readVitalityPage(connection, afterId, limit))
  }

  edgePage(after: Ends, limit: number) {
    return this.scope.run((connection) => edges.readEdgePage(connection, after, limit))
  }
}

/** What a caller of `write` holds. */
export class WriteTransaction extends ReadTransaction implements StoreWriter {
  insertBlock(block: NewBlock) {
    return this.scope.run((connection) => blocks.insertBlock(connection, block))
  }

  insertBlocks(inserted: readonly NewBlock[]) {
    return this.scope.run((connection) => blocks.insertBlocks(connection, inserted))
  }

  saveBlocks(saved: readonly Block[]) {
    return this.scope.run((connection) => blocks.updateBlocks(connection, saved))
  }

  saveIndex(entries: readonly BlockIndex[]) {
    return this.scope.run((connection) => blocks.saveIndex(connection, entries))
  }

  beginSpare() {
    return this.scope.run((connection) => vectors.beginSpare(connection))
  }

  saveSpare(saved: readonly SpareVector[]) {
    return this.scope.run((connection) => vectors.saveSpare(connection, saved))
  }

  swapVectors() {
    return this.scope.run((connection) => vectors.swapVectors(connection))
  }

  dropSpare() {
    return this.scope.run((connection) => vectors.dropSpare(connection))
  }

  reinforceBlocks(ids: readonly string[], hours: number) {
    return this.scope.run((connection) => blocks.reinforceBlocks(connection, ids, hours))
  }

  saveEdges(saved: readonly Edge[]) {
    return this.scope.run((connection) => edges.saveEdges(connection, saved))
  }

  removeEdges(ends: readonly Ends[]) {
    return this.scope.run((connection) => edges.removeEdges(connection, ends))
  }

  removeUnusedEdges(given: readonly Edge[]) {
    return this.scope.run((connection) => edges.removeUnusedEdges(connection, given))
  }

  reinforceEdgesAmong(ids: readonly string[], hours: number) {
    return this.scope.run((connection) => edges.reinforceEdgesAmong(connection, ids, hours))
  }

  stagePairs(ends: readonly Ends[], options: Parameters<StoreWriter['stagePairs']>[1]) {
    return this.scope.run((connection) => staging.stagePairs(connection, ends, options))
  }

  removeStaleStaging() {
    return this.scope.run((connection) => staging.removeStaleStaging(connection))
  }

  savePairs(saved: readonly BlockPair[]) {
    return this.scope.run((connection) => pairs.savePairs(connection, saved))
  }

  resolvePair(a: string, b: string) {
    return this.scope.run((connection) => pairs.resolvePair(connection, a, b))
  }

  savePendingConnections(connections: readonly PendingConnection[]) {
    return this.scope.run((connection) => pending.savePending(connection, connections))
  }

  removePendingConnections(ends: readonly Ends[]) {
    return this.scope.run((connection) => pending.removePending(connection, ends))
  }

  saveDisconnections(disconnections: readonly Disconnection[]) {
    return this.scope.run((connection) => pending.saveDisconnections(connection, disconnections))
  }

  removeDisconnections(ends: readonly Ends[]) {
    return this.scope.run((connection) => pending.removeDisconnections(connection, ends))
  }

  trimDisconnections(since: number) {
    return this.scope.run((connection) => pending.trimDisconnections(connection, since))
  }

  appendOutcomes(records: readonly OutcomeRecord[]) {
    return this.scope.run((connection) => outcomes.appendOutcomes(connection, records))
  }

  queueOutcomes(queued: readonly QueuedOutcome[]) {
    return this.scope.run((connection) => outcomes.queueOutcomes(connection, queued))
  }

  takeQueuedOutcomes(blockIds: readonly string[]) {
    return this.scope.run((connection) => outcomes.takeQueuedOutcomes(connection, blockIds))
  }

  bury(buried: readonly { readonly id: string; readonly previousStatus: BlockStatus }[]) {
    return this.scope.run((connection) => curation.bury(connection, buried))
  }

  takeTombstone(blockId: string) {
    return this.scope.run((connection) => curation.takeTombstone(connection, blockId))
  }

  entomb(buried: readonly Edge[]) {
    return this.scope.run((connection) => curation.entomb(connection, buried))
  }

  log(record: Omit<OperationRecord, 'id'>) {
    return this.scope.run((connection) => operations.logOperation(connection, record))
  }

  logAll(records: readonly Omit<OperationRecord, 'id'>[]) {
    return this.scope.run((connection) => operations.logOperations(connection, records))
  }

  trimLog(keep: number, most: number) {
    return this.scope.run((connection) => operations.trimOperations(connection, keep, most))
  }

  saveMeta(key: string, value: string) {
    return this.scope.run((connection) => sessions.saveMeta(connection, key, value))
  }

  saveSession(session: SessionRecord) {
    return this.scope.run((connection) => sessions.saveSession(connection, session))
  }
}
