import { codePointLength } from './text.ts'

/** What makes a tag fit to be given by words alone. */
export interface WordTagOptions {
  /** Tags given to one text. */
  readonly most: number
  /** Code points a tag has at least; shorter ones are words of every text. */
  readonly lengthLeast: number
}

/**
 * The known plain tags all of whose words a text has, in any form and order; the most specific first (most words, then
 * the longest). A tag whose words are all in a chosen one is left out, since it says less. Tags with `/` or `:` have a
 * meaning of their own and are never given. Cost: one pass over the text and one over the tags.
 *
 * @param stem maps a lower-case word to its stem
 */
export function tagsByWords(
  content: string,
  knownTags: Iterable<string>,
  stem: (word: string) => string,
  { most, lengthLeast }: WordTagOptions,
): string[] {
  const known = stemsOf(content, stem)
  const fitting = [...new Set(knownTags)]
    .filter((tag) => !/[/:]/.test(tag) && codePointLength(tag) >= lengthLeast)
    .map((tag) => ({ tag, stems: stemsOf(tag, stem) }))
    .filter(({ stems }) => stems.size > 0 && isWithin(stems, known))
    .sort((a, b) => b.stems.size - a.stems.size || b.tag.length - a.tag.length || (a.tag < b.tag ? -1 : 1))
  const chosen: typeof fitting = []
  for (const each of fitting) {
    if (chosen.length === most) break
    if (!chosen.some(({ stems }) => isWithin(each.stems, stems))) chosen.push(each)
  }
  return chosen.map(({ tag }) => tag)
}

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((stem) => whole.has(stem))
}

function stemsOf(text: string, stem: (word: string) => string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.map(stem))
}
