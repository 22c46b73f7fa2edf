import { nextTurn } from '../../src/engine/engine.ts'
import { median, quantile } from '../lib/statistics.ts'
import { milliseconds } from '../lib/table.ts'

/** Milliseconds of repeated calls. */
export interface Timing {
  readonly p50: number
  readonly p95: number
  readonly max: number
  readonly calls: number
}

/** The middle and the slow end of some times. */
export function timing(values: readonly number[]): Timing {
  return {
    p50: median(values),
    p95: quantile(values, 0.95),
    max: quantile(values, 1),
    calls: values.length,
  }
}

/** Milliseconds that one call took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The work for each item, one after the other. What it leaves for the next turn is done between two items, and not counted. */
export async function timeEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<Timing> {
  const values: number[] = []
  for (const item of items) {
    values.push(await timed(() => work(item)))
    await nextTurn()
  }
  return timing(values)
}

/** Median and 95th percentile, as the tables show them. */
export function p50p95({ p50, p95 }: Timing): string {
  return `${milliseconds(p50)} / ${milliseconds(p95)}`
}

/** The same with the slowest call. */
export function p50p95max({ max, ...timing }: Timing): string {
  return `${p50p95({ max, ...timing })} / ${milliseconds(max)}`
}
