import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { AUTO } from '../engine/engine.ts'
import { keptOfRestore } from '../maintenance/restore-copy.ts'

/** Entries of the log looked through for those that took something back. */
const LOOKED_THROUGH = 100_000

/** Under which name taking back is logged. */
export const UNDO = 'undo'

/** The operation that is to be taken back, and if it is only to be looked at. */
export interface UndoInput {
  /** The number of an entry of the log; absent: what was done last. */
  readonly operationId?: number | undefined
  /** For the log. */
  readonly reason?: string | undefined
  /** Says what would come back and changes nothing. */
  readonly dryRun: boolean
}

/** The name under which an import from another program logs what it does. */
export const IMPORT_FROM = 'import_from'

/** The name under which several decisions of one call log their end. */
export const DECIDE_MANY = 'decide_many'

/** Names under which a run logs its end, which stands for all of it; of batches any entry does. */
export const RUNS: readonly string[] = [
  ...['dream', 'curate', IMPORT_FROM, 'remember_many', 'learn_document'],
  DECIDE_MANY,
]

/**
 * Which transactions and runs are taken back by now, and by which entry: by the number under which the changes of a
 * transaction are kept, and by the name of a run.
 */
export async function undoneBy(tx: StoreReader): Promise<ReadonlyMap<number | string, number>> {
  const undone = new Map<number | string, number>()
  // Newest first: an entry that was itself taken back takes nothing back any more.
  for (const entry of await tx.operations({ operation: UNDO, limit: LOOKED_THROUGH })) {
    if (entry.kept !== undefined && undone.has(entry.kept)) continue
    for (const taken of takenBackBy(entry)) undone.set(taken, entry.id)
  }
  return undone
}

/** Entries of the log looked through at a time for the last that can be undone. */
const PAGE = 200

/** The actor of a program; models act through its adapters as `library:ai-sdk` and the like. */
const PROGRAM = 'library'

/** True if an act is that of a caller: a program answers for what models do through its adapters. */
export function isActOf(caller: string, { actor }: Pick<OperationRecord, 'actor'>): boolean {
  return actor === caller || (caller === PROGRAM && actor.startsWith(`${PROGRAM}:`))
}

/** Which operations are meant by the last one. */
interface Wanted {
  /** Only those before this one and before the run it is part of. */
  readonly before?: Pick<OperationRecord, 'id' | 'run' | 'kept'>
  /** Only acts of this caller; of anybody when undefined. */
  readonly actor: string | undefined
}

/** The newest operation that can be undone and that somebody asked for; no undo. */
export async function lastUndoable(
  tx: StoreReader,
  undone: ReadonlyMap<number | string, number>,
  { before, actor: wanted }: Wanted,
): Promise<OperationRecord | undefined> {
  for (let at = before?.id; ; ) {
    const page = await tx.operations({ limit: PAGE, ...(at === undefined ? {} : { before: at }) })
    const shared = await sharedAmong(tx, page)
    const last = page.find(
      ({ kept, run, operation, actor }) =>
        kept !== undefined &&
        !shared.has(kept) &&
        operation !== UNDO &&
        (wanted === undefined ? actor !== AUTO : isActOf(wanted, { actor })) &&
        !undone.has(kept) &&
        kept !== before?.kept &&
        (run === undefined || run !== before?.run),
    )
    at = page.at(-1)?.id
    if (last !== undefined || at === undefined) return last
  }
}

/** The transactions of entries that were about other scopes as well, which a view of one does not take back. */
export async function sharedAmong(
  tx: StoreReader,
  entries: readonly Pick<OperationRecord, 'kept'>[],
): Promise<ReadonlySet<number>> {
  return new Set(await tx.sharedChanges([...new Set(entries.flatMap(({ kept }) => kept ?? []))]))
}

const NONE: ReadonlySet<number> = new Set()

/** Transactions after one that leave nothing behind by now: what was taken back, and what took it back. */
export function cancelledSince(undone: ReadonlyMap<number | string, number>, after: number): number[] {
  return [...undone].flatMap(([taken, by]) => (typeof taken === 'number' && taken > after ? [taken, by] : []))
}

/** A logged operation and whether it can be taken back. */
export interface ToldOperation extends OperationRecord {
  /** True if what it changed is kept and nobody has taken it back. */
  readonly undoable: boolean
  /** The entry that took it back. */
  readonly undoneBy?: number
  /** True if it was about other scopes as well: only who sees the whole memory takes it back. */
  readonly shared?: true
  /** True if words of it were erased since. */
  readonly erased?: true
}

/**
 * An entry of the log with what `undo` makes of it.
 *
 * @param shared transactions that a view does not take back
 */
export function told(
  record: OperationRecord,
  undone: ReadonlyMap<number | string, number>,
  shared = NONE,
): ToldOperation {
  const of = RUNS.includes(record.operation) ? (record.run ?? record.kept) : record.kept
  const by = of === undefined ? undefined : undone.get(of)
  const isShared = record.kept !== undefined && shared.has(record.kept)
  const isLost = record.kept === undefined || RUNS.includes(record.operation)
  return {
    ...record,
    undoable:
      keptOfRestore(record) !== undefined ||
      (of !== undefined && by === undefined && !isShared && !(isLost && isErased(record))),
    ...(isShared ? { shared: true } : {}),
    ...(by === undefined ? {} : { undoneBy: by }),
    ...(isErased(record) ? { erased: true } : {}),
  }
}

/** True of an entry of the log that lost words, or what `undo` needs of it. */
export function isErased({ before }: Pick<OperationRecord, 'before'>): boolean {
  return (before as { readonly erased?: unknown } | undefined)?.erased === true
}

/** True of the entries of an import of which the log has dropped the oldest, or what an undo needs of them. */
export function isCutOff(entries: readonly OperationRecord[]): boolean {
  const own = entries.filter(({ operation }) => operation === IMPORT_FROM)
  const isFirst = ({ before }: OperationRecord) =>
    (before as { readonly part?: unknown } | undefined)?.part === 1
  return own.length > 0 && !own.some((entry) => isFirst(entry) && entry.kept !== undefined)
}

/** The transactions an entry of `undo` took back, and the run if it was all of one. */
function takenBackBy({ before }: OperationRecord): readonly (number | string)[] {
  const { undoes, run, runs } = (before ?? {}) as {
    readonly undoes?: readonly number[]
    readonly run?: string
    readonly runs?: readonly string[]
  }
  return [...(undoes ?? []), ...(run === undefined ? [] : [run]), ...(runs ?? [])]
}
