import { addCounts, type CountedDay, NOTHING_DONE } from '../../domain/advice/day-counts.ts'
import type { RowOf } from '../../ports/store/description.ts'
import { days } from '../log-tables.ts'
import type { Done, Transaction } from '../transaction.ts'

type Row = RowOf<typeof days>

/** Rows of it count the whole memory. */
const WHOLE = ''

/**
 * Adds to a day what entries of the log count for, and what the transaction did before them. Two statements; none when that is
 * nothing, as of most entries.
 */
export async function countDays(tx: Transaction, day: string, entries: readonly Done[]): Promise<void> {
  const done = [...tx.done.splice(0), ...entries]
  const added = new Map<string, Row>()
  for (const { scope, counts } of done)
    for (const within of scope === undefined ? [WHOLE] : [WHOLE, scope])
      added.set(within, addCounts(added.get(within) ?? { day, within, ...NOTHING_DONE }, counts))
  if (added.size === 0) return
  const { rows } = tx.whole
  const keys = [...added.keys()].map((within) => [day, within])
  const before = await rows.get(days, keys)
  const known = new Map(before.map((row) => [row.within, row]))
  const now = [...added.values()].map((row) => addCounts(row, known.get(row.within) ?? {}))
  await rows.put(days, now, before)
}

/** Reads what was done on days, in their order; those on which nothing was are left out. */
export async function readDays(tx: Transaction, wanted: readonly string[]): Promise<CountedDay[]> {
  const read = await tx.whole.rows.get(
    days,
    wanted.map((day) => [day, tx.scope ?? WHOLE]),
  )
  return read.map(({ within: _, ...counted }) => counted)
}
