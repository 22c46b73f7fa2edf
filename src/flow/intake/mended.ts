import { idsOfVersions, idsUnder, isAnswerNote } from '../../domain/safety/frame.ts'
import { splitWhitespace } from '../../domain/text/text.ts'
import { Pauses } from '../engine/engine.ts'
import { type FoundForm, isLineEnd, skipBlanks, type WrappedForms } from '../engine/wrapped-forms.ts'

/** Lines that a note under an answer may be broken into. */
const NOTE_LINES_MOST = 8
/**
 * A line that came so often in a row begins nothing that was shown. A long text that repeats itself, and was shown, would else be
 * compared from each of its lines to its end.
 */
const REPEATS_MOST = 16
/** Signs of a note, its line breaks included. */
const NOTE_MOST = 2_000

/**
 * A text with each thing that was shown on a line of its own, as it was shown, though its lines were broken anew or it
 * stands within a line; undefined where there is none. All other words stay as they are.
 */
export async function mended(text: string, forms: WrappedForms): Promise<string | undefined> {
  const pauses = new Pauses()
  const parts: string[] = []
  let own = 0
  let at = 0
  const isRepeated = repeatsCounted()
  while (at < text.length) {
    const found = isRepeated(text.slice(at, lineEnd(text, at)).trim())
      ? undefined
      : foundOnLine(text, at, forms)
    const next = found?.end ?? lineEnd(text, at) + 1
    if (found !== undefined) {
      parts.push(...wordsIn(text.slice(own, found.start)), found.line)
      own = isLineEnd(text, next) ? lineEnd(text, next) + 1 : skipBlanks(text, next)
    }
    await pauses.after(next - at + WORK_PER_LINE)
    at = found === undefined ? next : own
  }
  if (parts.length === 0) return undefined
  const all = [...parts, ...wordsIn(text.slice(own))].join('\n')
  return all === text ? undefined : all
}

/** Tells of each line whether it came too often in a row, blank lines between left out. */
function repeatsCounted(): (line: string) => boolean {
  let [before, repeats] = ['', 0]
  return (line) => {
    if (line === '') return true
    repeats = line === before ? repeats + 1 : 0
    before = line
    return repeats > REPEATS_MOST
  }
}

/** The cost of a line besides its length, in signs. */
const WORK_PER_LINE = 400

/** The first thing shown on a line from a place on; it may end on another line. */
function foundOnLine(
  text: string,
  from: number,
  forms: WrappedForms,
): (FoundForm & { readonly start: number }) | undefined {
  const start = skipBlanks(text, from)
  if (isLineEnd(text, start)) return undefined
  const isWithin = from > 0 && text.charAt(from - 1) !== '\n'
  const first = forms.at(text, start, { isWithin }) ?? noteAt(text, start)
  if (first !== undefined) return { ...first, start }
  const inner = openedAt(text, start)
  const opened = inner > start ? forms.at(text, inner, { isWithin: true }) : undefined
  if (opened !== undefined) return { ...opened, start: inner }
  const end = lineEnd(text, from)
  for (let at = text.indexOf('[', start); at >= 0 && at < end; at = text.indexOf('[', at + 1)) {
    if (!isMarkAt(text, at) || /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) continue
    const found = forms.at(text, at, { isWithin: true })
    if (found !== undefined) return { ...found, start: at }
  }
  return undefined
}

const MARK = /\[(?:\d{1,4}|!)\]/y

function isMarkAt(text: string, at: number): boolean {
  MARK.lastIndex = at
  return MARK.test(text)
}

const OPENING = /["'“‘«*_`]{1,3}/y

/** Where the words behind quotation marks or emphasis begin. */
function openedAt(text: string, at: number): number {
  OPENING.lastIndex = at
  return at + (OPENING.exec(text)?.[0].length ?? 0)
}

/** Signs that stand around a text say nothing alone. */
const SAYS = /[\p{L}\p{N}?!]|(?![>`~|^])\p{S}/u

/** Words that are left beside what was shown. */
function wordsIn(text: string): string[] {
  return SAYS.test(text) ? [text.replace(/\n$/, '')] : []
}

const NOTE_BEGINS =
  /(?:ids:|recall\s|Match\s|Weak\s|Unsure\s|Set\s|Left\s|The\s+first\s|\d+\s+waiting\s|[0-9a-f]{4,16}\s+and\s|↳)/y

/** The longest note under an answer that begins at a place and ends with a line. */
function noteAt(text: string, start: number): FoundForm | undefined {
  NOTE_BEGINS.lastIndex = start
  if (!NOTE_BEGINS.test(text)) return undefined
  let found: FoundForm | undefined
  let end = start - 1
  for (let lines = 0; lines < NOTE_LINES_MOST && end < text.length; lines++) {
    end = lineEnd(text, end + 1)
    if (end - start > NOTE_MOST) break
    const line = noteIn(text.slice(start, end))
    if (line !== undefined) found = { line, end }
  }
  return found
}

const RECALL_BEFORE = /^(?:recall \d{1,15}|ids: [0-9a-f ]+(?: \(recall \d{1,15}\))?)(?= )/

function noteIn(broken: string): string | undefined {
  const joined = [splitWhitespace(broken), splitWhitespace(broken.replace(/\r?\n/g, ''))].map((words) =>
    words.join(' '),
  )
  for (const line of joined) {
    if (isNote(line)) return line
    const before = RECALL_BEFORE.exec(line)?.[0] ?? ''
    if (before !== '' && isNote(before) && isAnswerNote(line.slice(before.length + 1)))
      return `${before}\n${line.slice(before.length + 1)}`
  }
  return undefined
}

function isNote(line: string): boolean {
  return isAnswerNote(line) || idsUnder(line) !== undefined || idsOfVersions(line) !== undefined
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}
