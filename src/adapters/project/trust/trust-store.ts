import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, ElfmemError } from '../../../errors.ts'
import { type ProjectFiles, systemFiles } from '../files.ts'

/** A project whose memory and config its owner said may be used. */
export interface TrustedProject {
  /** Path of its `.elfmem` folder. */
  readonly path: string
  /** Device and inode of that folder. */
  readonly id: string
  /** Id of its memory; absent while it has none. */
  readonly memory?: string
  /** ISO-8601 UTC. */
  readonly trustedAt: string
}

/** The projects one user trusts. */
export interface TrustStore {
  find(path: string): TrustedProject | undefined
  /** All of them, by path. */
  list(): readonly TrustedProject[]
  /** Adds one, or puts it in the place of what was said of its path before. */
  save(project: TrustedProject): void
  /** True if it was there. */
  remove(path: string): boolean
}

/** More than anybody has; what is beyond is not listed. */
const LISTED_MAX = 10_000

/**
 * The trusted projects in the user's folder, one small file each, named by the path it is about: two writers never write
 * the same file half. A file that is not the user's, or cannot be read, says nothing.
 */
export function openTrustStore(
  home: string,
  uid: number | undefined,
  files: ProjectFiles = systemFiles,
): TrustStore {
  const folder = join(home, '.elfmem', 'trusted')
  const fileOf = (path: string) =>
    join(folder, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`)
  const rules = { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }
  const read = (file: string) => attempt(() => entryOf(files.read(file, rules)))
  const find = (path: string) => {
    const entry = read(fileOf(path))
    return entry?.path === path ? entry : undefined
  }
  const save = (project: TrustedProject) => {
    const file = fileOf(project.path)
    const part = `${file}.${randomBytes(6).toString('hex')}`
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(part, `${JSON.stringify(project)}\n`, { flag: 'wx', mode: 0o600, flush: true })
      renameSync(part, file)
    } catch (cause) {
      throw unwritable(file, cause)
    } finally {
      rmSync(part, { force: true })
    }
  }
  return {
    find,
    list: () =>
      systemFiles
        .names(folder)
        .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
        .slice(0, LISTED_MAX)
        .flatMap((name) => read(join(folder, name)) ?? [])
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    save,
    remove(path) {
      const isThere = find(path) !== undefined
      rmSync(fileOf(path), { force: true })
      return isThere
    },
  }
}

function entryOf(text: string | undefined): TrustedProject | undefined {
  if (text === undefined) return undefined
  const { path, id, memory, trustedAt } = JSON.parse(text) as Readonly<Record<string, unknown>>
  if (typeof path !== 'string' || typeof id !== 'string' || typeof trustedAt !== 'string') return undefined
  return { path, id, trustedAt, ...(typeof memory === 'string' ? { memory } : {}) }
}

function unwritable(file: string, cause: unknown): ElfmemError {
  return new ElfmemError('STORE_FAILED', `${file} cannot be written: ${(cause as Error).message}.`, {
    recovery: 'Give this user write access to the folder .elfmem in the home directory.',
    details: { file },
    cause,
  })
}
