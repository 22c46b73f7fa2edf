import { defined } from '../block/text.ts'
import type { AnyRow, OperationRecord } from './database.ts'
import { type Columns, type RowOf, type Table, viewOf } from './description.ts'
import {
  meta,
  operationChanges,
  operations,
  outcomes,
  questionEvidence,
  questions,
  queuedOutcomes,
  recentQuestions,
  STATE_META,
  sessions,
} from './tables.ts'
import { atLast, keysOf, type ReadTransaction, type Transaction } from './transaction.ts'

const ENTRY = viewOf(operations, ['id', 'at'])
const NUMBER = viewOf(operations, ['id'])
const IMAGE = viewOf(operationChanges, ['firstId', 'operationId'])
const OUTCOME = viewOf(outcomes, [
  ...(['blockId', 'signal', 'weight', 'source', 'confidenceBefore', 'confidenceAfter', 'at'] as const),
])
const SESSION = viewOf(sessions, ['id', 'taskType', 'startedAt', 'endedAt', 'startHours'])

/** Key of `meta` for the time of the newest entry whose kept changes were removed, ISO-8601 UTC. */
export const KNOWN_SINCE = 'known_since'

/** A new operation is an operation record without the fields that the store sets; it may say the scope that its blocks have in common. */
export type NewOperation = Omit<OperationRecord, 'id' | 'scope' | 'kept' | 'entries'> & {
  readonly scope?: string | undefined
}

/** An outcome record is one applied report; it never changes, and trimming removes it in time. */
export type OutcomeRecord = NonNullable<typeof OUTCOME.row>

/** A queued outcome is a report about a block that is still in the inbox. */
export type QueuedOutcome = Omit<RowOf<typeof queuedOutcomes>, 'id'>

/** A session record without `endedAt` was not ended; `startHours` are active hours. */
export type SessionRecord = NonNullable<typeof SESSION.row>

/** Appends one entry to the log and returns its number. */
export async function logOperation(tx: Transaction, record: NewOperation): Promise<number> {
  await logOperations(tx, [record])
  return tx.logged.at(-1) as number
}

/** Appends entries to the log in their order. The newest entry is the memory's clock, whose hours never fall. */
export async function logOperations(tx: Transaction, records: readonly NewOperation[]): Promise<void> {
  if (records.length === 0) return
  const { clock, hasScopes } = await tx.state()
  const isUnknown = tx.scope === undefined && hasScopes && !records.every((record) => 'scope' in record)
  const scopeOf = isUnknown ? await commonScopes(tx, records) : () => tx.scope
  let newest = clock.wallMs === undefined ? Number.NEGATIVE_INFINITY : clock.hours
  const entries = records.map((given) => {
    const { scope = scopeOf(given), ...record } = given
    newest = Math.max(newest, record.hours)
    return { ...record, hours: newest, ...defined({ scope }) }
  })
  for (const entry of await tx.rows.insert(operations, entries)) tx.logged.push((entry as { id: number }).id)
  const at = entries.at(-1)?.at as string
  tx.setClock({ hours: newest, wallMs: Date.parse(at) })
}

/**
 * Removes the oldest entries: all but the newest `keep` with kept changes and the newest `keep` without, so that recalls push out no
 * entry that can be undone. The newest entry of all, which is the clock, stays. Removes at most `most`, 5,000 in
 * some 70 ms; returns how many.
 */
export async function trimLog(tx: Transaction, keep: number, most: number): Promise<number> {
  const ids = (await tx.rows.scan(NUMBER, { from: ['id', 0], order: ['id'] })).map(({ id }) => id)
  if (ids.length <= keep) return 0
  const images = await tx.whole.rows.scan(IMAGE, { from: ['operationId', 0], order: ['operationId'] })
  const held = new Set<number>()
  for (const { firstId, operationId } of images) for (let id = firstId; id <= operationId; id++) held.add(id)
  const oldest = (each: readonly number[]) => each.slice(0, Math.max(0, each.length - keep))
  const beyond = [...oldest(ids.filter((id) => held.has(id))), ...oldest(ids.filter((id) => !held.has(id)))]
  const oldestFirst = beyond.filter((id) => id !== ids.at(-1)).sort((one, other) => one - other)
  const going = keysOf(oldestFirst.slice(0, most))
  const lost = await tx.whole.rows.get(IMAGE, going)
  await noteLost(tx, lost.at(-1)?.operationId)
  const { length } = await tx.rows.remove(operations, going)
  const [first] = length === 0 ? [] : await tx.rows.scan(ENTRY, { order: ['id'], limit: 1 })
  if (first !== undefined) await saveMeta(tx, beginsKey(tx.scope), first.at)
  return length
}

