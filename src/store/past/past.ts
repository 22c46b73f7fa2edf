import type { Database } from '../../ports/store/rows.ts'
import type { PastMoment } from '../../ports/store/store.ts'
import { readRows, writeRows } from './rows-then.ts'
import { leaveTrue } from './true-then.ts'

/** Opens a database of its own with what was true, as it is known now. Reads all rows once. */
export async function openPast(database: Database, { asOf, extent }: PastMoment): Promise<Database> {
  const then = await database.read((rows) => readRows(rows, extent))
  leaveTrue(then, asOf)
  const past = await database.scratch()
  try {
    await past.write((rows) => writeRows(rows, then), { durable: false })
    return past
  } catch (error) {
    await past.close()
    throw error
  }
}
