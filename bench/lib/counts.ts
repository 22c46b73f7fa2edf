/** Numbers by their names. */
export type Counts = Record<string, number>

/** Adds numbers to those of the same names, and returns the sums. */
export function add(sums: Counts, counts: Counts): Counts {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** Returns the sums of several counts. */
export function total(all: readonly Counts[]): Counts {
  return all.reduce<Counts>(add, {})
}
