import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../../block/text.ts'
import { attempt, fileFailure } from '../../../errors.ts'
import { type ProjectFiles, systemFiles } from '../files.ts'

/** A project whose memory and config its owner said may be used. */
export interface TrustedProject {
  /** Path of its `.elfmem` folder, without links. */
  readonly path: string
  /** SHA-256 of its `config.yaml`, in hexadecimal; absent while it has none. */
  readonly config?: string
  /** Id of its memory; absent while it has none. */
  readonly memory?: string
  /** ISO-8601 UTC. */
  readonly trustedAt: string
}

/** The projects one user trusts. */
export interface TrustStore {
  find(path: string): TrustedProject | undefined
  /** Lists all trusted projects, by path. */
  list(): readonly TrustedProject[]
  /** Saves a project; it replaces an earlier record of its path. Throws `STORE_FAILED`. */
  save(project: TrustedProject): void
  /** True if it was there. */
  remove(path: string): boolean
}

/**
 * Opens the records of trusted projects in the user's folder, out of reach for files of a project. Each has a file named by the
 * path of the project. A file that is not the user's, or cannot be read, is no record.
 */
export function openTrustStore(
  home: string,
  uid: number | undefined,
  files: ProjectFiles = systemFiles,
): TrustStore {
  const folder = join(home, '.elfmem', 'trusted')
  const fileOf = (path: string) =>
    join(folder, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`)
  const read = (file: string) =>
    attempt(() => recordOf(JSON.parse(files.read(file, { noLink: true, owner: uid }) ?? '{}')))
  const find = (path: string) => {
    const record = read(fileOf(path))
    return record?.path === path ? record : undefined
  }
  return {
    find,
    list: () => {
      const names = files.names(folder).filter((name) => name.endsWith('.json'))
      return names
        .flatMap((name) => read(join(folder, name)) ?? [])
        .sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    save: (record) => {
      const file = fileOf(record.path)
      const part = `${file}.${randomBytes(6).toString('hex')}`
      makeUserFolder(folder)
      try {
        writeFileSync(part, `${JSON.stringify(record)}\n`, { flag: 'wx', mode: 0o600, flush: true })
        renameSync(part, file)
      } catch (cause) {
        throw fileFailure(cause, file, 'written')
      } finally {
        rmSync(part, { force: true })
      }
    },
    remove(path) {
      const isThere = find(path) !== undefined
      rmSync(fileOf(path), { force: true })
      return isThere
    },
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

function recordOf({ path, config, memory, trustedAt }: Partial<TrustedProject>): TrustedProject | undefined {
  const texts = Object.values(defined({ path, config, memory, trustedAt }))
  if (path === undefined || trustedAt === undefined) return undefined
  if (!texts.every((each) => typeof each === 'string')) return undefined
  return { path, trustedAt, ...defined({ config, memory }) }
}
