import type { Ends } from '../../domain/graph/edge.ts'
import type { PendingJudgementFilter } from '../../ports/store/judging.ts'
import type {
  BlockFilter,
  IndexedBlock,
  OperationFilter,
  SaidText,
  StoreReader,
} from '../../ports/store/transaction.ts'
import * as curation from '../graph/curation.ts'
import * as edges from '../graph/edges.ts'
import { readGroupedPairs } from '../graph/groups.ts'
import * as judging from '../graph/judging.ts'
import * as pairs from '../graph/pairs.ts'
import * as pending from '../graph/pending.ts'
import * as staging from '../graph/staging.ts'
import * as blocks from '../queries/blocks.ts'
import { readChanges, readSequence, visitLiving } from '../queries/changes.ts'
import { readCounts, readScopes, readWaiting } from '../queries/counts.ts'
import * as operations from '../queries/operations.ts'
import * as outcomes from '../queries/outcomes.ts'
import { readPage } from '../queries/pages.ts'
import { readRemovedSince } from '../queries/removed.ts'
import * as sessions from '../queries/sessions.ts'
import { readTags } from '../queries/tags.ts'
import { readReplacing, readSameTexts } from '../queries/texts.ts'
import * as vectors from '../queries/vectors.ts'
import type { TransactionLife } from './transaction-life.ts'

/** Handle of a caller of `read`: each call runs within the life of its transaction. */
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

  sameTexts(texts: readonly SaidText[]) {
    return this.life.run((connection) => readSameTexts(connection, texts))
  }

  replacing(ids: readonly string[], limit: number) {
    return this.life.run((connection) => readReplacing(connection, ids, limit))
  }

  vectors(ids: readonly string[]) {
    return this.life.run((connection) => vectors.readVectors(connection, ids))
  }

  vectorTotals() {
    return this.life.run((connection) => vectors.readVectorTotals(connection))
  }

  missingShadow(limit: number) {
    return this.life.run((connection) => vectors.readMissingShadow(connection, limit))
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

  groupedPairs(ids: readonly string[], limit: number) {
    return this.life.run((connection) => readGroupedPairs(connection, ids, limit))
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

  removedSince(generation: number) {
    return this.life.run((connection) => readRemovedSince(connection, generation))
  }

  livingBlocks(visit: (batch: readonly IndexedBlock[]) => void) {
    return this.life.run((connection) => visitLiving(connection, visit))
  }

  tagsIn(scope: string | undefined, limit: number) {
    return this.life.run((connection) => readTags(connection, scope, limit))
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

  pendingJudgements(filter: PendingJudgementFilter) {
    return this.life.run((connection) => judging.readPendingJudgements(connection, filter))
  }

  judgementCounts(judgedBefore: string) {
    return this.life.run((connection) => judging.readJudgementCounts(connection, judgedBefore))
  }

  unlabelledPairs(limit: number) {
    return this.life.run((connection) => judging.readUnlabelled(connection, limit))
  }
}
