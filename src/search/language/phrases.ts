import { wordsOf } from './words.ts'

/** So many words may stand where a phrase has dots: "gave … away". */
const BETWEEN_MOST = 3

/** A phrase of one or two runs of words. */
type Runs = readonly (readonly string[])[]

/** Phrases that are looked for in texts. */
export class Phrases {
  readonly #lists: PhraseLists<'own'>

  /** @param list phrases with bars between them; dots stand for a few words */
  constructor(list: string) {
    this.#lists = new PhraseLists({ own: list })
  }

  /** True if any of the phrases stands among these words. */
  standIn(words: readonly string[]): boolean {
    return this.placesIn(words).length > 0
  }

  /** The places of all words of phrases among these. */
  placesIn(words: readonly string[]): readonly number[] {
    return this.#lists.placesIn(words).own ?? NONE
  }
}

const NONE: readonly number[] = []

/** Several lists of phrases that are looked for in one walk over the words, by their first ones. */
export class PhraseLists<Name extends string> {
  readonly #byFirst: ReadonlyMap<string, readonly { readonly name: Name; readonly runs: Runs }[]>

  /** @param lists of each list its phrases as `Phrases` takes them */
  constructor(lists: Readonly<Record<Name, string>>) {
    const phrases = Object.entries<string>(lists).flatMap(([name, list]) =>
      list.split('|').map((phrase) => ({ name: name as Name, runs: phrase.split('…').map(wordsOf) })),
    )
    this.#byFirst = Map.groupBy(phrases, ({ runs: [run] }) => run?.[0] ?? '')
  }

  /** The places of all words of phrases among these, of each list that has any. */
  placesIn(words: readonly string[]): Readonly<Partial<Record<Name, readonly number[]>>> {
    const found: Partial<Record<Name, number[]>> = {}
    for (let at = 0; at < words.length; at++)
      for (const { name, runs } of this.#byFirst.get(words[at] as string) ?? NO_PHRASES) {
        const places = placesOf(runs, words, at)
        if (places === undefined) continue
        found[name] ??= []
        found[name].push(...places)
      }
    return found
  }
}

const NO_PHRASES: readonly never[] = []

/** The places of the words of a phrase that begins at a place; undefined where it does not. */
function placesOf([run = [], rest]: Runs, words: readonly string[], at: number): number[] | undefined {
  const standsAt = (part: readonly string[], from: number) =>
    part.every((word, i) => words[from + i] === word)
  if (!standsAt(run, at)) return undefined
  const end = at + run.length
  const places = run.map((_, i) => at + i)
  if (rest === undefined) return places
  for (let from = end + 1; from <= end + BETWEEN_MOST; from++)
    if (standsAt(rest, from)) return [...places, ...rest.map((_, i) => from + i)]
  return undefined
}
