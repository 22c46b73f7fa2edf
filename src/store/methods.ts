import type { Rows } from '../ports/store/rows.ts'
import * as blocks from './rules/blocks.ts'
import * as evidence from './rules/evidence.ts'
import * as archive from './rules/graph.ts'
import * as graph from './rules/graph.ts'
import * as items from './rules/items.ts'
import * as log from './rules/log.ts'
import * as pairs from './rules/pairs.ts'
import * as vectors from './rules/vectors.ts'
import { Transaction } from './transaction.ts'
import { readKeptChanges } from './undo/changes.ts'
import { revert } from './undo/revert.ts'

/** The reading functions of the rules under the names of their methods. */
const READS = {
  clock: log.readClock,
  sequence: blocks.readSequence,
  changes: blocks.readChanges,
  livingBlocks: blocks.readLivingBlocks,
  removedSince: log.readRemovedSince,
  blocks: blocks.readBlocks,
  sameTexts: blocks.readSameTexts,
  replacing: blocks.readReplacing,
  idsByPrefix: blocks.readIdsByPrefix,
  page: blocks.readPage,
  tagsIn: blocks.readTagsIn,
  scopes: blocks.readScopes,
  waiting: blocks.readWaiting,
  counts: blocks.readCounts,
  vitalityPage: blocks.readVitalityPage,
  datedPage: blocks.readDatedPage,
  oldestLogged: log.readOldestLogged,
  loggedBeyond: log.readLoggedBeyond,
  days: log.readDays,
  vectors: vectors.readVectors,
  vectorTotals: vectors.readVectorTotals,
  missingShadow: vectors.readMissingShadow,
  links: graph.readLinks,
  groupedPairs: graph.readGroupedPairs,
  edgesAround: graph.readEdgesAround,
  degrees: graph.readDegrees,
  strengths: graph.readStrengths,
  strongest: graph.readStrongest,
  edgeNotes: graph.readEdgeNotes,
  edgePage: graph.readEdgePage,
  heaviestEdges: graph.readHeaviestEdges,
  openPairs: pairs.readOpenPairs,
  settledPairs: pairs.readSettledPairs,
  stagedPairs: graph.readStagedPairs,
  pendingConnections: graph.readPendingConnections,
  disconnections: graph.readDisconnections,
  operations: log.readOperations,
  outcomes: log.readOutcomes,
  keptChanges: readKeptChanges,
  meta: log.readMeta,
  session: log.readSession,
  latestOpenSession: log.readLatestOpenSession,
  pendingJudgements: pairs.readPendingJudgements,
  judgementCounts: pairs.readJudgementCounts,
  unlabelledPairs: pairs.readUnlabelledPairs,
  groundsOf: blocks.readGroundsOf,
  restingOn: blocks.readRestingOn,
  groundPage: blocks.readGroundPage,
  items: items.readItems,
  itemPage: items.readItemPage,
  itemNamespaces: items.readItemNamespaces,
  itemCount: items.readItemCount,
  itemsOfBlocks: items.readItemsOfBlocks,
  proposals: pairs.readProposals,
  proposalPage: pairs.readProposalPage,
  waitingOfOthers: pairs.readWaitingOfOthers,
  unlabelledPage: pairs.readUnlabelledPage,
  decisionCounts: pairs.readDecisionCounts,
  experience: evidence.readExperience,
  recalls: evidence.readRecalls,
}

