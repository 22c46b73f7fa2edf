import type { Database } from '../../ports/store/rows.ts'
import type { PastMoment } from '../../ports/store/store.ts'
import { setBack } from './replay.ts'
import { readRows, writeRows } from './rows-then.ts'
import { leaveTrue } from './true-then.ts'

/** A database of its own, and from when on it has all that was known. */
interface OpenedPast {
  readonly database: Database
  readonly knownSince?: string
}

/** Opens a database of its own with what was true at a time, as it is known now or was known at another. Reads all rows once. */
export async function openPast(
  database: Database,
  { asOf, knownAt, extent }: PastMoment,
): Promise<OpenedPast> {
  const [read, knownSince] = await database.read(async (rows) => {
    const all = await readRows(rows, extent)
    return [all, knownAt === undefined ? undefined : await setBack(rows, all, knownAt)] as const
  })
  if (asOf !== undefined) leaveTrue(read, asOf)
  const past = await database.scratch()
  try {
    await past.write((rows) => writeRows(rows, read), { durable: false })
    return { database: past, ...(knownSince === undefined ? {} : { knownSince }) }
  } catch (error) {
    await past.close()
    throw error
  }
}
