import type { BackupFile } from '../../ports/store/maintenance.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { noteCopyElsewhere } from './copies-elsewhere.ts'
import { atNow, filesOf } from './files-of.ts'

export interface BackupResult extends BackupFile {
  /** Names of older backups that were removed. */
  readonly removed: readonly string[]
  readonly seconds: number
}

/**
 * Copies the memory as it is now, while others write, and checks the copy. Without a path it goes to the memory's own
 * folder of backups, where only the newest `store.keepBackups` stay.
 */
export async function backup(
  engine: Engine,
  { signal }: Pick<CallContext, 'signal'>,
  { path }: { readonly path?: string | undefined },
): Promise<BackupResult> {
  const files = filesOf(engine)
  const started = engine.clock.now()
  if (path !== undefined) await noteCopyElsewhere(engine, path)
  const made = await files.backup(path === undefined ? { at: atNow(engine) } : { path }, signal)
  const removed =
    path === undefined ? await files.pruneBackups(engine.settings.store.keepBackups, made.name) : []
  return { ...made, removed, seconds: (engine.clock.now() - started) / 1000 }
}
