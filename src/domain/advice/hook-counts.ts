/** How hooks of coding agents went. */
export interface HookCounts {
  /** Events that were understood. */
  readonly handled: number
  /** Of these, those that were over before all was found: something was left out. */
  readonly late: number
  /** Of these, those in which something failed. */
  readonly failed: number
}

/** The place of the counts, one item for each server, as any program may write it. */
export const HOOK_COUNTS = { space: 'hooks', namespace: ['counts'] } as const
/** Servers whose counts are kept, the newest. */
export const HOOK_COUNTS_MOST = 16

/** Adds up the counts of some servers; undefined if there are none. */
export function sumOfHooks(values: readonly unknown[]): HookCounts | undefined {
  const sum = { handled: 0, late: 0, failed: 0 }
  for (const value of values) {
    const counts = Object(value) as Readonly<Record<string, unknown>>
    for (const name of ['handled', 'late', 'failed'] as const) {
      const count = counts[name]
      if (Number.isSafeInteger(count) && (count as number) > 0) sum[name] += count as number
    }
  }
  return sum.handled === 0 ? undefined : sum
}
