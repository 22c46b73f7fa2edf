import type { OperationRecord, StoreReader } from '../ports/store.ts'

/** Entries of the log looked through for those that took something back. */
const LOOKED_THROUGH = 100_000

/** Under which name taking back is logged. */
export const UNDO = 'undo'

/** Names under which a run logs its end, which stands for all of it. */
export const RUNS: readonly string[] = ['dream', 'curate']

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

/** A logged operation and whether it can be taken back. */
export interface ToldOperation extends OperationRecord {
  /** What it changed is kept, and nobody has taken it back. */
  readonly undoable: boolean
  /** The entry that took it back. */
  readonly undoneBy?: number
}

/** An entry of the log with what `undo` makes of it. */
export function told(record: OperationRecord, undone: ReadonlyMap<number | string, number>): ToldOperation {
  const of = RUNS.includes(record.operation) ? (record.run ?? record.kept) : record.kept
  const by = of === undefined ? undefined : undone.get(of)
  return {
    ...record,
    undoable: of !== undefined && by === undefined,
    ...(by === undefined ? {} : { undoneBy: by }),
  }
}

/** The transactions an entry of `undo` took back, and the run if it was all of one. */
function takenBackBy({ before }: OperationRecord): readonly (number | string)[] {
  const { undoes, run } = (before ?? {}) as {
    readonly undoes?: readonly number[]
    readonly run?: string
  }
  return [...(undoes ?? []), ...(run === undefined ? [] : [run])]
}