/** Returns the time from which the log is whole, ISO-8601 UTC; undefined if no entry was ever dropped. */
export async function logBegins(tx: ReadTransaction): Promise<string | undefined> {
  const own = await readMeta(tx, beginsKey(tx.scope))
  const ofAll = await readMeta(tx, beginsKey())
  return own !== undefined && (ofAll === undefined || own > ofAll) ? own : ofAll
}

function beginsKey(scope?: string): string {
  return scope === undefined ? 'log_begins_at' : `log_begins_at ${scope}`
}

/** Key of `meta` for the number of the newest entry whose changes were dropped to save room. */
export const CHANGES_DROPPED = 'undo_dropped_up_to'

/**
 * Removes the oldest kept changes beyond `bytes`, of any scope; returns the number of the newest entry without its changes, or 0. Cost:
 * all kept changes.
 */
export async function trimChanges({ whole }: Transaction, bytes: number): Promise<number> {
  const dropped = await whole.rows.queries.trimChanges(bytes)
  if (dropped > 0) {
    await noteLost(whole, dropped)
    await saveMeta(whole, CHANGES_DROPPED, String(dropped))
  }
  return dropped
}

/** Notes the time from which changes are known: that of an entry whose changes are removed. */
async function noteLost(tx: Transaction, id: number | undefined): Promise<void> {
  const [entry] = id === undefined ? [] : await tx.rows.get(ENTRY, [[id]])
  const known = (await readMeta(tx, KNOWN_SINCE)) ?? ''
  if (entry !== undefined && entry.at > known) await saveMeta(tx, KNOWN_SINCE, entry.at)
}

