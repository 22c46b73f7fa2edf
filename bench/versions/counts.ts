import type { RecallResult } from '../../src/index.ts'

/** Numbers by their names. */
export type Counts = Record<string, number>

/** Returns the sums of several counts. */
export function total(all: readonly Counts[]): Counts {
  const sums: Counts = {}
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** Blocks that an answer shows, by their ids. */
export interface Answer {
  /** Entries in the order of the text. */
  readonly entries: readonly string[]
  /** Blocks that stand under an entry as its versions. */
  readonly under: ReadonlySet<string>
}

/** Returns the blocks that an answer of `recall` shows. */
export function answerOf({ blocks, counterpoints }: RecallResult): Answer {
  return {
    entries: [...blocks, ...counterpoints].map(({ id }) => id),
    under: new Set(blocks.flatMap(({ versions = [] }) => versions.map(({ id }) => id))),
  }
}

/** Counts whether the newest of a fact stands before all that is outdated, is an entry, or is left out. */
export function changeCounts(
  { entries, under }: Answer,
  current: string,
  outdated: readonly string[],
): Counts {
  const place = entries.indexOf(current)
  const isPresent = place >= 0
  const isFirst = isPresent && !entries.slice(0, place).some((id) => outdated.includes(id))
  const showsOutdated = outdated.some((id) => entries.includes(id) || under.has(id))
  return {
    changes: 1,
    'newest first': Number(isFirst),
    'newest present': Number(isPresent),
    'stale alone': Number(showsOutdated && !isPresent && !under.has(current)),
  }
}
