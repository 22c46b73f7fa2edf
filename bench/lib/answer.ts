import type { RecallResult } from '../../src/index.ts'
import type { Named } from './by-date.ts'

/** Blocks that an answer shows, by their ids. */
export interface Answer {
  /** Entries in the order of the text. */
  readonly entries: readonly string[]
  /** The entry under which a block stands as a version. */
  readonly under: ReadonlyMap<string, string>
}

/** Returns the blocks that an answer of `recall` shows. */
export function answerOf({ blocks, counterpoints }: RecallResult): Answer {
  const under = blocks.flatMap(({ id, versions = [] }) =>
    versions.map((version) => [version.id, id] as const),
  )
  return { entries: [...blocks, ...counterpoints].map(({ id }) => id), under: new Map(under) }
}

/** Returns the entries whose lines say `words [n]`, each with the entry that n numbers. */
export function marksIn({ text }: Pick<RecallResult, 'text'>, { entries }: Answer, words: string): Mark[] {
  const marks: Mark[] = []
  let entry = ''
  for (const line of text.split('\n')) {
    const number = /^\[(\d+)\]/.exec(line)?.[1]
    if (number !== undefined) entry = entries[Number(number) - 1] ?? ''
    const [, ...said] = line.split(`${words} [`)
    for (const rest of said) marks.push({ entry, names: entries[Number.parseInt(rest, 10) - 1] ?? '' })
  }
  return marks
}

/** A line about another entry. */
export interface Mark {
  readonly entry: string
  readonly names: string
}

/** The blocks of one fact that changed. */
export interface Change {
  readonly current: string
  readonly outdated: readonly string[]
}

/** What an answer makes of a fact that changed. */
export interface ChangeShown {
  /** The newest is an entry, and no outdated one is an entry before it. */
  readonly isFirst: boolean
  /** The newest is an entry. */
  readonly isPresent: boolean
  /** An outdated one is shown and the newest is not, not even under an entry. */
  readonly isStaleAlone: boolean
}

/** Judges where an answer shows the newest of a fact. */
export function changeShown({ entries, under }: Answer, { current, outdated }: Change): ChangeShown {
  const place = entries.indexOf(current)
  const isPresent = place >= 0
  const isShown = isPresent || under.has(current)
  return {
    isFirst: isPresent && !entries.slice(0, place).some((id) => outdated.includes(id)),
    isPresent,
    isStaleAlone: !isShown && outdated.some((id) => entries.includes(id) || under.has(id)),
  }
}

/** Returns how many older and newer blocks of one fact were named, and how many pairs that are none. */
export function namedRight(named: readonly Named[], factOf: (block: string) => string | undefined) {
  const pairs = [...new Map(named.map((pair) => [`${pair.newer} ${pair.older}`, pair])).values()]
  const right = pairs.filter(({ newer, older }) => {
    const fact = factOf(newer)
    return fact !== undefined && fact === factOf(older)
  })
  return {
    right: right.length,
    wrong: pairs.length - right.length,
    found: new Set(right.map(({ newer }) => newer)).size,
  }
}
