import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ElfmemError } from '../errors.ts'
import type { AnyRow, Database, Rows } from './database.ts'
import { codecOf, type Table } from './description.ts'
import { isEmpty, pagesOf } from './records.ts'
import { MEMORY_ID, meta, TABLES } from './tables.ts'
import { keysOf } from './transaction.ts'

/** A moved memory is told by the number of rows of each table, and by one hash over all of them. */
export interface MovedRows {
  readonly rows: Readonly<Record<string, number>>
  readonly sha256: string
}

/** Returns true if a row goes along: not the name of a place, nor the mark of an index that lies beside it. */
function goesAlong({ name }: Table, row: AnyRow): boolean {
  return name !== meta.name || !new RegExp(`^(${MEMORY_ID}|index_mark.*)$`, 's').test(String(row.key))
}

/** Passes all rows that go along to `visit`, page by page. */
async function eachPage(rows: Rows, visit: (table: Table, page: AnyRow[]) => Promise<void>): Promise<void> {
  for (const table of TABLES)
    for await (const page of pagesOf(rows, table)) {
      const some = page.filter((row) => goesAlong(table, row))
      if (some.length > 0) await visit(table, some)
      await nextTurn()
    }
}

/** Returns the number of rows and a hash of all their values, the log and the kept changes among them. */
async function digestOf(rows: Rows): Promise<MovedRows> {
  const [counts, hash] = [new Map<string, number>(), createHash('sha256')]
  await eachPage(rows, async (table, page) => {
    const { encode } = codecOf<AnyRow>(table)
    counts.set(table.name, (counts.get(table.name) ?? 0) + page.length)
    for (const row of page) {
      const cells = encode(row).map((cell) =>
        cell instanceof Uint8Array ? { bytes: Buffer.from(cell).toString('base64') } : cell,
      )
      hash.update(`${JSON.stringify([table.name, cells])}\n`)
    }
  })
  return { rows: Object.fromEntries(counts), sha256: hash.digest('hex') }
}

/**
 * Copies every row of a memory into an empty one, in one transaction that is kept only if all rows are the same on both sides. The
 * source is only read.
 *
 * @throws `CONFLICT` if the other memory is not empty
 */
export async function moveRows(from: Database, to: Database): Promise<MovedRows> {
  const read = async (source: Rows) => {
    const digest = await digestOf(source)
    await to.write(async (rows) => {
      if (!(await isEmpty(rows)))
        throw new ElfmemError('CONFLICT', `There is a memory in ${to.location} already.`, {
          recovery: 'Move into an empty one: name another file or another memory.',
        })
      await clearSettings(rows)
      await eachPage(source, async (table, page) => void (await rows.put(table, page as never, [])))
      const arrived = await digestOf(rows)
      if (arrived.sha256 === digest.sha256) return
      throw new ElfmemError('STORE_FAILED', 'The moved rows are not those of the source; nothing was kept.', {
        recovery: 'Try again; if it happens again, report it with the details.',
        details: { location: to.location, found: arrived.rows },
      })
    }, {})
    return digest
  }
  const moved = await from.read(read, { aside: true })
  await to.analyze?.()
  return moved
}

/** Removes the settings that a new memory has, which those of the source replace. */
async function clearSettings(rows: Rows): Promise<void> {
  const all = (await rows.scan(meta, { order: ['key'] })).filter((row) => goesAlong(meta, row))
  await rows.remove(meta, keysOf(all.map(({ key }) => key)))
}
