import { UNFINISHED_ERASING } from '../../ports/store/erasing.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { type Check, trouble } from './doctor/check.ts'

/** Why an erasing that did not end wants attention, and what ends it. */
export const UNFINISHED = {
  reason: 'an erasing was begun and not finished: files of the memory may still hold the words',
  suggestion: 'Call erase without arguments (elfmem erase), which does the rest.',
} as const

/** True while files may hold words of blocks that are erased. */
export async function hasUnfinishedErasing(tx: StoreReader): Promise<boolean> {
  return (await tx.meta(UNFINISHED_ERASING)) !== undefined
}

/** One check when an erasing did not end, none otherwise. */
export async function checkErasing({ store }: Pick<Engine, 'store'>): Promise<Check[]> {
  const isUnfinished = await store.read(hasUnfinishedErasing)
  if (!isUnfinished) return []
  const said = `${UNFINISHED.reason.charAt(0).toUpperCase()}${UNFINISHED.reason.slice(1)}.`
  return [trouble('warn', 'erasing', said, UNFINISHED.suggestion)]
}
