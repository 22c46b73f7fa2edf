import { ElfmemError } from '../../errors.ts'
import type { BackupFile, StoreFiles } from '../../ports/store/maintenance.ts'
import type { OperationRecord } from '../../ports/store/transaction.ts'
import { refreshTerms } from '../blocks/reindex.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { atNow, filesOf } from './files-of.ts'

/** Under which name the log has it that a backup took the place of the memory. */
export const RESTORE_BACKUP = 'restore_backup'

/** The part of a log entry by which a restore can be taken back. */
interface KeptOfRestore {
  /** The name of the backup of what was there before. */
  readonly safety: string
  /** True if it took back another restore. */
  readonly tookBack?: true
}

/** A backup in the place of the memory. */
export interface RestoredCopy {
  readonly from: BackupFile
  /** The name of the backup of what was there before. */
  readonly safety: string
  /** The entry of the log, which can be undone; absent if none could be written. */
  readonly operationId?: number
}

/** A backup by its name or by its path, and which entry of the log another restore is taken back for. */
export interface CopyWanted {
  readonly from: { readonly name: string } | { readonly path: string }
  readonly takesBack?: Pick<OperationRecord, 'id'>
  readonly reason?: string | undefined
}

/**
 * Puts a backup in the place of the memory and keeps what is there as another one. Everybody who has the memory open goes
 * on with the contents of the backup.
 */
export async function restoreCopy(
  engine: Engine,
  context: CallContext,
  { from: wanted, takesBack, reason }: CopyWanted,
): Promise<RestoredCopy> {
  const files = filesOf(engine)
  const { from, before } = await files.restore(wanted, () => keepSafe(engine, files))
  // The session and the model were those of what is gone.
  engine.session.backTo(undefined)
  engine.vectorModel.current = undefined
  const kept: KeptOfRestore = { safety: before.name, ...(takesBack ? { tookBack: true } : {}) }
  const told = takesBack ? `took back operation ${takesBack.id}: ` : ''
  const operationId = await ifDone(() =>
    mutate(engine, context, ({ log }) =>
      log({
        operation: RESTORE_BACKUP,
        blockIds: [],
        summary: `${told}restored ${from.name}; before it: ${before.name}`,
        ...(reason ? { reason } : {}),
        before: kept,
      }),
    ),
  )
  // If it fails, the next one who opens the memory does it.
  await ifDone(() => refreshTerms(engine))
  return { from, safety: before.name, ...(operationId === undefined ? {} : { operationId }) }
}

/** The part of an entry by which its restore can be taken back; undefined if it is none, or of a version that kept nothing. */
export function keptOfRestore({
  operation,
  before,
}: Pick<OperationRecord, 'operation' | 'before'>): KeptOfRestore | undefined {
  const kept = before as Partial<KeptOfRestore> | undefined
  return operation === RESTORE_BACKUP && typeof kept?.safety === 'string'
    ? (kept as KeptOfRestore)
    : undefined
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
