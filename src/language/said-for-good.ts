import type { Stretch } from '../block/text.ts'
import { endsWithQuestion, instructionsOf, patternOf, sentenceOf } from './pack.ts'
import { allLanguages } from './question.ts'

/** Words of a user that are to hold from now on. */
export interface SaidForGood {
  readonly category: 'instruction' | 'preference'
  /** The words as they stand in the text. */
  readonly text: string
}

/** Characters of a message that are read. */
const READ_MOST = 8_192
/** Words of a message in its writer's own prose; more are a document that was pasted. */
const PROSE_MOST = 400
/** Words of a sentence; a longer one only mentions an instruction. */
const SENTENCE_MOST = 60
/** Lines in a row that a program broke, and the characters of each. */
const WRAPPED = { lines: 4, length: 60 }

/**
 * Returns the standing instructions and stated preferences in a user's own words, in order. Questions, code, quotes, pasted logs and
 * documents, notices in tags and the words of somebody else give none. Cost: some passes over the beginning of the text.
 */
export function saidForGood(text: string): readonly SaidForGood[] {
  const read = text.slice(0, READ_MOST)
  const paragraphs = paragraphsOf(read)
  const words = paragraphs.reduce((sum, { from, to }) => sum + wordCount(read.slice(from, to)), 0)
  if (words > PROSE_MOST) return []
  return paragraphs.flatMap((paragraph) => saidIn(read, sentencesOf(read, paragraph)))
}

function saidIn(text: string, sentences: readonly Sentence[]): SaidForGood[] {
  const found: SaidForGood[] = []
  for (let at = 0; at < sentences.length; at++) {
    const sentence = sentences[at] as Sentence
    const rules = allRules().find((each) => each.categoryOf(sentence) !== undefined)
    const category = rules?.categoryOf(sentence)
    if (rules === undefined || category === undefined) continue
    const next = sentences[at + 1]
    const isPart = next !== undefined && rules.goesOn.test(next.words) && !isLeftOut(next, rules)
    if (isPart) at += 1
    found.push({ category, text: text.slice(sentence.from, isPart ? next.to : sentence.to) })
  }
  return found
}

/** A sentence of a text. */
interface Sentence extends Stretch {
  /** The words in lower case with a blank before and behind each; what is quoted in the sentence is a sign. */
  readonly words: string
  readonly isQuestion: boolean
}

/** The rules of a language for what is said for good. */
interface Rules {
  readonly passing: RegExp
  readonly goesOn: RegExp
  categoryOf(sentence: Sentence): SaidForGood['category'] | undefined
}

let known: readonly Rules[] | undefined

/** Returns the rules of all languages: a sentence is too short to tell its language. */
function allRules(): readonly Rules[] {
  known ??= allLanguages().map((data) => {
    const { preference, passing, goesOn } = data.forGood
    const [instructs, prefers] = [instructionsOf(data), patternOf(preference)]
    const rules = { passing: patternOf(passing), goesOn: patternOf(goesOn, '^ ') }
    const categoryOf = (sentence: Sentence) => {
      if (isLeftOut(sentence, rules)) return undefined
      if (instructs.test(sentence.words)) return 'instruction'
      return prefers.test(sentence.words) ? 'preference' : undefined
    }
    return { ...rules, categoryOf }
  })
  return known
}

function isLeftOut({ words, isQuestion }: Sentence, { passing }: Pick<Rules, 'passing'>): boolean {
  return isQuestion || passing.test(words) || wordCount(words) > SENTENCE_MOST
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** The end of a sentence, which is no abbreviation such as "e.g.", or the end of a line. */
const SENTENCE_END = /(?:(?<![\s.]\p{L}\.)(?<=[.!?…])["'”’)\]]*\s+|(?<=[。！？])|\n)\s*/gu
/** Code and quotations inside a line, whose words are not the sentence's own. */
const INLINE = /`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]/g

/** Returns the sentences of a paragraph. */
function sentencesOf(text: string, { from, to }: Stretch): Sentence[] {
  const masked = text.slice(from, to).replace(INLINE, (quoted) => '§'.repeat(quoted.length))
  const ends = [...masked.matchAll(SENTENCE_END)].map(({ index, 0: { length } }) => ({ index, length }))
  let start = 0
  return [...ends, { index: masked.length, length: 0 }].flatMap(({ index, length }) => {
    const own = masked.slice(start, index)
    const at = from + start
    start = index + length
    // A sentence that begins with a quotation or a mark is not told by its opening words.
    const isTold = /^[\p{L}\p{N}¡¿(*_]/u.test(own)
    if (own.trim() === '' || !isTold) return []
    return [
      { from: at, to: at + own.trimEnd().length, words: sentenceOf(own), isQuestion: endsWithQuestion(own) },
    ]
  })
}

/** The beginning of a block of code, which ends with the same signs. */
const FENCE = /^(?:```|~~~)/
/** The beginning of a notice or frame in tags. */
const TAG = /<([a-z][\w-]*)(?:\s[^<>]*)?>/i
/** Lines of lists, quotes, diffs, tables, prompts and logs. */
const NO_PROSE = /^(?:[-+*•|>$%@=]|\d+[.)\]:]|\[|\d{2,4}[-:/]\d|at \S+\(|\s{4}|\t)|[;{}]\s*$|=>/
/** Lines that a document, a diff or a log begins with: what follows them is pasted. */
const PASTED = /^(?:#{1,6} |diff --git |@@ |--- \S|Traceback |commit [0-9a-f]{7}|From: |Subject: )/

/** Returns the stretches of a text that its writer wrote: lines of prose in a row. */
function paragraphsOf(text: string): Stretch[] {
  const paragraphs: Stretch[][] = [[]]
  let [end, isLed, from] = ['', false, 0]
  for (const line of text.split('\n')) {
    const stretch = { from, to: from + line.length }
    from += line.length + 1
    const trimmed = line.trim()
    if (end !== '') {
      if (trimmed.includes(end)) end = ''
      continue
    }
    const fence = FENCE.exec(trimmed)?.[0]
    const tag = TAG.exec(trimmed)
    if (fence !== undefined) end = fence
    else if (tag !== null && (tag.index === 0 || text.includes(`</${tag[1]}>`, stretch.from)))
      end = trimmed.includes(`</${tag[1]}>`) ? '' : `</${tag[1]}>`
    // What stands under a line with a colon is shown by it.
    else if (PASTED.test(trimmed) || (isLed && trimmed !== '' && !trimmed.startsWith('>'))) break
    else if (trimmed !== '' && !NO_PROSE.test(line)) {
      paragraphs.at(-1)?.push(stretch)
      isLed = /[:：]$/.test(trimmed)
      continue
    }
    if (trimmed !== '') isLed = false
    paragraphs.push([])
  }
  return paragraphs.flatMap((lines) => {
    const [first, last] = [lines[0], lines.at(-1)]
    const wrapped = lines.slice(0, -1).filter(({ from, to }) => to - from >= WRAPPED.length)
    if (first === undefined || last === undefined || wrapped.length + 1 >= WRAPPED.lines) return []
    return [{ from: first.from, to: last.to }]
  })
}
