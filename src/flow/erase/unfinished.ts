import { UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'

/** Why an erasing that did not end wants attention, and what ends it. */
export const UNFINISHED = {
  reason: 'an erasing was begun and not finished: files of the memory may still hold the words',
  suggestion: 'Call erase() without arguments, which does the rest.',
} as const

/** True while files may hold words of blocks that are erased. */
export async function hasUnfinishedErasing(tx: StoreReader): Promise<boolean> {
  return (await tx.meta(UNFINISHED_ERASING)) !== undefined
}
