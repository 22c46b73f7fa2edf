import { ElfmemError } from '../../errors.ts'
import type { BackupFile, StoreFiles } from '../../ports/store/maintenance.ts'
import { refreshTerms } from '../blocks/refresh-terms.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { atNow, filesOf, plainName } from './files-of.ts'

export interface RestoreBackupResult {
  readonly from: BackupFile
  /** The backup of the memory as it was before. */
  readonly safety: BackupFile
}

/** Where the contents are to come from: one of the memory's own backups, or a file. */
export interface RestoreBackupInput {
  readonly name?: string | undefined
  readonly path?: string | undefined
}

/** Keeps what is there, then puts the contents of a backup in its place; everybody who has the memory open goes on with it. */
export async function restoreBackup(
  engine: Engine,
  context: CallContext,
  { name, path }: RestoreBackupInput,
): Promise<RestoreBackupResult> {
  const files = filesOf(engine)
  if ((name === undefined) === (path === undefined))
    throw new ElfmemError('INVALID_INPUT', 'Say which backup: by its name or by its path.', {
      recovery: `The memory's own backups: ${(await files.backups()).slice(0, 3).join(', ') || 'none yet'}.`,
    })
  const wanted = path === undefined ? { name: plainName(name ?? '') } : { path }
  const { from, before: safety } = await files.restore(wanted, () => keepSafe(engine, files))
  // The session and the model were those of what is gone.
  engine.session.backTo(undefined)
  engine.vectorModel.current = undefined
  await refreshTerms(engine)
  await mutate(engine, context, ({ log }) =>
    log({
      operation: 'restore_backup',
      blockIds: [],
      summary: `restored ${from.name}; before it: ${safety.name}`,
    }),
  )
  return { from, safety }
}

/** A damaged memory cannot be copied and is not written over either: somebody may yet read what is left of it. */
async function keepSafe(engine: Engine, files: StoreFiles): Promise<BackupFile> {
  try {
    return await files.backup({ at: atNow(engine), of: 'owner' })
  } catch (cause) {
    if (!ElfmemError.is(cause) || cause.code !== 'STORE_CORRUPT') throw cause
    throw new ElfmemError('STORE_CORRUPT', 'The memory is damaged, so it cannot be backed up first.', {
      recovery: 'Close it, move its file away and call restoreBackup again: it makes a new one.',
      details: cause.details,
      cause,
    })
  }
}
