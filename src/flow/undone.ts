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

/** The transactions an entry of `undo` took back, and the run if it was all of one. */
function takenBackBy({ before }: OperationRecord): readonly (number | string)[] {
  const { undoes, run } = (before ?? {}) as {
    readonly undoes?: readonly number[]
    readonly run?: string
  }
  return [...(undoes ?? []), ...(run === undefined ? [] : [run])]
}
