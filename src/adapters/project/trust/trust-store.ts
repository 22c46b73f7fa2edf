import { type ProjectFiles, systemFiles } from '../files.ts'
import { openUserRecords } from '../user-records.ts'

/** A project whose memory and config its owner said may be used. */
export interface TrustedProject {
  /** Path of its `.elfmem` folder. */
  readonly path: string
  /** Device and inode of that folder. */
  readonly id: string
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
  /** Saves a project; it replaces an earlier record of its path. */
  save(project: TrustedProject): void
  /** True if it was there. */
  remove(path: string): boolean
}

/** The trusted projects in the user's folder. */
export function openTrustStore(
  home: string,
  uid: number | undefined,
  files: ProjectFiles = systemFiles,
): TrustStore {
  const { find, list, save, remove } = openUserRecords(home, 'trusted', { uid, files, recordOf })
  return {
    find,
    list,
    save,
    remove(path) {
      const isThere = find(path) !== undefined
      remove(path)
      return isThere
    },
  }
}

function recordOf({
  path,
  id,
  config,
  memory,
  trustedAt,
}: Readonly<Record<string, unknown>>): TrustedProject | undefined {
  if (typeof path !== 'string' || typeof id !== 'string' || typeof trustedAt !== 'string') return undefined
  return {
    path,
    id,
    trustedAt,
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof memory === 'string' ? { memory } : {}),
  }
}
