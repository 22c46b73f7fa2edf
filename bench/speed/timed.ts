import { nextTurn } from '../../src/engine/engine.ts'
import { median, quantile } from '../lib/statistics.ts'
import { milliseconds } from '../lib/table.ts'

/** Milliseconds of repeated calls. */
export interface Timing {
  readonly calls: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Returns the middle and the slow end of some times. */
export function timing(values: readonly number[]): Timing {
  const at = (share: number) => quantile(values, share)
  return { calls: values.length, p50: median(values), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/** Returns the milliseconds that one call took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Times the work for each item, one after the other. Work that it leaves for later is done between two items and is not counted. */
export async function timeEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<Timing> {
  const values: number[] = []
  for (const item of items) {
    values.push(await timed(() => work(item)))
    await nextTurn()
  }
  return timing(values)
}

/** Returns median and 95th percentile, as the tables show them. */
export function p50p95({ p50, p95 }: Timing): string {
  return `${milliseconds(p50)} / ${milliseconds(p95)}`
}
