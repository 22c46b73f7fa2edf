import { ElfmemError } from '../../errors.ts'
import { codePointLength, normalised, splitWhitespace } from '../text/text.ts'

/** Longest tag, in code points. */
const TAG_LENGTH_MAX = 128

/** Tags that a block has at most; more describe nothing. */
export const TAGS_MOST = 32

/** The tag of a core invariant: permanent, guaranteed in the self frame, given only by an explicit trusted act. */
export const CONSTITUTIONAL_TAG = 'self/constitutional'

/** The identity tags an analysis may speak of; the first is granted by nobody's analysis, the goal by the host's alone. */
export const MODEL_TAGS = [
  CONSTITUTIONAL_TAG,
  'self/constraint',
  'self/value',
  'self/style',
  'self/goal',
  'self/context',
] as const

/**
 * The one spelling of a tag: ends trimmed, lower case, white space inside collapsed to one space.
 * Throws `INVALID_INPUT` when nothing is left or more than 128 code points are.
 */
export function normaliseTag(tag: string): string {
  const normalised = spelled(tag)
  if (isTagLength(normalised)) return normalised
  throw new ElfmemError('INVALID_INPUT', `A tag has 1 to ${TAG_LENGTH_MAX} characters.`, {
    recovery: 'Shorten the tag, or put the long text into the content.',
    details: { length: codePointLength(normalised) },
  })
}

/** Tags in their one spelling, unique and sorted by code unit, as a block keeps them. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag))].sort()
}

/** Returns the part before a tag's first `/`; undefined for a tag without one. */
export function tagNamespace(tag: string): string | undefined {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : undefined
}

/** True if a normalised tag fits a pattern: literal, or a prefix when the pattern ends with `*`. Nothing else is special. */
export function matchesTag(pattern: string, tag: string): boolean {
  return pattern.endsWith('*') ? tag.startsWith(pattern.slice(0, -1)) : tag === pattern
}

/** True if a normalised tag says who the agent is (`self/…`). */
export function isIdentityTag(tag: string): boolean {
  return tagNamespace(tag) === 'self'
}

/** True if a normalised tag needs a trusted source: `self/constitutional` and everything under `peer/` (W5). */
export function isProtectedTag(tag: string): boolean {
  return tag === CONSTITUTIONAL_TAG || tagNamespace(tag) === 'peer'
}

/** True if any of a block's tags is `self/constitutional`. */
export function isConstitutional(tags: readonly string[]): boolean {
  return tags.includes(CONSTITUTIONAL_TAG)
}

/** True if a model may grant a normalised tag: it says neither what the agent is bound to nor what it is to want. */
export function grantableByModel(tag: string): boolean {
  return !isProtectedTag(tag) && tag !== 'self/goal'
}

/**
 * Which tags of an analysis count: those of the vocabulary that are not protected, normalised and unique.
 * The rest comes back as it was given, so that the result can say what was refused. Never throws.
 *
 * @param vocabulary instead of `MODEL_TAGS`
 */
export function grantableTags(tags: readonly string[]): {
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
} {
  const known = new Set<string>(MODEL_TAGS)
  const accepted = new Set<string>()
  const refused: string[] = []
  for (const tag of tags) {
    const normalised = spelled(tag)
    if (known.has(normalised) && !isProtectedTag(normalised)) accepted.add(normalised)
    else refused.push(tag)
  }
  return { accepted: [...accepted], refused }
}

function spelled(tag: string): string {
  return splitWhitespace(tag).join(' ').toLowerCase()
}

function isTagLength(tag: string): boolean {
  return tag !== '' && codePointLength(tag) <= TAG_LENGTH_MAX
}

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
