import { ElfmemError } from '../../errors.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { type EmbeddingLock, matchesLock, nameOf } from '../engine/embedding.ts'

/** Whose vectors the shadow set holds. */
export interface ShadowLock extends EmbeddingLock {
  /** It was in use before, and complete then. Otherwise it is being made. */
  readonly kept: boolean
}

const SHADOW = 'spare_model'
const NONE = ''

/** Whose vectors the shadow set holds; undefined when there is none. */
export async function readShadowLock(tx: StoreReader): Promise<ShadowLock | undefined> {
  const value = await tx.meta(SHADOW)
  return value === undefined || value === NONE ? undefined : (JSON.parse(value) as ShadowLock)
}

/** Notes whose vectors the shadow set holds; undefined notes that there is none. */
export async function saveShadowLock(tx: StoreWriter, lock: ShadowLock | undefined): Promise<void> {
  await tx.saveMeta(SHADOW, lock === undefined ? NONE : JSON.stringify(lock))
}

/** Refuses to go on when another change of model took the place of this one. */
export async function requireShadowOf(tx: StoreReader, target: EmbeddingLock): Promise<void> {
  const shadow = await readShadowLock(tx)
  if (shadow !== undefined && matchesLock(shadow, target)) return
  const instead = shadow === undefined ? 'dropped its vectors' : `began to change to ${nameOf(shadow)}`
  throw new ElfmemError('STORE_BUSY', `Another reembed ${instead} meanwhile.`, {
    recovery: 'Decide on one model, then call reembed() with it.',
    details: { model: shadow?.model },
  })
}
