import type { Block, BlockIndex, BlockStatus } from '../../domain/block.ts'
import type { BlockPair, Disconnection, Edge, Ends, PendingConnection } from '../../domain/edge.ts'
import type {
  BlockFilter,
  IndexedBlock,
  NewBlock,
  NewOperation,
  OperationFilter,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
  StoreReader,
  StoreWriter,
} from '../../ports/store.ts'
import type { SpareVector } from '../../ports/store-vectors.ts'
import * as blocks from './blocks.ts'
import { readChanges, readSequence, visitActive } from './changes.ts'
import { readCounts, readScopes, readWaiting } from './counts.ts'
import * as curation from './curation.ts'
import * as edges from './edges.ts'
import * as operations from './operations.ts'
import * as outcomes from './outcomes.ts'
import { readPage } from './pages.ts'
import * as pairs from './pairs.ts'
import * as pending from './pending.ts'
import * as sessions from './sessions.ts'
import * as staging from './staging.ts'
import type { TransactionLife } from './transaction-life.ts'
import * as vectors from './vectors.ts'

/** What a caller of `read` holds: each call runs within its life. */
export class ReadTransaction implements StoreReader {
  protected readonly life: TransactionLife

  constructor(life: TransactionLife) {
    this.life = life
  }

  clock() {
    return this.life.run((connection) => operations.readClock(connection))
  }

  changes(since: number) {
    return this.life.run((connection) => readChanges(connection, since))
  }

  blocks(ids: readonly string[]) {
    return this.life.run((connection) => blocks.readBlocks(connection, ids))
  }

  vectors(ids: readonly string[]) {
    return this.life.run((connection) => vectors.readVectors(connection, ids))
  }

  vectorTotals() {
    return this.life.run((connection) => vectors.readVectorTotals(connection))
  }

  missingSpare(limit: number) {
    return this.life.run((connection) => vectors.readMissingSpare(connection, limit))
  }

  idsByPrefix(prefixes: readonly string[]) {
    return this.life.run((connection) => blocks.readIdsByPrefix(connection, prefixes))
  }

  page(filter: BlockFilter) {
    return this.life.run((connection) => readPage(connection, filter))
  }

  links(ids: readonly string[]) {
    return this.life.run((connection) => edges.readLinks(connection, ids))
  }

  degrees(ids: readonly string[]) {
    return this.life.run((connection) => edges.readDegrees(connection, ids))
  }

  edgesAround(ids: readonly string[]) {
    return this.life.run((connection) => edges.readEdgesAround(connection, ids))
  }

  strengths(ids: readonly string[]) {
    return this.life.run((connection) => edges.readStrengths(connection, ids))
  }

  strongest(limit: number, rank: number) {
    return this.life.run((connection) => edges.readStrongest(connection, limit, rank))
  }

  stagedPairs(filter: Parameters<StoreReader['stagedPairs']>[0]) {
    return this.life.run((connection) => staging.readStagedPairs(connection, filter))
  }

  pendingConnections(limit: number) {
    return this.life.run((connection) => pending.readPending(connection, limit))
  }

  disconnections(ids: readonly string[], since: number) {
    return this.life.run((connection) => pending.readDisconnections(connection, ids, since))
  }

  sequence() {
    return this.life.run((connection) => readSequence(connection))
  }

  activeBlocks(visit: (batch: readonly IndexedBlock[]) => void) {
    return this.life.run((connection) => visitActive(connection, visit))
  }

  scopes(limit: number) {
    return this.life.run((connection) => readScopes(connection, limit))
  }

  waiting() {
    return this.life.run((connection) => readWaiting(connection))
  }

  counts() {
    return this.life.run((connection) => readCounts(connection))
  }

  operations(filter: OperationFilter) {
    return this.life.run((connection) => operations.readOperations(connection, filter))
  }

  outcomes(blockId: string, limit: number) {
    return this.life.run((connection) => outcomes.readOutcomes(connection, blockId, limit))
  }

  openPairs(limit: number) {
    return this.life.run((connection) => pairs.readOpenPairs(connection, limit))
  }

  meta(key: string) {
    return this.life.run((connection) => sessions.readMeta(connection, key))
  }

  session(id: string) {
    return this.life.run((connection) => sessions.readSession(connection, id))
  }

  latestOpenSession() {
    return this.life.run((connection) => sessions.readLatestOpenSession(connection))
  }

  vitalityPage(afterId: string, limit: number) {
    return this.life.run((connection) => curation.readVitalityPage(connection, afterId, limit))
  }

  edgePage(after: Ends, limit: number) {
    return this.life.run((connection) => edges.readEdgePage(connection, after, limit))
  }
}

