import type { Engine } from '../engine/engine.ts'
import { readScopes } from '../store/blocks.ts'
import type { ScopeCounts } from '../store/queries.ts'

/** Scopes that are named. */
const SCOPES_NAMED = 50

/** Where a memory lies, and what lies beside it. */
export interface MemoryPlace {
  /** Bytes of its file; absent where there is none, or for a memory of one scope. */
  readonly bytes?: number
  readonly backupFolder?: string
  /** Names of the backups in that folder, newest first. */
  readonly backups: readonly string[]
  /** At most 50, those with most blocks first. */
  readonly scopes: readonly ScopeCounts[]
}

/** Reads where a memory lies. */
export async function readPlace({ store, scope }: Pick<Engine, 'store' | 'scope'>): Promise<MemoryPlace> {
  const scopes = scope === undefined ? await store.read((tx) => readScopes(tx, SCOPES_NAMED)) : []
  const { files } = store
  if (files === undefined) return { backups: [], scopes }
  const [bytes, backups] = await Promise.all([files.bytes(), files.backups()])
  return { bytes, backupFolder: files.folder, backups, scopes }
}
