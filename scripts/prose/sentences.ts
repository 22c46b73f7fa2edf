import { lineEnds, type Passage } from './markdown.ts'

/** A sentence and the line on which it begins. */
export interface Sentence {
  readonly line: number
  readonly text: string
}

/** Ends of words at which a full stop ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|et al|vs|cf|approx|no)\.$/i

/** A stop, the quotes and brackets that close with it, and the white space after it. */
const STOP = /[.!?]["')\]”’*_]*(\s+)/g

/** The sentences of a passage. A colon or a semicolon ends none. */
export function sentencesOf({ line, text }: Passage): readonly Sentence[] {
  const sentences: Sentence[] = []
  let from = 0
  const add = (end: number) => {
    const sentence = text.slice(from, end)
    const before = text.slice(0, from + (sentence.length - sentence.trimStart().length))
    if (sentence.trim() !== '') sentences.push({ line: line + lineEnds(before), text: sentence.trim() })
    from = end
  }
  for (const { index, 0: stop } of text.matchAll(STOP))
    if (!ABBREVIATION.test(text.slice(from, index + 1))) add(index + stop.length)
  add(text.length)
  return sentences
}

/** The number of words in a sentence: what has a letter or a digit between white space. Inline code is one word. */
export function wordCount(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word)).length
}