/** What a caller of `write` holds. */
export class WriteTransaction extends ReadTransaction implements StoreWriter {
  insertBlock(block: NewBlock) {
    return this.life.run((connection) => blocks.insertBlock(connection, block))
  }

  insertBlocks(inserted: readonly NewBlock[]) {
    return this.life.run((connection) => blocks.insertBlocks(connection, inserted))
  }

  saveBlocks(saved: readonly Block[]) {
    return this.life.run((connection) => blocks.updateBlocks(connection, saved))
  }

  saveIndex(entries: readonly BlockIndex[]) {
    return this.life.run((connection) => blocks.saveIndex(connection, entries))
  }

  beginSpare() {
    return this.life.run((connection) => vectors.beginSpare(connection))
  }

  saveSpare(saved: readonly SpareVector[]) {
    return this.life.run((connection) => vectors.saveSpare(connection, saved))
  }

  swapVectors() {
    return this.life.run((connection) => vectors.swapVectors(connection))
  }

  dropSpare() {
    return this.life.run((connection) => vectors.dropSpare(connection))
  }

  reinforceBlocks(ids: readonly string[], hours: number) {
    return this.life.run((connection) => blocks.reinforceBlocks(connection, ids, hours))
  }

  saveEdges(saved: readonly Edge[]) {
    return this.life.run((connection) => edges.saveEdges(connection, saved))
  }

  removeEdges(ends: readonly Ends[]) {
    return this.life.run((connection) => edges.removeEdges(connection, ends))
  }

  removeUnusedEdges(given: readonly Edge[]) {
    return this.life.run((connection) => edges.removeUnusedEdges(connection, given))
  }

  reinforceEdgesAmong(ids: readonly string[], hours: number) {
    return this.life.run((connection) => edges.reinforceEdgesAmong(connection, ids, hours))
  }

  stagePairs(ends: readonly Ends[], options: Parameters<StoreWriter['stagePairs']>[1]) {
    return this.life.run((connection) => staging.stagePairs(connection, ends, options))
  }

  removeStaleStaging() {
    return this.life.run((connection) => staging.removeStaleStaging(connection))
  }

  savePairs(saved: readonly BlockPair[]) {
    return this.life.run((connection) => pairs.savePairs(connection, saved))
  }

  resolvePair(a: string, b: string) {
    return this.life.run((connection) => pairs.resolvePair(connection, a, b))
  }

  savePendingConnections(connections: readonly PendingConnection[]) {
    return this.life.run((connection) => pending.savePending(connection, connections))
  }

  removePendingConnections(ends: readonly Ends[]) {
    return this.life.run((connection) => pending.removePending(connection, ends))
  }

  saveDisconnections(disconnections: readonly Disconnection[]) {
    return this.life.run((connection) => pending.saveDisconnections(connection, disconnections))
  }

  removeDisconnections(ends: readonly Ends[]) {
    return this.life.run((connection) => pending.removeDisconnections(connection, ends))
  }

  trimDisconnections(since: number) {
    return this.life.run((connection) => pending.trimDisconnections(connection, since))
  }

  appendOutcomes(records: readonly OutcomeRecord[]) {
    return this.life.run((connection) => outcomes.appendOutcomes(connection, records))
  }

  queueOutcomes(queued: readonly QueuedOutcome[]) {
    return this.life.run((connection) => outcomes.queueOutcomes(connection, queued))
  }

  takeQueuedOutcomes(blockIds: readonly string[]) {
    return this.life.run((connection) => outcomes.takeQueuedOutcomes(connection, blockIds))
  }

  bury(buried: readonly { readonly id: string; readonly previousStatus: BlockStatus }[]) {
    return this.life.run((connection) => curation.bury(connection, buried))
  }

  takeTombstone(blockId: string) {
    return this.life.run((connection) => curation.takeTombstone(connection, blockId))
  }

  entomb(buried: readonly Edge[]) {
    return this.life.run((connection) => curation.entomb(connection, buried))
  }

  log(record: NewOperation) {
    return this.life.run((connection) => operations.logOperation(connection, record))
  }

  logAll(records: readonly NewOperation[]) {
    return this.life.run((connection) => operations.logOperations(connection, records))
  }

  trimLog(keep: number, most: number) {
    return this.life.run((connection) => operations.trimOperations(connection, keep, most))
  }

  saveMeta(key: string, value: string) {
    return this.life.run((connection) => sessions.saveMeta(connection, key, value))
  }

  saveSession(session: SessionRecord) {
    return this.life.run((connection) => sessions.saveSession(connection, session))
  }
}
