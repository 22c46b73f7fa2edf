import type { OperationRecord, StoreReader } from '../ports/store.ts'

/** Entries of the log looked through for those that took something back. */
const LOOKED_THROUGH = 100_000

/** Under which name taking back is logged. */
export const UNDO = 'undo'

/** Which transactions are taken back by now, and by which entry: by the number under which their changes are kept. */
export async function undoneBy(tx: StoreReader): Promise<ReadonlyMap<number, number>> {
  const undone = new Map<number, number>()
  // Newest first: an entry that was itself taken back takes nothing back any more.
  for (const entry of await tx.operations({ operation: UNDO, limit: LOOKED_THROUGH })) {
    if (entry.kept !== undefined && undone.has(entry.kept)) continue
    for (const kept of takenBackBy(entry)) undone.set(kept, entry.id)
  }
  return undone
}

/** The transactions an entry of `undo` took back. */
export function takenBackBy({ before }: OperationRecord): readonly number[] {
  const { undoes } = (before ?? {}) as { readonly undoes?: readonly number[] }
  return undoes ?? []
}
