import { viewOf } from '../../ports/store/description.ts'
import type {
  AskedQuestion,
  BlockEvidence,
  ReportableRecall,
  StoredQuestion,
} from '../../ports/store/evidence.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import { questionEvidence, questions, recentQuestions } from '../evidence-tables.ts'
import { meta, operations } from '../log-tables.ts'
import type { Transaction } from '../transaction.ts'

const QUESTION = viewOf(questions, ['id', 'text', 'vector', 'hours'])
const EVIDENCE = viewOf(questionEvidence, ['question', 'blockId', 'helped', 'misled', 'graded', 'beside'])

const ASKED = viewOf(recentQuestions, ['operationId', 'text', 'vector'])
const RECALL = viewOf(operations, ['id', 'actor', 'session', 'blockIds'])

/** Questions beyond those to keep are removed whenever so many more came: a statement seldom, not at each recall. */
const TRIMMED_EVERY = 32

/** The newest recalls with a question, or one of them. */
export async function readRecalls(
  { rows }: Transaction,
  { limit, id }: { readonly limit: number; readonly id?: number },
): Promise<ReportableRecall[]> {
  const asked =
    id === undefined
      ? await rows.scan(ASKED, { from: ['operationId', 0], order: ['-operationId'], limit })
      : await rows.get(ASKED, [[id]])
  const logged = await rows.get(
    RECALL,
    asked.map(({ operationId }) => [operationId]),
  )
  const byId = new Map(logged.map((entry) => [entry.id, entry]))
  return asked.flatMap(({ operationId, ...question }) => {
    const entry = byId.get(operationId)
    return entry === undefined ? [] : [{ ...question, ...entry }]
  })
}

/** Notes what was asked in a recall that was just logged. */
export async function noteAsked(
  tx: Transaction,
  operationId: number,
  asked: AskedQuestion,
  keep: number,
): Promise<void> {
  await tx.rows.insert(recentQuestions, [{ ...asked, operationId, ...ofScope(tx.scope) }])
  if (operationId % TRIMMED_EVERY === 0)
    await tx.whole.rows.trim(recentQuestions, { order: ['operationId'], keep })
}

/** Every question and all that was reported on it. */
export async function readExperience({ rows }: Transaction): Promise<{
  readonly questions: readonly StoredQuestion[]
  readonly evidence: readonly BlockEvidence[]
}> {
  return {
    questions: await rows.scan(QUESTION, { from: ['id', ''], order: ['id'] }),
    evidence: await rows.scan(EVIDENCE, { from: ['question', ''], order: ['question', 'blockId'] }),
  }
}

/** Inserts, replaces and removes questions and evidence; a question keeps its scope, evidence has that of its block. */
export async function saveEvidence(
  tx: Transaction,
  change: Parameters<StoreWriter['saveEvidence']>[0],
): Promise<void> {
  const { rows } = tx
  await rows.remove(
    questions,
    change.goneQuestions.map((id) => [id]),
  )
  await rows.remove(questionEvidence, change.goneEvidence)
  const before = await tx.whole.rows.get(
    questions,
    change.questions.map(({ id }) => [id]),
  )
  const scopes = new Map(before.map(({ id, scope }) => [id, scope]))
  const scopeOf = (id: string) => (scopes.has(id) ? scopes.get(id) : tx.scope)
  const seen = change.questions.filter(({ id }) => tx.scope === undefined || scopeOf(id) === tx.scope)
  await rows.put(
    questions,
    seen.map((question) => ({ ...question, ...ofScope(scopeOf(question.id)) })),
    before,
  )
  const at = await tx.lookUp(change.evidence.map(({ blockId }) => blockId))
  await rows.put(
    questionEvidence,
    change.evidence.flatMap((each) => {
      const block = at(each.blockId)
      return block === undefined ? [] : [{ ...each, ...ofScope(block.scope) }]
    }),
  )
  await rows.put(
    meta,
    Object.entries(change.state).map(([key, value]) => ({ key, value })),
  )
}

/** Drops the vectors of all questions, in every scope; those of the newest recalls, too. */
export async function dropQuestionVectors({ whole: { rows } }: Transaction): Promise<void> {
  const all = await rows.scan(questions, { from: ['id', ''], order: ['id'] })
  const known = all.filter(({ vector }) => vector !== undefined)
  await rows.put(
    questions,
    known.map(({ vector: _vector, ...question }) => question),
    known,
  )
  const asked = await rows.scan(recentQuestions, { from: ['operationId', 0], order: ['operationId'] })
  await rows.put(
    recentQuestions,
    asked.map(({ vector: _vector, ...question }) => question),
    asked,
  )
}

function ofScope(scope: string | undefined): { scope?: string } {
  return scope === undefined ? {} : { scope }
}
