import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Project } from '../adapters/project/project.ts'
import { ElfmemError } from '../errors.ts'
import type { AnyRow, Database, Rows } from '../store/database.ts'
import { codecOf, type Table } from '../store/description.ts'
import { isEmpty, pagesOf } from '../store/records.ts'
import { MEMORY_ID, meta, TABLES } from '../store/tables.ts'
import { keysOf } from '../store/transaction.ts'
import { isPostgresUrl, pathIn, serverPlace } from './address.ts'
import { nextTurn } from './engine.ts'
import { openPostgres } from './open-postgres.ts'

/** The place of a memory: a path, an address with the name of the memory as in `postgres://host/db#name`, or where a project has it. */
export type MemoryAt = string | Pick<Project['database'], 'path' | 'server'>

/** A moved memory is told by the number of rows of each table, and by one hash over all of them. */
interface MovedRows {
  readonly rows: Readonly<Record<string, number>>
  readonly sha256: string
}

/** A moved memory has its rows, and the places for people. */
export interface MovedMemory extends MovedRows {
  readonly from: string
  readonly to: string
}

/**
 * Copies a whole memory with its log and its undo to another place, file or database, that has none yet; the source stays as it is.
 *
 * @throws `CONFLICT` if there is a memory already, `STORE_MISSING` if the source is not there
 */
export async function moveMemory(from: MemoryAt, to: MemoryAt): Promise<MovedMemory> {
  const [source, target] = [from, to].map((at) => {
    if (typeof at !== 'string') return at
    return isPostgresUrl(at) ? serverPlace(at, undefined) : { path: resolve(pathIn(at)) }
  }) as [Exclude<MemoryAt, string>, Exclude<MemoryAt, string>]
  if (source.path === target.path)
    throw new ElfmemError('INVALID_INPUT', 'A memory cannot be moved to where it is.', {
      recovery: 'Name another place.',
    })
  const one = await openAt(source, true)
  try {
    const other = await openAt(target, false)
    try {
      return { from: source.path, to: target.path, ...(await moveRows(one, other)) }
    } finally {
      await other.close()
    }
  } finally {
    await one.close()
  }
}

async function openAt({ path, server }: Exclude<MemoryAt, string>, mustExist: boolean): Promise<Database> {
  if (server !== undefined) return openPostgres(server, { mustExist })
  if (mustExist && !existsSync(path))
    throw new ElfmemError('STORE_MISSING', `There is no memory at ${path}.`, {
      recovery: 'Name the memory that is to be moved with --db.',
      details: { location: path, beside: [] },
    })
  return (await import('../sqlite/store.ts')).openSqliteDatabase(path)
}

/**
 * Copies every row of a memory into an empty one, in one transaction that is kept only if all rows are the same on both sides. The
 * source is only read.
 *
 * @throws `CONFLICT` if the other memory is not empty
 */
async function moveRows(from: Database, to: Database): Promise<MovedRows> {
  const read = async (source: Rows) => {
    const digest = await digestOf(source)
    await to.write(async (rows) => {
      if (!(await isEmpty(rows)))
        throw new ElfmemError('CONFLICT', `There is a memory in ${to.location} already.`, {
          recovery: 'Move into an empty one: name another file or another memory.',
        })
      // A new memory has settings of its own, which those of the source replace.
      const own = (await rows.scan(meta, { order: ['key'] })).filter((row) => goesAlong(meta, row))
      await rows.remove(meta, keysOf(own.map(({ key }) => key)))
      for await (const [table, page] of movedPages(source)) await rows.put(table, page as never, [])
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

/** Yields all rows that go along, page by page. */
async function* movedPages(rows: Rows): AsyncGenerator<readonly [Table, AnyRow[]]> {
  for (const table of TABLES)
    for await (const page of pagesOf(rows, table)) {
      yield [table, page.filter((row) => goesAlong(table, row))]
      await nextTurn()
    }
}

/** Returns true if a row goes along: not the name of a place, nor the mark of an index that lies beside it. */
function goesAlong({ name }: Table, row: AnyRow): boolean {
  return name !== meta.name || !new RegExp(`^(${MEMORY_ID}|index_mark.*)$`, 's').test(String(row.key))
}

/** Returns the number of rows and a hash of all their values, the log and the kept changes among them. */
async function digestOf(rows: Rows): Promise<MovedRows> {
  const [counts, hash] = [{} as Record<string, number>, createHash('sha256')]
  for await (const [table, page] of movedPages(rows)) {
    const { encode } = codecOf<AnyRow>(table)
    counts[table.name] = (counts[table.name] ?? 0) + page.length
    for (const row of page) {
      const cells = encode(row).map((cell) =>
        cell instanceof Uint8Array ? { bytes: Buffer.from(cell).toString('base64') } : cell,
      )
      hash.update(`${JSON.stringify([table.name, cells])}\n`)
    }
  }
  return { rows: counts, sha256: hash.digest('hex') }
}
