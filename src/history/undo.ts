import { type Block, isConstitutional, mayCover } from '../block/block.ts'
import { defined } from '../block/text.ts'
import {
  AUTO,
  type CallContext,
  CURATE,
  callerOf,
  type Engine,
  HOOKS,
  mayDo,
  mutate,
  type Principal,
} from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { isAbove, ownerOnly } from '../intake/check-input.ts'
import { markReports } from '../outcome/outcome.ts'
import { blocksById } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import { viewOf } from '../store/description.ts'
import { CHANGES_DROPPED, logBegins, readMeta } from '../store/log.ts'
import { operationChanges } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { isOwnChange, revert } from './revert.ts'

/** The greatest number of entries of the log that are read at once: the entries of a run, or the undos. */
const MOST = 100_000
/** Number of log entries that are read at a time in search of the last one that can be undone. */
const PAGE = 200

/** Operations whose entry stands for a whole run: the last entry of the run, or in a batch any of its entries. */
const RUNS: readonly string[] = ['dream', 'curate', 'import_from', 'remember_many', 'learn_document']

/** Operations on the whole memory that no undo can take back, with advice what to do instead. */
const LASTING: Readonly<Record<string, (entry: OperationRecord) => string>> = {
  import: () => 'forget() hides what it brought, or restoreBackup() brings back a backup of before.',
  erase: () => 'An erasing is for ever. Read with history() which operations can be undone.',
  restore_backup: ({ before }) =>
    `restoreBackup({ name: '${(before as { readonly safety?: string } | undefined)?.safety}' }) brings back what was there before it.`,
}

/** Transactions that were taken back, by the number of their last entry, and runs by name, each with the entry of the undo. */
type Undone = ReadonlyMap<number | string, number>

/** Reads which transactions and runs have been taken back. */
export async function undoneBy(tx: ReadTransaction): Promise<Undone> {
  const undone = new Map<number | string, number>()
  // The newest undo comes first: an undo that was itself taken back does not count.
  for (const { id, kept, before } of await tx.queries.operations({ operation: 'undo', limit: MOST })) {
    if (kept !== undefined && undone.has(kept)) continue
    const { undoes = [], run } = (before ?? {}) as { undoes?: readonly number[]; run?: string }
    for (const taken of run === undefined ? undoes : [...undoes, run]) undone.set(taken, id)
  }
  return undone
}

/** Returns the run or transaction that an entry stands for; undefined if none of its changes are kept. */
function subjectOf({ operation, run, kept }: OperationRecord): number | string | undefined {
  return RUNS.includes(operation) ? (run ?? kept) : kept
}

/** A logged operation, and whether an undo can take it back. */
interface ToldOperation extends OperationRecord {
  /** True if the changes of the operation are kept and nobody has taken them back. */
  readonly undoable: boolean
  /** The entry of the undo that took the operation back. */
  readonly undoneBy?: number
  /** True if words of the operation were erased since. */
  readonly erased?: true
}

/** Returns entries of the log with what `undo` makes of them. In a scope none is undoable that was written together with others. */
export async function toldOperations(
  tx: ReadTransaction,
  records: readonly OperationRecord[],
): Promise<ToldOperation[]> {
  const undone = await undoneBy(tx)
  const found: ToldOperation[] = []
  for (const record of records) {
    const each = told(record, undone)
    const isOwn = record.kept === undefined || (await isOwnChange(tx, record.kept))
    found.push({ ...each, undoable: each.undoable && isOwn })
  }
  return found
}

/** Returns an entry of the log with what `undo` makes of it in the whole store. */
export function told(record: OperationRecord, undone: Undone): ToldOperation {
  const subject = subjectOf(record)
  const by = subject === undefined ? undefined : undone.get(subject)
  const isLost = isErased(record) && (record.kept === undefined || RUNS.includes(record.operation))
  return {
    ...record,
    undoable: subject !== undefined && by === undefined && !isLost,
    ...(by === undefined ? {} : { undoneBy: by }),
    ...(isErased(record) ? { erased: true } : {}),
  }
}

/** Returns true if erasing removed words of a log entry, or the changes that `undo` needs. */
function isErased({ before }: Pick<OperationRecord, 'before'>): boolean {
  return (before as { readonly erased?: unknown } | undefined)?.erased === true
}

/** Returns true if an operation was done by a caller; a program also answers for models behind its adapters (`library:ai-sdk`). */
function isActOf({ actor: caller }: Principal, { actor }: Pick<OperationRecord, 'actor'>): boolean {
  return actor === caller || (caller === 'library' && actor.startsWith('library:'))
}

