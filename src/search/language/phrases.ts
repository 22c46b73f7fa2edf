import { wordsOf } from './words.ts'

/** So many words may stand where a phrase has dots: "gave … away". */
const BETWEEN_MOST = 3

/** Phrases that are looked for in texts, by their first words; each of one or two runs of words. */
export class Phrases {
  readonly #byFirst: ReadonlyMap<string, readonly (readonly (readonly string[])[])[]>

  /** @param list phrases with bars between them; dots stand for a few words */
  constructor(list: string) {
    const phrases = list.split('|').map((phrase) => phrase.split('…').map(wordsOf))
    this.#byFirst = Map.groupBy(phrases, ([run]) => run?.[0] ?? '')
  }

  /** True if any of the phrases stands among these words. */
  standIn(words: readonly string[]): boolean {
    return words.some((word, at) => this.#byFirst.get(word)?.some((runs) => placesOf(runs, words, at)))
  }

  /** The places of all words of phrases among these. */
  placesIn(words: readonly string[]): readonly number[] {
    let found: number[] | undefined
    for (let at = 0; at < words.length; at++)
      for (const runs of this.#byFirst.get(words[at] as string) ?? []) {
        const places = placesOf(runs, words, at)
        if (places === undefined) continue
        found ??= []
        found.push(...places)
      }
    return found ?? NONE
  }
}

const NONE: readonly number[] = []

/** The places of the words of a phrase that begins at a place; undefined where it does not. */
function placesOf(
  [run = [], rest]: readonly (readonly string[])[],
  words: readonly string[],
  at: number,
): number[] | undefined {
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
