import type { Stretch } from '../block/text.ts'
import {
  endsWithQuestion,
  instructionsOf,
  type LanguageData,
  patternOf,
  politely,
  sentenceOf,
} from './pack.ts'
import { allLanguages } from './question.ts'

/** Words of a user that are to hold from now on. */
export interface SaidForGood {
  readonly category: 'instruction' | 'preference'
  /** The sentence as it stands in the text. */
  readonly text: string
}

/** Characters of a message that are read. */
const READ_MOST = 8_192
/** Words of a message in its writer's own prose; more are a document that was pasted. */
const PROSE_MOST = 400
/** Words of a sentence; a longer one only mentions an instruction. */
const SENTENCE_MOST = 60

/**
 * Returns the standing instructions and stated preferences in a user's own words, in order. Questions, code, quotes, pasted logs and
 * documents, notices in tags and the words of somebody else give none. Cost: some passes over the beginning of the text.
 */
export function saidForGood(text: string): readonly SaidForGood[] {
  const read = text.slice(0, READ_MOST)
  const own = ownWords(read)
  if (wordCount(own.replaceAll('>', '')) > PROSE_MOST) return []
  return sentencesOf(own).flatMap(({ from, to }) => {
    const category = categoryOf(own.slice(from, to))
    return category === undefined ? [] : [{ category, text: read.slice(from, to) }]
  })
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** Fenced code, and notices or frames in tags; without an end they reach to the end of the text. */
const BLOCK =
  /^(```|~~~)[\s\S]*?(?:^\1.*$|$(?![\s\S]))|<([a-z][\w-]*)(?:\s[^<>]*)?>[\s\S]*?(?:<\/\2>|$(?![\s\S]))/gim
/** Code and quotations inside a line, whose words are not the sentence's own. */
const INLINE = /`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]/g
/** Four lines in a row that a program broke. */
const WRAPPED = /(?:^.{60,}\n){3,}.+/gm
/** Lines of lists, quotes, diffs, tables, prompts, logs and code. */
const NO_PROSE =
  /^(?:[-+*•|>$%@=]|\d+[.)\]:]|\[|\d{2,4}[-:/]\d|at \S+\(| {4}|\t).*|^.*(?:[;{}][^\S\n]*$|=>.*)/gm
/** The beginning of a pasted document, diff or log, and of what a line with a colon or a question shows. */
const PASTED =
  /^(?:#{1,6} |diff --git |@@ |--- \S|Traceback |commit [0-9a-f]{7}|From: |Subject: )|(?:[:：]\s*\n|[?？؟]\s*\n\s*\n)\s*(?=[^\s>])/m
/** Matches the words behind a colon, as in "Commit message: Always flush." */
const SHOWN = /(?<=[:：]\s).+/g

/** Returns a text with `>` for each sign that its writer did not write as prose, up to what is pasted, with all places kept. */
function ownWords(text: string): string {
  const hide = (found: string) => found.replace(/\S/g, '>')
  const shown = text
    .replace(BLOCK, hide)
    .replace(INLINE, (quoted) => 'x'.repeat(quoted.length))
    .replace(NO_PROSE, hide)
  const pasted = shown.search(PASTED)
  return shown
    .slice(0, pasted < 0 ? undefined : pasted)
    .replace(WRAPPED, hide)
    .replace(SHOWN, hide)
}

/** The end of a sentence, which is no abbreviation such as "e.g." or "Dr.", or of a line that no small letter goes on. */
const SENTENCE_END =
  /(?:(?<![\s.]\p{L}\.|\s\p{Lu}\p{Ll}\.)(?<=[.!?…])["'”’)\]]*\s+|(?<=[。！？])|\n(?=\s*(?:\n|[^\s\p{Ll}])))\s*/gu

/** Returns the sentences of a text that begin with a word: one that begins with a quotation is not told by its opening. */
function sentencesOf(own: string): Stretch[] {
  const ends = [...own.matchAll(SENTENCE_END), { index: own.length, 0: '' }]
  const starts = [0, ...ends.map(({ index, 0: gap }) => index + gap.length)]
  return ends
    .map(({ index }, at) => ({ from: starts[at] as number, to: own.slice(0, index).trimEnd().length }))
    .filter(({ from, to }) => from < to && /^[\p{L}\p{N}¡¿(*_]/u.test(own.slice(from, to)))
}

let known: readonly ReturnType<typeof rulesOf>[] | undefined

function rulesOf(data: LanguageData) {
  const { asked, named, prefers, definite, passing } = data.forGood
  return {
    instructs: patternOf(instructionsOf(data), politely(data)),
    asked: patternOf(asked, politely(data)),
    named: patternOf(named, politely(data), ' $'),
    prefers: patternOf(`(?:${prefers}) (?!(?:${definite}) )\\S+`, politely(data)),
    passing: patternOf(passing),
  }
}

/** A name at the end of a sentence. */
const NAME = /(?:\s\p{Lu}[\p{L}\p{N}.'’-]*){1,3}$/u

function categoryOf(sentence: string): SaidForGood['category'] | undefined {
  // A sentence that ends with a colon or dots lacks the instruction itself.
  if (endsWithQuestion(sentence) || /[:：…]$|\.{3}$/.test(sentence)) return undefined
  if (wordCount(sentence) > SENTENCE_MOST) return undefined
  const [words, unnamed] = [sentenceOf(sentence), sentenceOf(sentence.replace(NAME, ''))]
  const clauses = sentence.split(/[,;:]\s/).map(sentenceOf)
  // A sentence is too short to tell its language.
  known ??= allLanguages().map(rulesOf)
  for (const { instructs, asked, named, prefers, passing } of known) {
    if (passing.test(words)) continue
    const isAsked = asked.test(words) && clauses.some((clause) => instructs.test(clause))
    const isNaming = words !== unnamed && named.test(unnamed)
    if (instructs.test(words) || isAsked || isNaming) return 'instruction'
    // Another clause mostly says what to do about it now.
    if (clauses.length === 1 && prefers.test(words)) return 'preference'
  }
  return undefined
}