/** Returns true if the actor of an operation does not keep a caller from taking it back. Hooks act for the agents that are served. */
function isOwnOrNobodys(caller: Principal, entry: Pick<OperationRecord, 'actor'>): boolean {
  const isForAgent = entry.actor === HOOKS && caller.actor.startsWith('mcp:')
  return (
    mayDo(caller, 'owner') || isActOf(caller, entry) || isForAgent || [AUTO, CURATE].includes(entry.actor)
  )
}

/** The operation to take back, and whether that is only tried. */
interface UndoInput {
  /** The number of an entry of the log; absent for the last operation. */
  readonly operationId?: number | undefined
  /** The reason of the undo, for the log. */
  readonly reason?: string | undefined
  /** True: the result says what would come back, and nothing changes. */
  readonly dryRun: boolean
}

/** An undo result names the operations taken back and the blocks concerned; in a dry run nothing has changed. */
export interface UndoResult {
  /** The log entries that were taken back, newest first: all entries of their transactions. */
  readonly undone: readonly OperationRecord[]
  /** Blocks whose fields, edges or pairs are again as they were. */
  readonly blockIds: readonly string[]
  /** The entry of this undo, which can be undone in turn; absent in a dry run. */
  readonly operationId?: number
}

/** The entries that are taken back together: those of one transaction, or all of a run. */
interface Unit {
  readonly asked: OperationRecord
  readonly undone: Undone
  /** The entries, newest first. */
  readonly entries: readonly OperationRecord[]
  /** The numbers of the transactions' last entries, newest first. */
  readonly kept: readonly number[]
  /** The run, if the whole run is taken back. */
  readonly run?: string | undefined
}

/**
 * Brings back what an operation changed, if nothing has changed it again since. An undo is one transaction, logged and undone like any
 * other. Counts of use stay. Throws `CONFLICT`, which names the later operation in the way.
 */
export async function undo(engine: Engine, context: CallContext, input: UndoInput): Promise<UndoResult> {
  try {
    return await mutate(engine, context, async ({ tx, log }) => {
      const unit = await unitOf(engine, context, tx, input.operationId)
      const blockIds = await takeBack(engine, context, tx, unit)
      const done = { undone: unit.entries, blockIds }
      if (input.dryRun) throw new Preview(done)
      const operationId = await log({
        ...{ operation: 'undo', blockIds, summary: `took back ${summaryOf(unit)}` },
        ...(input.reason ? { reason: input.reason } : {}),
        before: { undoes: unit.kept, ...defined({ run: unit.run }) },
      })
      return { ...done, operationId }
    })
  } catch (error) {
    if (error instanceof Preview) return error.result
    throw error
  }
}

/** A preview makes the transaction of a dry run fail, and carries its result. */
class Preview extends Error {
  readonly result: UndoResult

  constructor(result: UndoResult) {
    super('This was a dry run.')
    this.result = result
  }
}

function summaryOf({ asked, run, kept }: Unit): string {
  const all = run === undefined || kept.length === 1 ? '' : ` and all of its run, ${kept.length} transactions`
  return `${asked.operation} (operation ${asked.id})${all}`
}

async function unitOf(
  engine: Engine,
  context: CallContext,
  tx: ReadTransaction,
  operationId: number | undefined,
): Promise<Unit> {
  const caller = callerOf(engine, context)
  const [undone, dropped] = [await undoneBy(tx), Number((await readMeta(tx, CHANGES_DROPPED)) ?? 0)]
  const isLast = operationId === undefined
  const asked = isLast ? await lastDone(tx, undone, caller) : await entryOf(tx, operationId, undone, dropped)
  const run = isLast || RUNS.includes(asked.operation) ? asked.run : undefined
  const all =
    run === undefined ? await transactionOf(tx, asked) : await tx.queries.operations({ run, limit: MOST })
  if (run !== undefined && (await isCutOff(tx, all, dropped))) throw notKept(asked, asked.id)
  const entries = all
    .filter(({ kept }) => kept !== undefined && !undone.has(kept))
    .sort((one, other) => other.id - one.id)
  if (entries.length === 0) throw notKept(asked, dropped)
  const others = all.find((entry) => !isOwnOrNobodys(caller, entry))
  if (others !== undefined)
    throw ownersAct(engine, context, asked, `was done by ${others.actor}`, {
      otherwise: 'Without a number undo() takes back what you did last.',
    })
  const kept = new Set(entries.flatMap((entry) => entry.kept ?? []))
  return { asked, undone, entries, kept: [...kept].sort((one, other) => other - one), run }
}

/**
 * Returns the newest operation of the caller that can be undone, for the owner that of anybody; an undo is never meant. Throws
 * `NOT_FOUND` if there is none, and `WRONG_STATUS` if an operation that can never be undone came after it.
 */
