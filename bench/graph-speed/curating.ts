import type { Memory } from '../../src/index.ts'
import { quantile } from '../lib/statistics.ts'
import { timed } from '../speed/timed.ts'
import { type Waits, whileOthersWait } from './waiting.ts'
import type { Held } from './watched-store.ts'

/** One curation, seen from within and from another process that wants to write. */
export interface CuratePart {
  readonly seconds: number
  readonly transactions: number
  /** Milliseconds from having the lock to the end of the commit. */
  readonly held: { readonly longest: number; readonly p95: number }
  /** Milliseconds that the other process waited. */
  readonly waits: Waits
  readonly edgesRemoved: number
  readonly archived: number
  readonly promoted: number
  readonly logTrimmed: number
}

export async function measureCurating(
  memory: Memory,
  { path, held }: { readonly path: string; readonly held: Held[] },
): Promise<CuratePart> {
  held.length = 0
  let done: Awaited<ReturnType<Memory['curate']>> | undefined
  const [milliseconds, waits] = await whileOthersWait(path, () =>
    timed(async () => {
      done = await memory.curate()
    }),
  )
  const times = held.map((each) => each.milliseconds)
  return {
    seconds: milliseconds / 1000,
    transactions: times.length,
    held: { longest: Math.max(0, ...times), p95: quantile(times, 0.95) },
    waits,
    edgesRemoved: (done?.edgesPruned ?? 0) + (done?.edgesDecayed ?? 0),
    archived: done?.archived.length ?? 0,
    promoted: done?.promoted ?? 0,
    logTrimmed: done?.logTrimmed ?? 0,
  }
}
