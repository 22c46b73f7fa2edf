import { normalised } from '../text/normalised.ts'
import { codePointLength } from '../text/text.ts'

/** Limits for tags that are given by words alone. */
export interface WordTagOptions {
  /** Most tags given to one text. */
  readonly most: number
  /** Least length of a tag, in code points; shorter ones are words of every text. */
  readonly lengthLeast: number
}

interface Known {
  readonly tag: string
  readonly stems: ReadonlySet<string>
}

/**
 * Plain tags that are given to whatever text has all their words, in any form and order. Tags with `/` or `:` have a
 * meaning of their own and are never given.
 */
export class WordTags {
  readonly #stem: (word: string) => string
  readonly #options: WordTagOptions
  readonly #seen = new Set<string>()
  /** Known tags by their first stem, so that a text is compared with few. */
  readonly #byStem = new Map<string, Known[]>()

  /** @param stem maps a lower-case word to its stem */
  constructor(stem: (word: string) => string, options: WordTagOptions) {
    this.#stem = stem
    this.#options = options
  }

  /** Makes tags known. */
  add(tags: Iterable<string>): this {
    for (const tag of tags) {
      if (this.#seen.has(tag)) continue
      this.#seen.add(tag)
      if (/[/:]/.test(tag) || codePointLength(tag) < this.#options.lengthLeast) continue
      const stems = stemsOf(tag, this.#stem)
      const [first] = stems
      if (first === undefined) continue
      const beside = this.#byStem.get(first)
      if (beside) beside.push({ tag, stems })
      else this.#byStem.set(first, [{ tag, stems }])
    }
    return this
  }

  /**
   * The tags a text deserves, the most specific first (most words, then the longest). A tag whose words are all in a
   * chosen one is left out, since it says less. Cost: one pass over the text.
   */
  tagsOf(content: string): string[] {
    const said = stemsOf(content, this.#stem)
    const fitting = [...said]
      .flatMap((stem) => this.#byStem.get(stem) ?? [])
      .filter(({ stems }) => isWithin(stems, said))
      .sort((a, b) => b.stems.size - a.stems.size || b.tag.length - a.tag.length || (a.tag < b.tag ? -1 : 1))
    const chosen: Known[] = []
    for (const each of fitting) {
      if (chosen.length === this.#options.most) break
      if (!chosen.some(({ stems }) => isWithin(each.stems, stems))) chosen.push(each)
    }
    return chosen.map(({ tag }) => tag)
  }
}

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((stem) => whole.has(stem))
}

function stemsOf(text: string, stem: (word: string) => string): ReadonlySet<string> {
  const words =
    normalised(text, 'NFC')
      .toLowerCase()
      .replaceAll(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.map(stem))
}