/** All functions of the rules under the names of their methods. */
const WRITES = {
  ...READS,
  insertBlock: blocks.insertBlock,
  insertBlocks: blocks.insertBlocks,
  saveBlocks: blocks.saveBlocks,
  saveOccurrences: blocks.saveOccurrences,
  reinforceBlocks: blocks.reinforceBlocks,
  saveIndex: vectors.saveIndex,
  saveWaitingVectors: vectors.saveWaitingVectors,
  dropWaitingVectors: vectors.dropWaitingVectors,
  beginShadow: vectors.beginShadow,
  saveShadow: vectors.saveShadow,
  swapVectors: vectors.swapVectors,
  dropShadow: vectors.dropShadow,
  saveEdges: graph.saveEdges,
  removeEdges: graph.removeEdges,
  removeUnusedEdges: graph.removeUnusedEdges,
  reinforceEdgesAmong: graph.reinforceEdgesAmong,
  stagePairs: graph.stagePairs,
  removeStaleStaging: graph.removeStaleStaging,
  savePairs: pairs.savePairs,
  resolvePairs: pairs.resolvePairs,
  savePendingConnections: graph.savePendingConnections,
  removePendingConnections: graph.removePendingConnections,
  saveDisconnections: graph.saveDisconnections,
  removeDisconnections: graph.removeDisconnections,
  trimDisconnections: graph.trimDisconnections,
  appendOutcomes: log.appendOutcomes,
  queueOutcomes: log.queueOutcomes,
  takeQueuedOutcomes: log.takeQueuedOutcomes,
  archiveEdgesOf: archive.archiveEdgesOf,
  takeArchivedEdges: archive.takeArchivedEdges,
  addArchivedEdges: archive.addArchivedEdges,
  log: log.logOperation,
  logAll: log.logOperations,
  removeLogged: log.removeLogged,
  trimSessions: log.trimSessions,
  saveMeta: log.saveMeta,
  saveSession: log.saveSession,
  queueUnlabelled: pairs.queueUnlabelled,
  removeUnlabelled: pairs.removeUnlabelled,
  saveGrounds: blocks.saveGrounds,
  removeGrounds: blocks.removeGrounds,
  saveItems: items.saveItems,
  removeItems: items.removeItems,
  saveProposals: pairs.saveProposals,
  noteAsked: evidence.noteAsked,
  saveEvidence: evidence.saveEvidence,
  dropQuestionVectors: evidence.dropQuestionVectors,
  trimChanges: log.trimChanges,
  revert,
}

/** Functions of a transaction as methods of an object that has one. */
type Methods<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    tx: Transaction,
    ...args: infer Args
  ) => infer Answer
    ? (...args: Args) => Answer
    : never
}

/** Queries in one transaction; all see the same state. */
export interface StoreReader extends Methods<typeof READS> {}

/** Changes in one write transaction; its queries see them at once. */
export interface StoreWriter extends Methods<typeof WRITES> {}

const Reader = boundTo<StoreReader, Transaction>(READS as never)
const Writer = boundTo<StoreWriter, Transaction>(WRITES as never)

/** Returns the handle of a caller who reads. */
export function readerOn(rows: Rows): StoreReader {
  return new Reader(new Transaction(rows))
}

/** Returns the handle of a caller who may write, over the rows of a transaction that somebody else ends. */
export function writerOn(rows: Rows, tx: Transaction = new Transaction(rows)): StoreWriter {
  return new Writer(tx)
}

/** Functions that do what the methods of an interface promise, each given something before its own arguments. */
export type Functions<Methods, Given> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (given: Given, ...args: Args) => Answer | Promise<Answer>
    : never
}

/**
 * Returns a class whose methods call the functions, so that nobody writes a line for each.
 *
 * @param call calls a function with what the class was made with
 */
export function boundTo<Methods extends object, Given>(
  functions: Functions<Methods, Given>,
  call: (given: Given, work: (...args: unknown[]) => unknown, args: readonly unknown[]) => unknown = (
    given,
    work,
    args,
  ) => work(given, ...args),
): new (
  given: Given,
) => Methods {
  class Bound {
    readonly given: Given
    constructor(given: Given) {
      this.given = given
    }
  }
  for (const [name, work] of Object.entries(functions)) {
    const method = function (this: Bound, ...args: unknown[]) {
      return call(this.given, work as (...args: unknown[]) => unknown, args)
    }
    Object.defineProperty(Bound.prototype, name, { value: method })
  }
  return Bound as unknown as new (
    given: Given,
  ) => Methods
}