/** Returns a function for the scope that all blocks of an entry have in common, in its list or anywhere in its `before`. */
async function commonScopes(
  tx: ReadTransaction,
  records: readonly NewOperation[],
): Promise<(record: NewOperation) => string | undefined> {
  const told = new Map(records.map((record) => [record, textsIn(record.before)]))
  const at = await tx.lookUp(records.flatMap((each) => [...each.blockIds, ...(told.get(each) ?? [])]))
  return (record) => {
    const mentioned = told.get(record)?.filter((id) => at(id) !== undefined) ?? []
    const scopes = new Set([...record.blockIds, ...mentioned].map((id) => at(id)?.scope))
    return scopes.size === 1 ? [...scopes][0] : undefined
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Reads the applied reports about a block, newest first. */
export const readOutcomes = ({ rows }: ReadTransaction, blockId: string, limit: number) =>
  rows.scan(OUTCOME, { equals: { blockId }, order: ['-id'], limit })

/** Inserts applied reports about existing blocks and removes those beyond the newest `keep` of each block. */
export const appendOutcomes = (tx: Transaction, records: readonly OutcomeRecord[], keep: number) =>
  insertReports(tx, outcomes, records, keep)

/** Inserts reports that wait for `takeQueuedOutcomes`, and removes those beyond the newest `keep` of each block. */
export const queueOutcomes = (tx: Transaction, queued: readonly QueuedOutcome[], keep: number) =>
  insertReports(tx, queuedOutcomes, queued, keep)

async function insertReports<C extends Columns>(
  tx: Transaction,
  table: Table<C>,
  reports: readonly QueuedOutcome[],
  keep: number,
): Promise<void> {
  if (reports.length === 0) return
  const ids = reports.map(({ blockId }) => blockId)
  const at = await tx.lookUp(ids)
  const known = reports.filter(({ blockId }) => at(blockId) !== undefined)
  await tx.rows.insert(table, known as Partial<RowOf<Table<C>>>[])
  await tx.rows.trim(table, { order: ['id'], keep, per: ['blockId', ids] })
}

/** Removes and returns the reports that wait for the blocks, oldest first. */
export async function takeQueuedOutcomes(
  tx: Transaction,
  blockIds: readonly string[],
): Promise<QueuedOutcome[]> {
  const queued = await tx.rows.touching(queuedOutcomes, blockIds)
  const taken = await tx.remove(queuedOutcomes, queued)
  return taken.map(({ id: _id, ...outcome }) => outcome)
}

const BY_START = ['startedAt', 'startHours', 'id']

/** Key of `meta` for the newest removals of blocks, as JSON. */
const REMOVED_KEY = 'removed_blocks'

/** Returns one value of `meta`; undefined if the key has none. */
export async function readMeta({ rows }: ReadTransaction, key: string): Promise<string | undefined> {
  return (await rows.get(meta, [[key]]))[0]?.value
}

/** Inserts or overwrites one value of `meta`. */
export async function saveMeta({ rows }: Transaction, key: string, value: string): Promise<void> {
  await rows.put(meta, [{ key, value }])
}

/** Returns the session that began last and has not ended, if any. */
export async function readLatestOpenSession({ rows }: ReadTransaction): Promise<SessionRecord | undefined> {
  const [latest] = await rows.scan(SESSION, {
    where: { endedAt: undefined },
    from: ['startedAt', ''],
    order: BY_START.map((property) => `-${property}`),
    limit: 1,
  })
  return latest
}

/** Inserts or overwrites a session, unless it belongs to another scope. */
export async function saveSession(tx: Transaction, session: SessionRecord): Promise<void> {
  const before = await tx.whole.rows.get(sessions, [[session.id]])
  const scope = before.length === 0 ? tx.scope : before[0]?.scope
  if (tx.scope !== undefined && scope !== tx.scope) return
  await tx.rows.put(sessions, [{ ...session, ...(scope === undefined ? {} : { scope }) }], before)
}

/** Removes at most `most` of the oldest sessions, never the newest `keep` nor the open one that began last; returns their number. */
export async function trimSessions(tx: Transaction, keep: number, most: number): Promise<number> {
  const open = await readLatestOpenSession(tx)
  return tx.rows.trim(sessions, { order: BY_START, keep, most, ...(open ? { but: [open.id] } : {}) })
}

/** Begins a new generation, so that readers of changes read everything anew; returns its number. */
export async function newGeneration(tx: Transaction): Promise<number> {
  const generation = Number((await readMeta(tx, STATE_META.generation)) ?? 0) + 1
  await saveMeta(tx, STATE_META.generation, String(generation))
  return generation
}

/** The blocks of one removal, and the generation and newest sequence number after it. */
interface Removal {
  readonly generation: number
  readonly sequence: number
  readonly ids: readonly string[]
}

/** The greatest number of ids that are kept for readers, some 20 kB; a reader that is further behind had better read everything. */
const REMOVED_IDS_MOST = 1_000

async function removalsIn(tx: ReadTransaction): Promise<Removal[]> {
  return JSON.parse((await readMeta(tx, REMOVED_KEY)) ?? '[]')
}

/** Tells readers of changes that blocks were removed. */
export async function noteRemoval(tx: Transaction, ids: readonly string[]): Promise<void> {
  const generation = await newGeneration(tx)
  const { sequence } = await tx.state()
  const kept = [...(await removalsIn(tx)), { generation, sequence, ids }]
  while (kept.flatMap((each) => each.ids).length > REMOVED_IDS_MOST) kept.shift()
  await saveMeta(tx, REMOVED_KEY, JSON.stringify(kept))
}

/**
 * Returns the blocks, of any scope, whose removal made the generations after the given one, and the sequence number after which a reader
 * reads again. Undefined if something else made one of the generations, or a removal is too long ago: then a reader reads everything.
 */
export async function readRemovedSince(
  tx: ReadTransaction,
  generation: number,
): Promise<Omit<Removal, 'generation'> | undefined> {
  const newest = (await tx.state()).generation
  const between = (await removalsIn(tx)).filter((each) => each.generation > generation)
  if (between.length === 0 || between.length < newest - generation) return undefined
  return {
    ids: between.flatMap(({ ids }) => ids),
    sequence: Math.min(...between.map(({ sequence }) => sequence)),
  }
}

/** Key of `meta` for a value that differs after each change by reports, in any scope. Values of two files cannot be compared. */
export const REPORTS_MARK = 'learning_mark'

const QUESTION = viewOf(questions, ['id', 'text', 'vector', 'hours'])
const EVIDENCE = viewOf(questionEvidence, ['question', 'blockId', 'helped', 'misled', 'graded', 'beside'])

const ASKED = viewOf(recentQuestions, ['operationId', 'text', 'vector'])
const RECALL = viewOf(operations, ['id', 'actor', 'session', 'blockIds', 'before'])

/** A stored question is one on which something was reported; `hours` are the active hours of its last report. */
export type StoredQuestion = NonNullable<typeof QUESTION.row>

/** Block evidence sums the reports about a block after a question; the id of the question is empty if none is known. */
export type BlockEvidence = NonNullable<typeof EVIDENCE.row>

/** Evidence has a question and a block as its key. */
export type EvidenceKey = readonly [question: string, blockId: string]

/** An asked question is the question of a recall. */
export type AskedQuestion = Pick<StoredQuestion, 'text' | 'vector'>

/** A reportable recall is an entry of the log that a report may be about, with the shown blocks and the question, if any. */
export type ReportableRecall = AskedQuestion & NonNullable<typeof RECALL.row>

/** Old questions are removed once in this many operations, which saves a statement at each recall. */
const TRIMMED_EVERY = 32

/** The rows that a report changes. */
interface EvidenceChange {
  readonly questions: readonly StoredQuestion[]
  readonly evidence: readonly BlockEvidence[]
  /** Ids of questions to remove. */
  readonly goneQuestions: readonly string[]
  readonly goneEvidence: readonly EvidenceKey[]
  /** Values of `meta`, by key. */
  readonly state: Readonly<Record<string, string>>
}

/** Reads the newest recalls with a question, newest first, or only that with `id`. Two statements. */
export async function readRecalls(
  { rows }: ReadTransaction,
  { limit, id }: { readonly limit: number; readonly id?: number },
): Promise<ReportableRecall[]> {
  const newest = { from: ['operationId', 0], order: ['-operationId'], limit } as const
  const reading = id === undefined ? rows.scan(ASKED, newest) : rows.get(ASKED, [[id]])
  const keys = id === undefined ? (await reading).map(({ operationId }) => operationId) : [id]
  const [asked, logged] = await Promise.all([reading, rows.get(RECALL, keysOf(keys))])
  const byId = new Map(logged.map((entry) => [entry.id, entry]))
  return asked.flatMap(({ operationId, ...question }) => {
    const entry = byId.get(operationId)
    return entry === undefined ? [] : [{ ...question, ...entry }]
  })
}

/** Inserts the question of a recall that was just logged, at last; from time to time removes all but the newest `keep`. */
export function noteAsked(tx: Transaction, operationId: number, asked: AskedQuestion, keep: number): void {
  const row = { ...asked, operationId, ...defined({ scope: tx.scope }) }
  atLast(tx.rows.insert(recentQuestions, [row]))
  if (operationId % TRIMMED_EVERY === 0)
    atLast(tx.whole.rows.trim(recentQuestions, { order: ['operationId'], keep }))
}

/** Reads all questions and all evidence, by question, then by block. Two statements. */
export async function readExperience({ rows }: ReadTransaction) {
  const [questions, evidence] = await Promise.all([
    rows.scan(QUESTION, { from: ['id', ''], order: ['id'] }),
    rows.scan(EVIDENCE, { from: ['question', ''], order: ['question', 'blockId'] }),
  ])
  return { questions, evidence }
}

/**
 * Removes, inserts and replaces questions and evidence. Evidence about unknown blocks is left out; a question keeps its scope, and
 * evidence has the scope of its block.
 */
export async function saveEvidence(tx: Transaction, change: EvidenceChange): Promise<void> {
  const { rows } = tx
  await Promise.all([
    rows.remove(questions, keysOf(change.goneQuestions)),
    rows.remove(questionEvidence, change.goneEvidence),
  ])
  const state = Object.entries(change.state).map(([key, value]) => ({ key, value }))
  const [before, evidence, values, at] = await Promise.all([
    tx.whole.rows.get(questions, keysOf(change.questions.map(({ id }) => id))),
    tx.stored(questionEvidence, change.evidence),
    tx.stored(meta, state),
    tx.lookUp(change.evidence.map(({ blockId }) => blockId)),
  ])
  const scopes = new Map(before.map(({ id, scope }) => [id, scope]))
  const scopeOf = (id: string) => (scopes.has(id) ? scopes.get(id) : tx.scope)
  const seen = change.questions.filter(({ id }) => tx.scope === undefined || scopeOf(id) === tx.scope)
  const asked = seen.map((question) => ({ ...question, ...defined({ scope: scopeOf(question.id) }) }))
  const known = change.evidence.filter(({ blockId }) => at(blockId) !== undefined)
  const reported = known.map((each) => ({ ...each, ...defined({ scope: at(each.blockId)?.scope }) }))
  await Promise.all([
    rows.put(questions, asked, before),
    rows.put(questionEvidence, reported, evidence),
    rows.put(meta, state, values),
  ])
}

/** Removes the vectors of all questions, in every scope, because another model is in use now. */
export async function dropQuestionVectors({ whole: { rows } }: Transaction): Promise<void> {
  for (const table of [questions, recentQuestions] as Table[]) {
    const all = (await rows.scan(table, { order: table.key })) as AnyRow[]
    const bare = all.map(({ vector: _vector, ...row }) => row)
    await rows.put(table, bare as never[], all as never[])
  }
}
