import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, fileFailure } from '../../errors.ts'
import { type ProjectFiles, systemFiles } from './files.ts'

/** Records of one kind in the user's own folder, each about a path: whatever a project brings says nothing there. */
export interface UserRecords<T extends { readonly path: string }> {
  /** The folder that they lie in; it is made when something is saved. */
  readonly folder: string
  find(path: string): T | undefined
  /** Lists all records, by path. */
  list(): readonly T[]
  /** Adds one, or puts it in the place of the one about its path. */
  save(record: T): void
  remove(path: string): void
  /** The path of a file beside the record about a path. */
  beside(path: string, ending: string): string
  /** Writes a file of the folder as a whole. Throws `STORE_FAILED`. */
  write(file: string, bytes: string | Buffer): void
}

/** The way in which records are read. */
interface Reading<T> {
  /** Numeric id of the user; undefined where files have no owner. */
  readonly uid: number | undefined
  readonly files?: ProjectFiles
  /** The record that parsed JSON is; undefined if it is none. */
  readonly recordOf: (found: Readonly<Record<string, unknown>>) => T | undefined
}

/** The most records that are listed; nobody has so many. */
const LISTED_MAX = 10_000

/**
 * Opens records of one small file each, named by the path it is about: two writers never write the same file half. A file that
 * is not the user's, or cannot be read, says nothing.
 */
export function openUserRecords<T extends { readonly path: string }>(
  home: string,
  kind: string,
  { uid, files = systemFiles, recordOf }: Reading<T>,
): UserRecords<T> {
  const folder = join(home, '.elfmem', kind)
  const beside = (path: string, ending: string) =>
    join(folder, createHash('sha256').update(path).digest('hex').slice(0, 32) + ending)
  const fileOf = (path: string) => beside(path, '.json')
  const rules = { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }
  const read = (file: string) => attempt(() => recordOf(JSON.parse(files.read(file, rules) ?? '{}')))
  const write = (file: string, bytes: string | Buffer) => {
    const part = `${file}.${randomBytes(6).toString('hex')}`
    try {
      makeUserFolder(folder)
      writeFileSync(part, bytes, { flag: 'wx', mode: 0o600, flush: true })
      renameSync(part, file)
    } catch (cause) {
      throw fileFailure(cause, file, 'written')
    } finally {
      rmSync(part, { force: true })
    }
  }
  return {
    folder,
    find: (path) => {
      const record = read(fileOf(path))
      return record?.path === path ? record : undefined
    },
    list: () =>
      files
        .names(folder)
        .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
        .slice(0, LISTED_MAX)
        .flatMap((name) => read(join(folder, name)) ?? [])
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    save: (record) => write(fileOf(record.path), `${JSON.stringify(record)}\n`),
    remove: (path) => rmSync(fileOf(path), { force: true }),
    beside,
    write,
  }
}

/** Makes a folder in the user's own, for nobody else. Throws `STORE_FAILED`. */
export function makeUserFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw fileFailure(cause, folder, 'written')
  }
}
