import { defined } from '../block/text.ts'
import { AUTO, CURATE, mayDo, type Principal } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import type { OperationRecord } from '../store/database.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** Entries of the log looked through for those that took something back. */
const LOOKED_THROUGH = 100_000
/** Entries of the log looked through at a time for the last that can be undone. */
const PAGE = 200

/** The name under which taking back is logged. */
export const UNDO = 'undo'

/** The name under which an import from another program logs what it does. */
export const IMPORT_FROM = 'import_from'

/** The name under which several decisions of one call log their end. */
export const DECIDE_MANY = 'decide_many'

/** Names under which a run logs its end, which stands for all of it; of batches any entry does. */
export const RUNS: readonly string[] = [
  ...['dream', 'curate', IMPORT_FROM, 'remember_many', 'learn_document'],
  DECIDE_MANY,
]

/** Operations on the whole memory that keep nothing by which they could be taken back, with what to do instead. */
const LASTING: Readonly<Record<string, (entry: OperationRecord) => string>> = {
  import: () => 'forget() hides what it brought, or restoreBackup() brings back a backup of before.',
  erase: () => 'An erasing is for ever. history() shows which operations can be undone.',
  restore_backup: ({ before }) =>
    `restoreBackup({ name: '${(before as { readonly safety?: string } | undefined)?.safety}' }) brings back what was there before it.`,
}

/** True of an operation on the whole memory that cannot be taken back. */
export function keepsNothing({ operation }: Pick<OperationRecord, 'operation'>): boolean {
  return operation in LASTING
}

/**
 * Which transactions and runs are taken back by now, and by which entry: by the number under which the changes of a
 * transaction are kept, and by the name of a run.
 */
export async function undoneBy(tx: ReadTransaction): Promise<ReadonlyMap<number | string, number>> {
  const undone = new Map<number | string, number>()
  // Newest first: an entry that was itself taken back takes nothing back any more.
  for (const { id, kept, before } of await tx.queries.operations({
    operation: UNDO,
    limit: LOOKED_THROUGH,
  })) {
    if (kept !== undefined && undone.has(kept)) continue
    const { undoes = [], run } = (before ?? {}) as { undoes?: readonly number[]; run?: string }
    for (const taken of [...undoes, ...(run === undefined ? [] : [run])]) undone.set(taken, id)
  }
  return undone
}

/** The actor of a program; models act through its adapters as `library:ai-sdk` and the like. */
const PROGRAM = 'library'

/** True if an act is that of a caller: a program answers for what models do through its adapters. */
function isActOf({ actor: caller }: Principal, { actor }: Pick<OperationRecord, 'actor'>): boolean {
  return actor === caller || (caller === PROGRAM && actor.startsWith(`${PROGRAM}:`))
}

/** True if a caller may take back what somebody did, as far as that depends on who did it. */
export function isOwnOrNobodys(caller: Principal, entry: Pick<OperationRecord, 'actor'>): boolean {
  return mayDo(caller, 'owner') || isActOf(caller, entry) || [AUTO, CURATE].includes(entry.actor)
}

/**
 * The newest operation that can be undone and that was asked for: for the owner by anybody, for others by themselves. No undo
 * is meant. Throws `NOT_FOUND` if there is none, and `WRONG_STATUS` if something came after it that can never be undone.
 */
export async function lastDone(
  tx: ReadTransaction,
  undone: ReadonlyMap<number | string, number>,
  caller: Principal,
): Promise<OperationRecord> {
  const isOwner = mayDo(caller, 'owner')
  for (let before: number | undefined; ; ) {
    const page = await tx.queries.operations({ limit: PAGE, ...(before === undefined ? {} : { before }) })
    const last = page.find(
      (entry) =>
        (isOwner ? entry.actor !== AUTO : isActOf(caller, entry)) &&
        (keepsNothing(entry) || (entry.kept !== undefined && told(entry, undone).undoable)) &&
        entry.operation !== UNDO,
    )
    if (last !== undefined && keepsNothing(last)) throw notKept(last, 0)
    if (last !== undefined) return last
    before = page.at(-1)?.id
    if (before === undefined) throw nothingToUndo(isOwner ? undefined : caller.actor)
  }
}

/** A logged operation and whether it can be taken back. */
export interface ToldOperation extends OperationRecord {
  /** True if what it changed is kept and nobody has taken it back. */
  readonly undoable: boolean
  /** The entry that took it back. */
  readonly undoneBy?: number
  /** True if words of it were erased since. */
  readonly erased?: true
}

/** An entry of the log with what `undo` makes of it. */
export function told(record: OperationRecord, undone: ReadonlyMap<number | string, number>): ToldOperation {
  const isRun = RUNS.includes(record.operation)
  const of = isRun ? (record.run ?? record.kept) : record.kept
  const by = of === undefined ? undefined : undone.get(of)
  const isLost = isErased(record) && (record.kept === undefined || isRun)
  return {
    ...record,
    undoable: of !== undefined && by === undefined && !isLost,
    ...(by === undefined ? {} : { undoneBy: by }),
    ...(isErased(record) ? { erased: true } : {}),
  }
}

/** True of an entry of the log that lost words, or what `undo` needs of it. */
export function isErased({ before }: Pick<OperationRecord, 'before'>): boolean {
  return (before as { readonly erased?: unknown } | undefined)?.erased === true
}

/**
 * Returns the error `WRONG_STATUS` for an operation of which nothing is kept.
 *
 * @param droppedUpTo the newest entry whose changes were dropped to save room
 * @param reembedded the operation that made all vectors anew, if that is why
 */
export function notKept(entry: OperationRecord, droppedUpTo: number, reembedded?: number): ElfmemError {
  const reasons = [
    keepsNothing(entry) && 'it keeps nothing of before',
    isErased(entry) && 'it is erased, as words of what it changed were',
    entry.id <= droppedUpTo && 'what it changed was dropped to keep the file small (memory.keep_undo_bytes)',
    reembedded !== undefined && `all vectors were made anew since (operation ${reembedded})`,
    'it changed nothing but use',
  ]
  const recovery =
    LASTING[entry.operation]?.(entry) ?? 'history({ limit: 50 }) shows which operations can be undone.'
  const details = defined({ laterOperationId: reembedded })
  return refusal('WRONG_STATUS', entry, `cannot be undone: ${reasons.find(Boolean)}`, recovery, details)
}

/** Returns the error `NOT_FOUND` for a number that no entry of the log has. */
export function unknownOperation(operationId: number): ElfmemError {
  return new ElfmemError('NOT_FOUND', `The log of this memory has no operation ${operationId}.`, {
    recovery: 'history() shows the numbers; the oldest entries leave the log (memory.keep_operations).',
    details: { operationId },
  })
}

/** Returns the refusal to undo an operation. */
export function refusal(
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

function nothingToUndo(actor: string | undefined): ElfmemError {
  const none = `the log has no operation${actor === undefined ? '' : ` of ${actor}`}`
  return new ElfmemError('NOT_FOUND', `There is nothing to undo: ${none} that can be.`, {
    recovery: 'history() shows what was done; an undo itself is undone by its number.',
  })
}
