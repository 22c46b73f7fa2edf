import { resolve } from 'node:path'
import type { Project } from '../adapters/project/project.ts'
import { ElfmemError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { type MovedRows, moveRows } from '../store/move.ts'
import { isPostgresUrl, serverPlace, shownPlace } from './address.ts'
import { openPostgres } from './open-postgres.ts'

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
