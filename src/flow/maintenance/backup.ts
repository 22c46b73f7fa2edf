import type { BackupFile, StoreFiles } from '../../ports/store/maintenance.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { isOwner } from '../guard/owner-only.ts'
import { mustFit, oneAtATime } from './agent-files.ts'
import { noteCopyElsewhere } from './copies-elsewhere.ts'
import { atNow, filesOf } from './files-of.ts'

export interface BackupResult extends BackupFile {
  /** Names of older backups that were removed. */
  readonly removed: readonly string[]
  readonly seconds: number
}

/**
 * Copies the memory as it is now, while others write, and checks the copy. Without a path it goes to the memory's own
 * folder of backups, where only the newest `store.keepBackups` stay, and of those that agents make only the newest
 * `store.agentBackups`.
 */
export async function backup(
  engine: Engine,
  context: CallContext,
  { path }: { readonly path?: string | undefined },
): Promise<BackupResult> {
  const files = filesOf(engine)
  const started = engine.clock.now()
  const made = await (isOwner(engine, context)
    ? ownersBackup(engine, context, path)
    : oneAtATime(engine, () => agentsBackup(engine, files, context)))
  return { ...made, seconds: (engine.clock.now() - started) / 1000 }
}

type Made = Omit<BackupResult, 'seconds'>

async function ownersBackup(
  engine: Engine,
  { signal }: CallContext,
  path: string | undefined,
): Promise<Made> {
  const files = filesOf(engine)
  if (path !== undefined) {
    const made = await files.backup({ path }, signal)
    await noteCopyElsewhere(engine, path)
    return { ...made, removed: [] }
  }
  const made = await files.backup({ at: atNow(engine), of: 'owner' }, signal)
  return {
    ...made,
    removed: await files.pruneBackups(made.name, { backups: engine.settings.store.keepBackups }),
  }
}

async function agentsBackup(engine: Engine, files: StoreFiles, { signal }: CallContext): Promise<Made> {
  const { agentBackups: backups, agentFileBytes: bytes } = engine.settings.store
  mustFit(engine, 'backup', await files.bytes(), bytes)
  const made = await files.backup({ at: atNow(engine), of: 'agent' }, signal)
  return { ...made, removed: await files.pruneBackups(made.name, { backups, bytes }) }
}
