import type { Stretch } from '../block/text.ts'
import { endsWithQuestion, instructionsOf, patternOf, politely, sentenceOf } from './pack.ts'
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
    const rules = allRules().find((each) => categoryOf(sentence, each) !== undefined)
    if (rules === undefined) continue
    const next = sentences[at + 1]
    const isPart = next !== undefined && rules.goesOn.test(next.words) && !isLeftOut(next, rules)
    if (isPart) at += 1
    const kept = text.slice(sentence.from, isPart ? next.to : sentence.to)
    found.push({ category: categoryOf(sentence, rules) as SaidForGood['category'], text: kept })
  }
  return found
}

/** A sentence of a text. */
interface Sentence extends Stretch {
  /** The words in lower case with a blank before and behind each; what is quoted in the sentence is one word. */
  readonly words: string
  readonly isQuestion: boolean
}

/** The rules of a language for what is said for good; `polite` matches phrases that only stand before an instruction. */
type Rules = Readonly<Record<'instructs' | 'prefers' | 'passing' | 'goesOn' | 'polite', RegExp>>

let known: readonly Rules[] | undefined

/** Returns the rules of all languages: a sentence is too short to tell its language. */
function allRules(): readonly Rules[] {
  known ??= allLanguages().map((data) => ({
    instructs: patternOf(instructionsOf(data), politely(data)),
    prefers: patternOf(data.forGood.preference),
    passing: patternOf(data.forGood.passing),
    goesOn: patternOf(data.forGood.goesOn, '^ '),
    polite: new RegExp(`${politely(data)}$`),
  }))
  return known
}

function categoryOf(sentence: Sentence, rules: Rules): SaidForGood['category'] | undefined {
  if (isLeftOut(sentence, rules)) return undefined
  if (rules.instructs.test(sentence.words)) return 'instruction'
  return rules.prefers.test(sentence.words) ? 'preference' : undefined
}

function isLeftOut({ words, isQuestion }: Sentence, { passing }: Rules): boolean {
  return isQuestion || passing.test(words) || wordCount(words) > SENTENCE_MOST
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** The end of a sentence, which is no abbreviation such as "e.g." or "Dr.", or the end of a line. */
const SENTENCE_END = /(?:(?<![\s.]\p{L}\.|\s\p{Lu}\p{Ll}\.)(?<=[.!?…])["'”’)\]]*\s+|(?<=[。！？])|\n)\s*/gu
/** Code and quotations inside a line, whose words are not the sentence's own. */
const INLINE = /`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|„[^“”\n]+[“”]/g

/** Returns the sentences of a paragraph, without those that a label before a colon shows, as in "Commit message: Always flush." */
function sentencesOf(text: string, { from, to }: Stretch): Sentence[] {
  const masked = text.slice(from, to).replace(INLINE, (quoted) => 'x'.repeat(quoted.length))
  const sentences: Sentence[] = []
  let [start, isShown] = [0, false]
  for (const { index, 0: gap } of [...masked.matchAll(SENTENCE_END), { index: masked.length, 0: '\n' }]) {
    const own = masked.slice(start, index).trimEnd()
    const at = from + start
    start = index + gap.length
    const label = labelOf(own)
    // A sentence that begins with a quotation or a mark is not told by its opening words.
    if (!isShown && /^[\p{L}\p{N}¡¿(*_]/u.test(own))
      sentences.push({
        ...{ from: at, to: at + own.length, isQuestion: endsWithQuestion(own) },
        words: sentenceOf(label ?? own),
      })
    isShown = (isShown || label !== undefined) && !gap.includes('\n')
  }
  return sentences
}

/** Returns the words before a colon that shows what follows; undefined if there are none. */
function labelOf(sentence: string): string | undefined {
  const at = sentence.search(/[:：]\s/)
  const label = sentence.slice(0, Math.max(0, at))
  const isPolite = allRules().some(({ polite }) => polite.test(sentenceOf(label)))
  return at < 0 || isPolite ? undefined : label
}

/** The beginning of a block of code, which ends with the same signs. */
const FENCE = /^(?:```|~~~)/
/** The beginning of a notice or frame in tags. */
const TAG = /<([a-z][\w-]*)(?:\s[^<>]*)?>/i
/** Lines of lists, quotes, diffs, tables, prompts, logs and code. */
const NO_PROSE = /^(?:[-+*•|>$%@=]|\d+[.)\]:]|\[|\d{2,4}[-:/]\d|at \S+\(|\s{4}|\t)|[;{}]\s*$|=>/
/** Lines that a document, a diff or a log begins with: what follows them is pasted. */
const PASTED = /^(?:#{1,6} |diff --git |@@ |--- \S|Traceback |commit [0-9a-f]{7}|From: |Subject: )/

/** Returns the stretches of a text that its writer wrote: lines of prose in a row. */
function paragraphsOf(text: string): Stretch[] {
  const paragraphs: Stretch[][] = [[]]
  let [last, from] = ['', 0]
  for (const { line, isBlock } of linesOf(text)) {
    const stretch = { from, to: from + line.length }
    from += line.length + 1
    const trimmed = isBlock ? '' : line.trim()
    const isProse = trimmed !== '' && !NO_PROSE.test(line)
    // What stands under a line with a colon, or as a paragraph under a question, is shown by it.
    const isShown = /[:：]$/.test(last) || (endsWithQuestion(last) && paragraphs.at(-1)?.length === 0)
    if (PASTED.test(trimmed) || (isProse && isShown)) break
    if (isProse) paragraphs.at(-1)?.push(stretch)
    else paragraphs.push([])
    if (isBlock || trimmed !== '') last = trimmed
  }
  return paragraphs.flatMap((lines) => {
    const [first, end] = [lines[0], lines.at(-1)]
    const wrapped = lines.slice(0, -1).filter((each) => each.to - each.from >= WRAPPED.length)
    if (first === undefined || end === undefined || wrapped.length + 1 >= WRAPPED.lines) return []
    return [{ from: first.from, to: end.to }]
  })
}

/** Yields the lines of a text; those of fenced code and of blocks in tags say so. */
function* linesOf(text: string): Generator<{ readonly line: string; readonly isBlock: boolean }> {
  let [end, from] = ['', 0]
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const begun = end === '' ? endOfBlock(trimmed, (closing) => text.includes(closing, from)) : undefined
    yield { line, isBlock: end !== '' || begun !== undefined }
    const isOver = end !== '' && trimmed.includes(end)
    end = begun ?? (isOver ? '' : end)
    from += line.length + 1
  }
}

/** Returns what ends the block that a line begins; empty if the line itself ends it, undefined if no block begins. */
function endOfBlock(line: string, follows: (closing: string) => boolean): string | undefined {
  const fence = FENCE.exec(line)?.[0]
  const [tag, name] = TAG.exec(line) ?? []
  if (fence !== undefined || tag === undefined) return fence
  const closing = `</${name}>`
  if (line.includes(closing)) return ''
  return line.startsWith(tag) || follows(closing) ? closing : undefined
}
