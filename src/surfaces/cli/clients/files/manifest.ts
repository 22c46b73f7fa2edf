import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemFiles } from '../../../../adapters/project/files.ts'
import { attempt } from '../../../../errors.ts'
import { sha256, type Trace } from '../edit/entry.ts'
import { unwritable } from './unwritable.ts'

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
  /** The file before the first change, and where its bytes are kept. */
  readonly before: { readonly sha256: string; readonly backup?: string }
  /** True if somebody else changed the file between two changes, so that its first bytes are not to come back. */
  readonly mixed?: boolean
  /** SHA-256 of the file after the last change. */
  readonly after: string
  /** ISO-8601 UTC. */
  readonly at: string
}

/** The files that one user had changed, in the user's own folder: whatever a project brings says nothing about it. */
export interface Manifest {
  find(path: string): KeptFile | undefined
  list(): readonly KeptFile[]
  save(file: KeptFile): void
  /** Forgets a file, and its backup. */
  remove(file: KeptFile): void
  /** Where a text is kept that nothing else has; it stays when the file is forgotten. */
  keptAt(path: string, text: string): string
  /** Keeps a text there. */
  keep(path: string, text: string): void
  /** Keeps bytes beside the manifest; returns the path of the copy. */
  backup(path: string, bytes: Buffer): string
  /** The bytes of a backup, if they are still those that were kept. */
  restored(before: KeptFile['before']): Buffer | undefined
}

/** Opens the manifest. Nothing is made before something is saved. */
export function openManifest(home: string, uid: number | undefined): Manifest {
  const folder = join(home, '.elfmem', 'clients')
  const nameOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 32)
  const fileOf = (path: string) => join(folder, `${nameOf(path)}.json`)
  const keptAt = (path: string, text: string) =>
    join(folder, `${nameOf(path)}-${sha256(text).slice(0, 16)}.txt`)
  const rules = { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }
  const read = (file: string) => attempt(() => keptFrom(systemFiles.read(file, rules)))
  const write = (file: string, bytes: string | Buffer) => {
    const part = `${file}.${randomBytes(6).toString('hex')}`
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(part, bytes, { flag: 'wx', mode: 0o600, flush: true })
      renameSync(part, file)
    } catch (cause) {
      throw unwritable(file, cause)
    } finally {
      rmSync(part, { force: true })
    }
  }
  return {
    find(path) {
      const kept = read(fileOf(path))
      return kept?.path === path ? kept : undefined
    },
    list: () =>
      systemFiles
        .names(folder)
        .filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
        .flatMap((name) => read(join(folder, name)) ?? [])
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    save: (file) => write(fileOf(file.path), `${JSON.stringify(file)}\n`),
    remove(file) {
      rmSync(fileOf(file.path), { force: true })
      const backup = file.before.backup
      if (backup?.startsWith(folder)) rmSync(backup, { force: true })
    },
    keptAt,
    keep: (path, text) => write(keptAt(path, text), text),
    backup(path, bytes) {
      const copy = join(folder, `${nameOf(path)}-${Date.now()}.bak`)
      write(copy, bytes)
      return copy
    },
    restored({ backup, sha256: known }) {
      const bytes = backup === undefined ? undefined : attempt(() => readFileSync(backup))
      return bytes !== undefined && sha256(bytes) === known ? bytes : undefined
    },
  }
}

function keptFrom(text: string | undefined): KeptFile | undefined {
  if (text === undefined) return undefined
  const kept = JSON.parse(text) as KeptFile
  const isWhole =
    typeof kept.path === 'string' &&
    typeof kept.after === 'string' &&
    typeof kept.before?.sha256 === 'string' &&
    Array.isArray(kept.folders) &&
    Array.isArray(kept.entries) &&
    kept.entries.every(({ clients, trace }) => Array.isArray(clients) && Array.isArray(trace?.at))
  return isWhole ? kept : undefined
}
