import { readFileSync, rmSync } from 'node:fs'
import { openUserRecords } from '../../../../adapters/project/user-records.ts'
import { attempt } from '../../../../errors.ts'
import { sha256, type Trace } from '../edit/entry.ts'

/** An entry that was put into a file, and for whom. */
export interface KeptEntry {
  /** Names of clients; a file such as AGENTS.md serves several. */
  readonly clients: readonly string[]
  readonly part: 'server' | 'rules' | 'hooks'
  readonly format: 'json' | 'toml' | 'block'
  readonly trace: Trace
}

/** The changes that were made to one file. */
export interface KeptFile {
  readonly path: string
  /** The folder of the project that the file is in; absent for a file of the user. */
  readonly project?: string
  readonly entries: readonly KeptEntry[]
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[]
  /** SHA-256 of the file before the first change, of which a backup is kept; `ABSENT` if there was none. */
  readonly before: string
  /** True if somebody else changed the file between two changes, so that its first bytes are not to come back. */
  readonly mixed?: boolean
  /** SHA-256 of the file after the last change. */
  readonly after: string
}

/** The files that one user had changed, in the user's own folder: whatever a project brings says nothing about it. */
export interface Manifest {
  find(path: string): KeptFile | undefined
  list(): readonly KeptFile[]
  /** Keeps what is known of a file, and forgets a backup that nothing will be restored from. */
  save(file: KeptFile): void
  /** Forgets a file, and its backup. */
  remove(file: KeptFile): void
  /** Returns the path at which a text is kept that nothing else has; it stays when the file is forgotten. */
  keptAt(path: string, text: string): string
  /** Keeps a text there. */
  keep(path: string, text: string): void
  /** Keeps the bytes of a file from before its first change. */
  backup(path: string, bytes: Buffer): void
  /** The bytes from before the first change, if they are still there as they were. */
  restored(file: KeptFile): Buffer | undefined
}

/** Opens the manifest. Nothing is made before something is saved. */
export function openManifest(home: string, uid: number | undefined): Manifest {
  const { find, list, save, remove, beside, write } = openUserRecords(home, 'clients', { uid, recordOf })
  const keptAt = (path: string, text: string) => beside(path, `-${sha256(text).slice(0, 16)}.txt`)
  const backupOf = (path: string, hash: string) => beside(path, `-${hash.slice(0, 16)}.bak`)
  return {
    find,
    list,
    save(file) {
      const known = find(file.path)?.before ?? file.before
      save(file)
      if (known !== file.before) rmSync(backupOf(file.path, known), { force: true })
    },
    remove({ path, before }) {
      remove(path)
      rmSync(backupOf(path, before), { force: true })
    },
    keptAt,
    keep: (path, text) => write(keptAt(path, text), text),
    backup: (path, bytes) => write(backupOf(path, sha256(bytes)), bytes),
    restored({ path, before }) {
      const bytes = attempt(() => readFileSync(backupOf(path, before)))
      return bytes !== undefined && sha256(bytes) === before ? bytes : undefined
    },
  }
}

function recordOf(found: object): KeptFile | undefined {
  const kept = found as KeptFile
  const isWhole =
    [kept.path, kept.before, kept.after].every((each) => typeof each === 'string') &&
    Array.isArray(kept.folders) &&
    Array.isArray(kept.entries) &&
    kept.entries.every(({ clients, trace }) => Array.isArray(clients) && Array.isArray(trace?.at))
  return isWhole ? kept : undefined
}
