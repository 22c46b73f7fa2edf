import type { Queries } from '../../ports/store/queries.ts'
import { boundTo, type Functions } from '../../store/methods.ts'
import type { ScopedConnection, TransactionLife } from '../connection/connection.ts'
import {
  numberBlocks,
  readBlocksByText,
  readIdsByPrefix,
  readMissingShadow,
  readReplacing,
  readVectorTotals,
  useBlocks,
} from './blocks.ts'
import { readChanges, visitLiving } from './changes.ts'
import { readCounts, readScopes, readTags } from './counts.ts'
import { readGroupedPairs, readStrengths, readStrongest } from './graph.ts'
import { readJudgementCounts, readPendingJudgements, readUnlabelled } from './judging.ts'
import { readOperations, trimChanges } from './operations.ts'
import { readPage } from './pages.ts'

const QUERIES: Functions<Queries, ScopedConnection> = {
  changes: readChanges,
  livingBlocks: visitLiving,
  use: useBlocks,
  number: numberBlocks,
  blocksByText: readBlocksByText,
  replacing: readReplacing,
  idsByPrefix: readIdsByPrefix,
  page: readPage,
  tagsIn: readTags,
  scopes: readScopes,
  counts: readCounts,
  operations: readOperations,
  trimChanges,
  groupedPairs: readGroupedPairs,
  strengths: readStrengths,
  strongest: readStrongest,
  pendingJudgements: readPendingJudgements,
  judgementCounts: readJudgementCounts,
  unlabelledPairs: readUnlabelled,
  vectorTotals: readVectorTotals,
  missingShadow: readMissingShadow,
}

/** The questions to a database, each asked within the life of a transaction. */
export const BoundQueries = boundTo<
  Queries,
  { readonly life: TransactionLife; readonly connection: ScopedConnection }
>(QUERIES as never, ({ life, connection }, work, args) => life.run(() => work(connection, ...args)))
