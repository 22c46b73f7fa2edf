import type { RecallResult } from '../../src/index.ts'
import type { Named } from './by-date.ts'
import type { Counts } from './counts.ts'

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

/** A line of one entry about another. */
export interface Mark {
  readonly entry: string
  readonly names: string
}

/** Returns the entries whose lines say `words [n]`, each with the entry that n numbers. */
export function marksIn(text: string, { entries }: Answer, words: string): Mark[] {
  let entry = ''
  return text.split('\n').flatMap((line) => {
    const number = /^\[(\d+)\]/.exec(line)?.[1]
    if (number !== undefined) entry = entries[Number(number) - 1] ?? ''
    const [, ...said] = line.split(`${words} [`)
    return said.map((rest) => ({ entry, names: entries[Number.parseInt(rest, 10) - 1] ?? '' }))
  })
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

/** Counts named pairs of one fact, newer blocks in them, and named pairs that are of no one fact. */
export function namedCounts(named: readonly Named[], factOf: (block: string) => string | undefined): Counts {
  const pairs = [...new Map(named.map((pair) => [`${pair.newer} ${pair.older}`, pair])).values()]
  const right = pairs.filter(({ newer, older }) => {
    const fact = factOf(newer)
    return fact !== undefined && fact === factOf(older)
  })
  const found = new Set(right.map(({ newer }) => newer)).size
  return { right: right.length, wrong: pairs.length - right.length, found }
}
