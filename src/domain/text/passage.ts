import { isWhitespace } from './text.ts'

/** A part of a text, by its places in UTF-16 units; `to` is the place behind it. */
export interface Passage {
  readonly from: number
  readonly to: number
}

/** A sentence longer than this is looked at in parts, in UTF-16 units. */
const LONGEST = 240

const SENTENCE_ENDS = '.!?…。！？'
const CLOSING = '"\'”’»)]'

/**
 * The sentence of a text that has most of the wanted terms. A term counts the more, the fewer sentences have it. Of equal
 * ones the first; undefined if none has a wanted term.
 *
 * @param termsOf the terms of a part of the text
 */
export function bestPassage(
  text: string,
  wanted: readonly string[],
  termsOf: (text: string) => readonly string[],
): Passage | undefined {
  const looked = new Set(wanted)
  // Tables and lists say some lines very often.
  const read = new Map<string, ReadonlySet<string>>()
  const sentences = sentencesOf(text).map((passage) => {
    const said = text.slice(passage.from, passage.to)
    const terms = read.get(said) ?? new Set(termsOf(said).filter((term) => looked.has(term)))
    read.set(said, terms)
    return { passage, terms }
  })
  const counts = new Map<string, number>()
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const weightOf = (term: string) => Math.log(1 + sentences.length / (counts.get(term) ?? 1))
  let best: { readonly passage: Passage; readonly weight: number } | undefined
  for (const { passage, terms } of sentences) {
    const weight = [...terms].reduce((sum, term) => sum + weightOf(term), 0)
    if (weight > (best?.weight ?? 0)) best = { passage, weight }
  }
  return best?.passage
}

/** Sentences and lines, long ones in parts at white space. A bar that begins a further line of an entry is in none. */
function sentencesOf(text: string): readonly Passage[] {
  const found: Passage[] = []
  let from = beginningFrom(text, 0)
  for (let at = from + 1; at <= text.length; at++) {
    if (at < text.length && !endsAt(text, from, at)) continue
    if (at > from) found.push({ from, to: at })
    from = beginningFrom(text, at)
    at = from
  }
  return found
}

/** True where a sentence, a line or a part of a long sentence ends before white space. */
function endsAt(text: string, from: number, at: number): boolean {
  if (text.charAt(at) === '\n') return true
  if (text.charAt(at - 1) === '。') return true
  return isWhitespace(text.charCodeAt(at)) && (at - from > LONGEST || endsSentence(text, at))
}

function endsSentence(text: string, at: number): boolean {
  const isClosed = CLOSING.includes(text.charAt(at - 1))
  return SENTENCE_ENDS.includes(text.charAt(isClosed ? at - 2 : at - 1))
}

function beginningFrom(text: string, start: number): number {
  let at = start
  while (at < text.length && (isWhitespace(text.charCodeAt(at)) || text.charAt(at) === '|')) at++
  return at
}
