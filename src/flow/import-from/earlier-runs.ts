import type { StoreReader } from '../../ports/store/transaction.ts'
import { IMPORT_FROM, undoneBy } from '../undo/undone.ts'

/** Entries of the log looked through: an import of 250,000 texts has so many. */
const LOOKED_THROUGH = 1_000
/** Imports that are named. */
const NAMED_MOST = 5

/**
 * The earlier imports that brought blocks, by the newest entry of each; those that are taken back are none. A call that was
 * broken off is one: what the next call finds known goes with that entry, not with its own.
 *
 * @param run the import that asks
 */
export async function earlierImports(
  tx: StoreReader,
  { run, blockIds }: { readonly run: string; readonly blockIds: ReadonlySet<string> },
): Promise<readonly number[]> {
  if (blockIds.size === 0) return []
  const undone = await undoneBy(tx)
  const newest = new Map<string, number>()
  const bringing = new Set<string>()
  for (const entry of await tx.operations({ operation: IMPORT_FROM, limit: LOOKED_THROUGH })) {
    if (entry.run === undefined || entry.run === run || undone.has(entry.run)) continue
    if (!newest.has(entry.run)) newest.set(entry.run, entry.id)
    if (entry.blockIds.some((id) => blockIds.has(id))) bringing.add(entry.run)
  }
  return [...bringing].flatMap((each) => newest.get(each) ?? []).slice(0, NAMED_MOST)
}
