import { spelledOut } from '../../text/facts.ts'
import { normalised, splitWhitespace } from '../../text/text.ts'
import { WORDS } from './english.ts'

/** One word of a statement. */
export interface Term {
  /** Equal for words that mean the same here: the stem of a plain word, the value of a number. */
  readonly key: string
  /** As written, in lower case. */
  readonly word: string
  /** Written with a capital inside a sentence, with a digit or as code. */
  readonly isName: boolean
  /** A sentence or a part of one ends behind it. */
  readonly endsClause: boolean
}

/** A statement as the rules for conflicts read it; one analysis serves all its comparisons. */
export interface ConflictFacts {
  readonly terms: readonly Term[]
  /** States something: no question, request or supposition. */
  readonly isClaim: boolean
  /** Speaks of one among others ("a test was added"), so that another may be otherwise. */
  readonly isIndefinite: boolean
  /** Tells how it is at the time of saying it ("today", "this week"), so that another day it may be otherwise. */
  readonly isMomentary: boolean
}

const OPENING = new Set('("\'`[{«“‘')
const CLOSING = new Set(')`]},;:.!?…"\'»”’')
const CLAUSE_END = /[,;:.!?][)"'`\]}»”’]*$/
const SENTENCE_END = /[.!?:][)"'`\]}»”’]*$/
const NUMBER = /^([$€£]?)(\d+|\d{1,3}(?:,\d{3})+)(\.\d+)?(%?)$/

/**
 * Reads a text for `conflictBetween`. `stem` maps a lower-case word to its stem. Cost: one pass over the text.
 */
export function conflictFacts(text: string, stem: (word: string) => string): ConflictFacts {
  const raws = splitWhitespace(normalised(text, 'NFC').replaceAll('’', "'").replaceAll('−', '-'))
  const terms: Term[] = []
  const seen: string[] = []
  let isInitial = true
  for (const raw of raws) {
    const written = bare(raw)
    if (written !== '') {
      const lower = written.toLowerCase()
      seen.push(lower)
      const isName =
        /[\p{N}_/\\@]/u.test(written) || (!isInitial && /^\p{Lu}/u.test(written) && written !== 'I')
      const parts = spelledOut(lower, WORDS.contractions).filter((part) => !WORDS.fillers.has(part))
      for (const [i, word] of parts.entries())
        terms.push({
          key: keyOf(word, isName, stem),
          word,
          isName,
          endsClause: i === parts.length - 1 && CLAUSE_END.test(raw),
        })
      isInitial = false
    }
    if (SENTENCE_END.test(raw)) isInitial = true
  }
  const [first = ''] = seen
  return {
    terms,
    isClaim:
      !text.includes('?') && !WORDS.requests.has(first) && !seen.some((word) => WORDS.hypothetical.has(word)),
    isIndefinite: WORDS.indefinite.has(first),
    isMomentary: seen.some(
      (word, at) =>
        WORDS.momentary.has(word) || (WORDS.pointing.has(word) && WORDS.stretches.has(seen[at + 1] ?? '')),
    ),
  }
}

/** The value of an amount as written in digits or as a numeral; undefined for anything else. */
function amountOf(word: string): number | undefined {
  const numeral = WORDS.numerals.get(word)
  if (numeral !== undefined) return numeral
  const [, , whole, fraction = ''] = NUMBER.exec(word) ?? []
  return whole === undefined ? undefined : Number(whole.replaceAll(',', '') + fraction)
}

/** Without the punctuation at its ends; not by a pattern, which would go over a long run of it again and again. */
function bare(raw: string): string {
  let start = 0
  let end = raw.length
  while (start < end && OPENING.has(raw[start] as string)) start++
  while (end > start && CLOSING.has(raw[end - 1] as string)) end--
  return raw.slice(start, end)
}

function keyOf(word: string, isName: boolean, stem: (word: string) => string): string {
  const [, currency = '', , , percent = ''] = NUMBER.exec(word) ?? []
  const amount = amountOf(word)
  if (amount !== undefined) return `${currency}${amount}${percent}`
  const same = WORDS.sameWord.get(word)
  if (same !== undefined) return same
  return isName ? word : stem(word)
}

/** True if it is an event, which may recur: a past verb, but no participle behind "was". */
export function tellsEvent(before: readonly Term[]): boolean {
  return before.some(({ word }, at) => WORDS.isPast(word) && !WORDS.being.has(before[at - 1]?.word ?? ''))
}
