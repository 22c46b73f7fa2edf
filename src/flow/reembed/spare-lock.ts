import { ElfmemError } from '../../errors.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { type EmbeddingLock, matchesLock, nameOf } from '../engine/embedding-lock.ts'

/** Whose vectors the spare set holds. */
export interface SpareLock extends EmbeddingLock {
  /** It was in use before, and complete then. Otherwise it is being made. */
  readonly kept: boolean
}

const SPARE = 'spare_model'
const NONE = ''

/** Whose vectors the spare set holds; undefined when there is none. */
export async function readSpareLock(tx: StoreReader): Promise<SpareLock | undefined> {
  const value = await tx.meta(SPARE)
  return value === undefined || value === NONE ? undefined : (JSON.parse(value) as SpareLock)
}

export async function saveSpareLock(tx: StoreWriter, lock: SpareLock | undefined): Promise<void> {
  await tx.saveMeta(SPARE, lock === undefined ? NONE : JSON.stringify(lock))
}

/** Refuses to go on when another change of model took the place of this one. */
export async function requireSpareOf(tx: StoreReader, target: EmbeddingLock): Promise<void> {
  const spare = await readSpareLock(tx)
  if (spare !== undefined && matchesLock(spare, target)) return
  const instead = spare === undefined ? 'dropped its vectors' : `began to change to ${nameOf(spare)}`
  throw new ElfmemError('STORE_BUSY', `Another reembed ${instead} meanwhile.`, {
    recovery: 'Decide on one model, then call reembed with it.',
    details: { model: spare?.model },
  })
}
