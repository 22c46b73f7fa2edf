import type { Block, BlockIndex, BlockStatus } from '../../domain/block/block.ts'
import type { BlockPair, Disconnection, Edge, Ends, PendingConnection } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import type {
  NewBlock,
  NewOperation,
  OutcomeRecord,
  QueuedOutcome,
  SessionRecord,
  StoreWriter,
} from '../../ports/store/transaction.ts'
import type { Later } from '../../ports/store/undo.ts'
import type { ContentVector } from '../../ports/store/vectors.ts'
import * as curation from '../graph/curation.ts'
import * as edges from '../graph/edges.ts'
import * as judging from '../graph/judging.ts'
import * as pairs from '../graph/pairs.ts'
import * as pending from '../graph/pending.ts'
import * as staging from '../graph/staging.ts'
import * as blocks from '../queries/blocks.ts'
import * as operations from '../queries/operations.ts'
import * as outcomes from '../queries/outcomes.ts'
import * as sessions from '../queries/sessions.ts'
import * as vectors from '../queries/vectors.ts'
import * as waiting from '../queries/waiting-vectors.ts'
import { trimChanges } from '../undo/image.ts'
import * as undo from '../undo/revert.ts'
import { readTouchedEdges } from '../undo/touched.ts'
import { ReadTransaction } from './read-transaction.ts'

/** Handle of a caller of `write`. */
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

  beginShadow() {
    return this.life.run((connection) => vectors.beginShadow(connection))
  }

  saveShadow(saved: readonly ContentVector[]) {
    return this.life.run((connection) => vectors.saveShadow(connection, saved))
  }

  swapVectors() {
    return this.life.run((connection) => vectors.swapVectors(connection))
  }

  dropShadow() {
    return this.life.run((connection) => vectors.dropShadow(connection))
  }

  saveWaitingVectors(saved: readonly ContentVector[]) {
    return this.life.run((connection) => waiting.saveWaitingVectors(connection, saved))
  }

  dropWaitingVectors() {
    return this.life.run((connection) => waiting.dropWaitingVectors(connection))
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

  appendOutcomes(records: readonly OutcomeRecord[], keep: number) {
    return this.life.run((connection) => outcomes.appendOutcomes(connection, records, keep))
  }

  queueOutcomes(queued: readonly QueuedOutcome[], keep: number) {
    return this.life.run((connection) => outcomes.queueOutcomes(connection, queued, keep))
  }

  takeQueuedOutcomes(blockIds: readonly string[]) {
    return this.life.run((connection) => outcomes.takeQueuedOutcomes(connection, blockIds))
  }

  archiveEdgesOf(toArchive: readonly { readonly id: string; readonly previousStatus: BlockStatus }[]) {
    return this.life.run((connection) => curation.archiveEdgesOf(connection, toArchive))
  }

  takeArchivedEdges(blockId: string) {
    return this.life.run((connection) => curation.takeArchivedEdges(connection, blockId))
  }

  addArchivedEdges(toArchive: readonly Edge[]) {
    return this.life.run((connection) => curation.addArchivedEdges(connection, toArchive))
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

  trimSessions(keep: number, most: number) {
    return this.life.run((connection) => sessions.trimSessions(connection, keep, most))
  }

  queueUnlabelled(unlabelled: readonly UnlabelledPair[], keep: number) {
    return this.life.run((connection) => judging.queueUnlabelled(connection, unlabelled, keep))
  }

  removeUnlabelled(ends: readonly Ends[]) {
    return this.life.run((connection) => judging.removeUnlabelled(connection, ends))
  }

  trimChanges(bytes: number) {
    return this.life.run((connection) => trimChanges(connection, bytes))
  }

  revert(kept: number, except?: readonly number[]) {
    return this.life.run((connection) => undo.revert(connection, kept, except))
  }

  touchedEdges(ends: readonly Ends[], later: Later) {
    return this.life.run((connection) => readTouchedEdges(connection, ends, later))
  }
}
