import { createRandom } from './random.ts'

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Returns the value below which a share of the values lies, by nearest rank; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[Math.min(at, sorted.length - 1)] ?? 0
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** A mean and its 95 % interval. */
export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/**
 * Returns the mean of per-question values (for two systems: their differences) with the percentile interval of resampled
 * questions. It says nothing about the spread between conversations.
 */
export function bootstrap(values: readonly number[], draws = 2_000): Interval {
  const random = createRandom(20_261, values.length)
  const means = Array.from({ length: draws }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[random.below(values.length)] as number
    return sum / Math.max(1, values.length)
  })
  return { mean: mean(values), low: quantile(means, 0.025), high: quantile(means, 0.975) }
}

/** Two-sided 95 % points of Student's t for 1 to 10 degrees of freedom. */
const T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]

/** Returns the mean of one value a seed with its 95 % t interval. For a single seed both ends are the mean. */
export function tInterval(values: readonly number[]): Interval {
  const centre = mean(values)
  const freedom = values.length - 1
  if (freedom < 1) return { mean: centre, low: centre, high: centre }
  const variance = values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / freedom
  const half = (T_95[freedom - 1] ?? 1.96) * Math.sqrt(variance / values.length)
  return { mean: centre, low: centre - half, high: centre + half }
}