async function lastDone(tx: ReadTransaction, undone: Undone, caller: Principal): Promise<OperationRecord> {
  const isOwner = mayDo(caller, 'owner')
  const isAsked = (entry: OperationRecord) =>
    entry.operation !== 'undo' && (isOwner ? entry.actor !== AUTO : isActOf(caller, entry))
  for (let before: number | undefined; ; ) {
    const page = await tx.queries.operations({ limit: PAGE, ...defined({ before }) })
    for (const entry of page.filter(isAsked)) {
      if (entry.operation in LASTING) throw notKept(entry, 0)
      if (await isUndoable(tx, entry, undone)) return entry
    }
    before = page.at(-1)?.id
    if (before === undefined)
      throw new ElfmemError(
        'NOT_FOUND',
        `There is nothing to undo: the log has no operation${isOwner ? '' : ` of ${caller.actor}`} that can be.`,
        { recovery: 'Read what was done with history(); an undo itself is undone by its number.' },
      )
  }
}

async function isUndoable(tx: ReadTransaction, entry: OperationRecord, undone: Undone): Promise<boolean> {
  return entry.kept !== undefined && told(entry, undone).undoable && isOwnChange(tx, entry.kept)
}

async function entryOf(
  tx: ReadTransaction,
  operationId: number,
  undone: Undone,
  dropped: number,
): Promise<OperationRecord> {
  const [entry] = await tx.queries.operations({ before: operationId + 1, limit: 1 })
  if (entry?.id !== operationId) throw unknownOperation(operationId)
  const subject = subjectOf(entry)
  if (entry.operation in LASTING || subject === undefined) throw notKept(entry, dropped)
  const by = undone.get(subject)
  if (by === undefined) return entry
  const recovery = `To do it again call undo({ operationId: ${by} }), which takes that undo back.`
  throw refusal('WRONG_STATUS', entry, 'is undone already', recovery, { undoneBy: by })
}

/** Reads all entries of a transaction, whose numbers follow each other. */
async function transactionOf(tx: ReadTransaction, { kept }: OperationRecord): Promise<OperationRecord[]> {
  if (kept === undefined) return []
  const [row] = await tx.whole.rows.get(viewOf(operationChanges, ['firstId']), [[kept]])
  return row === undefined
    ? []
    : tx.queries.operations({ after: row.firstId - 1, before: kept + 1, limit: kept - row.firstId + 1 })
}

/** Returns true if a run is not whole: words of it were erased, or its oldest entries or kept changes were dropped. */
async function isCutOff(
  tx: ReadTransaction,
  entries: readonly OperationRecord[],
  dropped: number,
): Promise<boolean> {
  const first = entries.at(-1)?.id ?? 0
  if (first <= dropped || entries.some(isErased)) return true
  if ((await logBegins(tx)) === undefined) return false
  return (await tx.queries.operations({ isKept: true, before: first, limit: 1 })).length === 0
}

/** Takes a unit back in an open transaction, as far as the caller may; returns the ids of the blocks concerned. */
async function takeBack(
  engine: Engine,
  context: CallContext,
  tx: Transaction,
  unit: Unit,
): Promise<string[]> {
  const { asked, undone } = unit
  const were = new Map<string, Block>()
  const blockIds: string[] = []
  const changed: string[] = []
  const [reembedded] = await tx.queries.operations({ operation: 'reembed', limit: 1 })
  for (const kept of unit.kept) {
    // Transactions that leave nothing behind are not in the way: those that were taken back, and the undos of these.
    const cancelled = [...undone].flatMap(([taken, by]) =>
      typeof taken === 'number' && taken > kept ? [taken, by] : [],
    )
    const except = new Set([...unit.kept, ...cancelled])
    const done = await revert(tx, kept, except, engine.settings.memory.edgeDegreeCap).catch(
      async (error: unknown) => {
        if (!ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
        throw await inTheWay(tx, callerOf(engine, context), asked, error)
      },
    )
    if (done === undefined)
      throw refusal(
        'WRONG_STATUS',
        asked,
        'cannot be undone from one scope: it was done together with what is of other scopes',
        `The owner takes all of it back in the whole memory: undo({ operationId: ${asked.id} }). forget() hides a single block instead.`,
      )
    // Vectors from before a reembed are of another model.
    if (done.vectorsBack && reembedded !== undefined && reembedded.id > kept)
      throw notKept(asked, 0, reembedded.id)
    for (const block of done.were) if (!were.has(block.id)) were.set(block.id, block)
    blockIds.push(...done.blockIds)
    changed.push(...done.changed)
  }
  if (!mayDo(callerOf(engine, context), 'owner'))
    mustBeWithinTrust(engine, context, asked, were, await blocksById(tx, changed))
  await markReports(tx, engine.ids.random())
  return [...new Set(blockIds)]
}

/**
 * Throws `OWNER_ONLY` if taking an operation back changes what the caller could not change by an edit or a `forget`: a principle, words
 * that are trusted more than the caller, or the trust of words that stay. Principles alone are protected from the undo of a run.
 */
function mustBeWithinTrust(
  engine: Engine,
  context: CallContext,
  asked: OperationRecord,
  before: ReadonlyMap<string, Block>,
  after: ReadonlyMap<string, Block>,
): void {
  const isHigh = (block: Block | undefined) =>
    block !== undefined &&
    (isConstitutional(block.tags) || (asked.run === undefined && isAbove(engine, context, block)))
  for (const blockId of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(blockId), after.get(blockId)]
    const isRaised = was?.content === is?.content && was && is && !mayCover(was, is)
    if (wordsOf(was) === wordsOf(is) || !(isRaised || isHigh(was) || isHigh(is))) continue
    const why = `changed block ${blockId}, which is trusted more, and is taken back by the owner alone`
    throw ownersAct(engine, context, asked, why, { details: { blockId } })
  }
}

