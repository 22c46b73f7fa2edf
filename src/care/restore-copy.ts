import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { refreshTerms } from '../engine/upkeep.ts'
import { ElfmemError } from '../errors.ts'
import type { BackupFile, StoreFiles } from '../store/maintenance.ts'
import { atNow, filesOf } from './files-of.ts'

/** A backup in the place of the memory. */
export interface RestoredCopy {
  readonly from: BackupFile
  /** The name of the backup of what was there before. */
  readonly safety: string
  /** False if the log has no entry of it, because none could be written. */
  readonly isLogged: boolean
}

/**
 * Puts a backup in the place of the memory and keeps what is there as another one. Everybody who has the memory open goes
 * on with the contents of the backup.
 */
export async function restoreCopy(
  engine: Engine,
  context: CallContext,
  wanted: { readonly name: string } | { readonly path: string },
): Promise<RestoredCopy> {
  const files = filesOf(engine)
  const { from, before } = await files.restore(wanted, () => keepSafe(engine, files))
  // The session and the model were those of what is gone.
  engine.session.backTo(undefined)
  engine.vectorModel.current = undefined
  const logged = await ifDone(() =>
    mutate(
      engine,
      context,
      ({ log }) =>
        log({
          operation: 'restore_backup',
          blockIds: [],
          summary: `restored ${from.name}; before it: ${before.name}`,
          // `undo` names it.
          before: { safety: before.name },
        }),
      { undoable: false },
    ),
  )
  // If it fails, the next one who opens the memory does it.
  await ifDone(() => refreshTerms(engine))
  return { from, safety: before.name, isLogged: logged !== undefined }
}

/** The memory is replaced: a failure of the store is no failure of the call any more. */
async function ifDone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return undefined
  }
}

/** A damaged memory cannot be copied and is not written over either: somebody may yet read what is left of it. */
async function keepSafe(engine: Engine, files: StoreFiles): Promise<BackupFile> {
  try {
    return await files.backup({ at: atNow(engine), of: 'owner' })
  } catch (cause) {
    if (!ElfmemError.is(cause) || cause.code !== 'STORE_CORRUPT') throw cause
    throw new ElfmemError('STORE_CORRUPT', 'The memory is damaged, so it cannot be backed up first.', {
      recovery: 'Close it, move its file away, open it with { anew: true } and call restoreBackup again.',
      details: cause.details,
      cause,
    })
  }
}
