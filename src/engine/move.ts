import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Project } from '../adapters/project/project.ts'
import { ElfmemError } from '../errors.ts'
import type { AnyRow, Database, Rows } from '../store/database.ts'
import { codecOf, type Table } from '../store/description.ts'
import { isEmpty, pagesOf } from '../store/records.ts'
import { MEMORY_ID, meta, TABLES } from '../store/tables.ts'
import { keysOf } from '../store/transaction.ts'
import { isPostgresUrl, serverPlace, shownPlace } from './address.ts'
import { nextTurn } from './engine.ts'
import { openPostgres } from './open-postgres.ts'

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

/** The place of a memory: a path or an address, or where a project has it. */
export type MemoryAt =
  | string
  | { readonly url: string; readonly memory?: string | undefined }
  | Pick<Project['database'], 'path' | 'server'>

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
  const [source, target] = [placeOf(from), placeOf(to)]
  if (source.path === target.path)
    throw new ElfmemError('INVALID_INPUT', 'A memory cannot be moved to where it is.', {
      recovery: 'Name another place.',
    })
  const opened: Database[] = []
  try {
    for (const [place, isNew] of [
      [source, false],
      [target, true],
    ] as const)
      opened.push(await openAt(place, isNew))
    const [one, other] = opened as [Database, Database]
    return { from: source.path, to: target.path, ...(await moveRows(one, other)) }
  } finally {
    for (const each of opened) await each.close()
  }
}

type Place = Pick<Project['database'], 'path' | 'server'>

function placeOf(at: MemoryAt): Place {
  const given = typeof at === 'string' ? { url: at } : at
  if ('path' in given) return given
  if (!isPostgresUrl(given.url)) return { path: resolve(given.url) }
  const server = serverPlace(given.url, given.memory)
  return { path: shownPlace(server), server }
}

async function openAt({ path, server }: Place, isNew: boolean): Promise<Database> {
  if (server !== undefined) return openPostgres(server, { mustExist: !isNew })
  const [{ existsSync }, { openSqliteDatabase }] = await Promise.all([
    import('node:fs'),
    import('../sqlite/store.ts'),
  ])
  if (!isNew && !existsSync(path))
    throw new ElfmemError('STORE_MISSING', `There is no memory at ${path}.`, {
      recovery: 'Name the memory that is to be moved with --db or --from.',
      details: { location: path, beside: [] },
    })
  return openSqliteDatabase(path)
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
