import { defined } from '../block/text.ts'
import { type Table, viewOf } from './description.ts'
import { meta, operations } from './log-tables.ts'
import type { AnyRow } from './rows.ts'
import { questionEvidence, questions, recentQuestions } from './tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from './transaction.ts'

/** Key of `meta`: another value whenever reports changed anything, in any scope. It says nothing of another file. */
export const REPORTS_MARK = 'learning_mark'

const QUESTION = viewOf(questions, ['id', 'text', 'vector', 'hours'])
const EVIDENCE = viewOf(questionEvidence, ['question', 'blockId', 'helped', 'misled', 'graded', 'beside'])

const ASKED = viewOf(recentQuestions, ['operationId', 'text', 'vector'])
const RECALL = viewOf(operations, ['id', 'actor', 'session', 'blockIds'])

/** A question that something was reported on; `hours` are those of the last report, in active hours. */
export type StoredQuestion = NonNullable<typeof QUESTION.row>

/** The reports about a block after a question; of no known question the id is empty. */
export type BlockEvidence = NonNullable<typeof EVIDENCE.row>

/** The key of evidence. */
export type EvidenceKey = readonly [question: string, blockId: string]

/** The question of a recall. */
export type AskedQuestion = Pick<StoredQuestion, 'text' | 'vector'>

/** A recall that a report may be about: an entry of the log, with the blocks it showed, and what was asked, if anything. */
export type ReportableRecall = AskedQuestion & NonNullable<typeof RECALL.row>

/** Questions beyond those to keep are removed whenever so many more came: a statement seldom, not at each recall. */
const TRIMMED_EVERY = 32

/** The rows that a report changes. */
interface EvidenceChange {
  readonly questions: readonly StoredQuestion[]
  readonly evidence: readonly BlockEvidence[]
  /** Ids of questions that are removed. */
  readonly goneQuestions: readonly string[]
  readonly goneEvidence: readonly EvidenceKey[]
  /** Values of `meta`, by key. */
  readonly state: Readonly<Record<string, string>>
}

/** Reads the newest recalls with a question, newest first, or the one with an id. Two statements. */
export async function readRecalls(
  { rows }: ReadTransaction,
  { limit, id }: { readonly limit: number; readonly id?: number },
): Promise<ReportableRecall[]> {
  const newest = { from: ['operationId', 0], order: ['-operationId'], limit } as const
  const asked = id === undefined ? await rows.scan(ASKED, newest) : await rows.get(ASKED, [[id]])
  const logged = await rows.get(RECALL, keysOf(asked.map(({ operationId }) => operationId)))
  const byId = new Map(logged.map((entry) => [entry.id, entry]))
  return asked.flatMap(({ operationId, ...question }) => {
    const entry = byId.get(operationId)
    return entry === undefined ? [] : [{ ...question, ...entry }]
  })
}

/** Inserts the question of a recall that was just logged; from time to time all but the newest `keep` are removed. */
export async function noteAsked(
  tx: Transaction,
  operationId: number,
  asked: AskedQuestion,
  keep: number,
): Promise<void> {
  await tx.rows.insert(recentQuestions, [{ ...asked, operationId, ...defined({ scope: tx.scope }) }])
  if (operationId % TRIMMED_EVERY === 0)
    await tx.whole.rows.trim(recentQuestions, { order: ['operationId'], keep })
}

/** Reads every question and all that was reported, by question, then by block. Two statements. */
export async function readExperience({ rows }: ReadTransaction) {
  const [questions, evidence] = await Promise.all([
    rows.scan(QUESTION, { from: ['id', ''], order: ['id'] }),
    rows.scan(EVIDENCE, { from: ['question', ''], order: ['question', 'blockId'] }),
  ])
  return { questions, evidence }
}

/**
 * Removes, inserts and replaces questions and evidence. Evidence about unknown blocks is left out; a question keeps its scope, and
 * evidence has that of its block.
 */
export async function saveEvidence(tx: Transaction, change: EvidenceChange): Promise<void> {
  const { rows } = tx
  await rows.remove(questions, keysOf(change.goneQuestions))
  await rows.remove(questionEvidence, change.goneEvidence)
  const before = await tx.whole.rows.get(questions, keysOf(change.questions.map(({ id }) => id)))
  const scopes = new Map(before.map(({ id, scope }) => [id, scope]))
  const scopeOf = (id: string) => (scopes.has(id) ? scopes.get(id) : tx.scope)
  const seen = change.questions.filter(({ id }) => tx.scope === undefined || scopeOf(id) === tx.scope)
  const asked = seen.map((question) => ({ ...question, ...defined({ scope: scopeOf(question.id) }) }))
  await rows.put(questions, asked, before)
  const at = await tx.lookUp(change.evidence.map(({ blockId }) => blockId))
  const known = change.evidence.filter(({ blockId }) => at(blockId) !== undefined)
  const reported = known.map((each) => ({ ...each, ...defined({ scope: at(each.blockId)?.scope }) }))
  await rows.put(questionEvidence, reported)
  const state = Object.entries(change.state).map(([key, value]) => ({ key, value }))
  await rows.put(meta, state)
}

/** Removes the vectors of all questions, in every scope, because they are of another model now. */
export async function dropQuestionVectors({ whole: { rows } }: Transaction): Promise<void> {
  for (const table of [questions, recentQuestions] as Table[]) {
    const all = (await rows.scan(table, { order: table.key })) as AnyRow[]
    const bare = all.map(({ vector: _vector, ...row }) => row)
    await rows.put(table, bare as never[], all as never[])
  }
}