/** Returns the fields of a block that only a caller with as much trust may change, as one text. */
function wordsOf(block: Block | undefined): string {
  if (block === undefined) return ''
  const { content, cue, tags, category, sourceClass, status } = block
  return JSON.stringify([content, cue, tags, category, sourceClass, status === 'archived'])
}

/** Returns the refusal of an undo that only the owner may make. */
function ownersAct(
  engine: Engine,
  context: CallContext,
  { id, operation }: OperationRecord,
  why: string,
  { details, ...said }: Pick<Parameters<typeof ownerOnly>[1], 'otherwise' | 'details'>,
): ElfmemError {
  return ownerOnly(callerOf(engine, context), {
    what: `Operation ${id} (${operation}) ${why}`,
    ...said,
    details: { operationId: id, ...details },
  })
}

/** Returns the refusal of an undo, with the number of the later operation in the way if the log has one. */
async function inTheWay(
  tx: ReadTransaction,
  caller: Principal,
  asked: OperationRecord,
  cause: ElfmemError,
): Promise<ElfmemError> {
  const changedBy = cause.details.changedBy
  const [entry] =
    typeof changedBy === 'number' ? await tx.queries.operations({ before: changedBy + 1, limit: 1 }) : []
  // The last entry of a run stands for the whole run.
  const [end] = entry?.run === undefined ? [] : await tx.queries.operations({ run: entry.run, limit: 1 })
  const later = end ?? entry
  const why =
    later === undefined
      ? 'cannot be undone: use, or an import, changed the same since'
      : `cannot be undone: operation ${later.id} (${later.operation}) changed the same since`
  const details = { ...cause.details, ...defined({ laterOperationId: later?.id }) }
  const recovery =
    later === undefined
      ? 'show() the blocks of details.blockIds; edit(), forget(), restore(), connect() and disconnect() change them.'
      : isOwnOrNobodys(caller, later)
        ? `Call undo({ operationId: ${later.id} }) first.`
        : `Operation ${later.id} was done by ${later.actor}: only the owner takes it back.`
  return refusal('CONFLICT', asked, why, recovery, details)
}

/** Returns `WRONG_STATUS` for an operation without kept changes: it never kept any, they were dropped, or all vectors are new. */
function notKept(entry: OperationRecord, droppedUpTo: number, reembedded?: number): ElfmemError {
  const reasons = [
    entry.operation in LASTING && 'it keeps nothing of before',
    isErased(entry) && 'it is erased, as words of what it changed were',
    entry.id <= droppedUpTo && 'what it changed was dropped to keep the file small (memory.keep_undo_bytes)',
    reembedded !== undefined && `all vectors were made anew since (operation ${reembedded})`,
    'it changed nothing but use',
  ]
  const recovery =
    LASTING[entry.operation]?.(entry) ?? 'Read with history({ limit: 50 }) which operations can be undone.'
  const details = defined({ laterOperationId: reembedded })
  return refusal('WRONG_STATUS', entry, `cannot be undone: ${reasons.find(Boolean)}`, recovery, details)
}

/** Returns the error `NOT_FOUND` for a number that no entry of the log has. */
export function unknownOperation(operationId: number): ElfmemError {
  return new ElfmemError('NOT_FOUND', `The log of this memory has no operation ${operationId}.`, {
    recovery: 'Read the numbers with history(); the oldest entries leave the log (memory.keep_operations).',
    details: { operationId },
  })
}

/** Returns the error for an operation that cannot be undone. */
function refusal(
  code: 'WRONG_STATUS' | 'CONFLICT',
  { id, operation }: OperationRecord,
  why: string,
  recovery: string,
  details: object = {},
): ElfmemError {
  return new ElfmemError(code, `Operation ${id} (${operation}) ${why}.`, {
    recovery,
    details: { ...details, operationId: id },
  })
}
