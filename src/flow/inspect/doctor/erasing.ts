import type { Engine } from '../../engine/engine.ts'
import { hasUnfinishedErasing, UNFINISHED } from '../../erase/unfinished.ts'
import { type Check, trouble } from './check.ts'

/** One check when an erasing did not end, none otherwise. */
export async function checkErasing({ store }: Pick<Engine, 'store'>): Promise<Check[]> {
  const isUnfinished = await store.read(hasUnfinishedErasing)
  if (!isUnfinished) return []
  const said = `${UNFINISHED.reason.charAt(0).toUpperCase()}${UNFINISHED.reason.slice(1)}.`
  return [trouble('warn', 'erasing', said, UNFINISHED.suggestion)]
}
