import { median, quantile } from '../lib/statistics.ts'

/** Milliseconds of repeated calls. */
export interface Timing {
  readonly p50: number
  readonly p95: number
  readonly calls: number
}

/** The middle and the slow end of some times. */
export function timing(values: readonly number[]): Timing {
  return { p50: median(values), p95: quantile(values, 0.95), calls: values.length }
}

/** Milliseconds that one call took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The work for each item, one after the other. */
export async function timeEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<Timing> {
  const values: number[] = []
  for (const item of items) values.push(await timed(() => work(item)))
  return timing(values)
}
