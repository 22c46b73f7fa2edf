import { mustBeSameScope } from '../domain/block/scope.ts'
import type { Database, Rows } from '../ports/store/rows.ts'
import type { Store, WriteOptions } from '../ports/store/store.ts'
import type { StoreReader, StoreWriter } from '../ports/store/transaction.ts'
import { openPast } from './past/past.ts'
import * as archive from './rules/archive.ts'
import * as blocks from './rules/blocks.ts'
import * as evidence from './rules/evidence.ts'
import * as graph from './rules/graph.ts'
import * as items from './rules/items.ts'
import * as log from './rules/log.ts'
import * as proposals from './rules/proposals.ts'
import * as vectors from './rules/vectors.ts'
import { blocks as BLOCKS } from './tables.ts'
import { Transaction } from './transaction.ts'
import { readKeptChanges } from './undo/changes.ts'
import { Recorder } from './undo/images.ts'
import { revert } from './undo/revert.ts'

const READS: Functions<StoreReader, Transaction> = {
  clock: async (tx) => (await tx.state()).clock,
  sequence: async (tx) => (await tx.state()).sequence,
  changes: ({ rows }, since) => rows.queries.changes(since),
  livingBlocks: ({ rows }, visit) => rows.queries.livingBlocks(visit),
  removedSince: log.readRemovedSince,
  blocks: blocks.readBlocks,
  sameTexts: blocks.readSameTexts,
  replacing: ({ rows }, ids, limit) => rows.queries.replacing(ids, limit),
  idsByPrefix: ({ rows }, prefixes) => rows.queries.idsByPrefix(prefixes),
  page: blocks.readPage,
  tagsIn: ({ rows }, scope, limit) => rows.queries.tagsIn(scope, limit),
  scopes: ({ rows }, limit) => rows.queries.scopes(limit),
  waiting: ({ rows }) => rows.count(BLOCKS, { status: 'inbox' }),
  counts: ({ rows }) => rows.queries.counts(),
  vitalityPage: blocks.readVitalityPage,
  datedPage: blocks.readDatedPage,
  oldestLogged: log.readOldest,
  loggedBeyond: log.readBeyond,
  days: log.readDays,
  vectors: vectors.readVectors,
  vectorTotals: vectors.readVectorTotals,
  missingShadow: ({ rows }, limit) => rows.queries.missingShadow(limit),
  links: graph.readLinks,
  groupedPairs: ({ rows }, ids, limit) => rows.queries.groupedPairs(ids, limit),
  edgesAround: graph.readEdgesAround,
  degrees: graph.readDegrees,
  strengths: graph.readStrengths,
  strongest: ({ rows }, limit, rank) => rows.queries.strongest(limit, rank),
  edgeNotes: graph.readEdgeNotes,
  edgePage: graph.readEdgePage,
  heaviestEdges: graph.readHeaviestEdges,
  openPairs: graph.readOpenPairs,
  settledPairs: graph.readSettledPairs,
  stagedPairs: graph.readStagedPairs,
  pendingConnections: graph.readPending,
  disconnections: graph.readDisconnections,
  operations: ({ rows }, filter) => rows.queries.operations(filter),
  outcomes: log.readOutcomes,
  keptChanges: readKeptChanges,
  meta: log.readMeta,
  session: log.readSession,
  latestOpenSession: log.readLatestOpenSession,
  pendingJudgements: ({ rows }, filter) => rows.queries.pendingJudgements(filter),
  judgementCounts: ({ rows }, judgedBefore) => rows.queries.judgementCounts(judgedBefore),
  unlabelledPairs: ({ rows }, limit) => rows.queries.unlabelledPairs(limit),
  groundsOf: blocks.readGroundsOf,
  restingOn: blocks.readRestingOn,
  occurrencesOf: blocks.readOccurrencesOf,
  groundPage: blocks.readGroundPage,
  items: items.readItems,
  itemPage: items.readItemPage,
  itemNamespaces: items.readItemNamespaces,
  itemCount: items.countItems,
  itemsOfBlocks: items.readItemsOfBlocks,
  proposals: proposals.readProposals,
  proposalPage: proposals.readProposalPage,
  waitingOfOthers: proposals.readWaitingOfOthers,
  unlabelledPage: proposals.readUnlabelledPage,
  decisionCounts: proposals.countDecisions,
  experience: evidence.readExperience,
  recalls: evidence.readRecalls,
}

const WRITES: Functions<StoreWriter, Transaction> = {
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
  savePairs: graph.savePairs,
  resolvePairs: graph.resolvePairs,
  savePendingConnections: graph.savePending,
  removePendingConnections: graph.removePending,
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
  removeLogged: log.removeOperations,
  trimSessions: log.trimSessions,
  saveMeta: log.saveMeta,
  saveSession: log.saveSession,
  queueUnlabelled: graph.queueUnlabelled,
  removeUnlabelled: graph.removeUnlabelled,
  saveGrounds: blocks.saveGrounds,
  removeGrounds: blocks.removeGrounds,
  saveItems: items.saveItems,
  removeItems: items.removeItems,
  saveProposals: proposals.saveProposals,
  noteAsked: evidence.noteAsked,
  saveEvidence: evidence.saveEvidence,
  dropQuestionVectors: evidence.dropQuestionVectors,
  trimChanges: log.trimChanges,
  revert,
}

const Reader = boundTo<StoreReader, Transaction>(READS)
const Writer = boundTo<StoreWriter, Transaction>(WRITES)

/** Returns the handle of a caller who may write, over the rows of a transaction that somebody else ends. */
export function writerOn(rows: Rows): StoreWriter {
  return new Writer(new Transaction(rows))
}

/** Returns the store of the memory whose rows lie in a database, or one scope of it. */
export function createStore(database: Database, scope?: string): Store {
  const store: Store = {
    location: database.location,
    ...(database.files === undefined || scope !== undefined ? {} : { files: database.files }),
    get statements() {
      return database.statements
    },
    within: (asked) => {
      if (scope === undefined) return createStore(database, asked)
      mustBeSameScope(scope, asked)
      return store
    },
    past: async (moment) => {
      const { database: past, ...known } = await openPast(database, moment)
      return { store: createStore(past, scope), ...known }
    },
    read: (work, options) =>
      database.read((rows) => work(new Reader(new Transaction(rows))), { ...options, scope }),
    write: (work, options = {}) => write(database, work, { ...options, scope }),
    version: () => database.version(),
    close: () => database.close(),
  }
  return store
}

function write<T>(
  database: Database,
  work: (tx: StoreWriter) => Promise<T>,
  { undoable = false, onKept, ...options }: WriteOptions & { readonly scope: string | undefined },
): Promise<T> {
  const recorder = undoable ? new Recorder() : undefined
  return database.write(
    async (rows, state) => {
      const tx = new Transaction(rows, state)
      const result = await work(new Writer(tx))
      const kept = await recorder?.keep(tx)
      if (kept !== undefined) onKept?.(kept)
      return result
    },
    { ...options, ...(recorder === undefined ? {} : { changed: recorder.changed }) },
  )
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
