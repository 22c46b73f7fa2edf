import { COPIES_ELSEWHERE } from '../../ports/store/erasing.ts'
import type { Engine } from '../engine/engine.ts'

/** Paths that are remembered, the newest. */
const KEPT_MOST = 200

/**
 * Remembers where a backup or an export went that is not beside the memory, so that an erasing can name it. Once it is
 * there: one that failed left nothing.
 */
export async function noteCopyElsewhere({ store }: Pick<Engine, 'store'>, path: string): Promise<void> {
  await store.write(
    async (tx) => {
      const kept = await tx.meta(COPIES_ELSEWHERE)
      const others = (kept === undefined ? [] : (JSON.parse(kept) as string[])).filter(
        (each) => each !== path,
      )
      await tx.saveMeta(COPIES_ELSEWHERE, JSON.stringify([...others, path].slice(-KEPT_MOST)))
    },
    { durable: false },
  )
}
