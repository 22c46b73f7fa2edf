import { ElfmemError } from '../../../../errors.ts'
import { type Edited, type Editor, type Entry, lineEndOf, sha256 } from './entry.ts'

const BEGIN = '<!-- elfmem:begin v1 -->'
const END = '<!-- elfmem:end -->'
const UNPAIRED = 'does not have the lines elfmem:begin and elfmem:end once each, in this order'
/** The first mark of any version. */
const ANY_BEGIN = /^\uFEFF?<!-- elfmem:begin v\d{1,3} -->[ \t]*\r?$/m
const ANY_END = /^<!-- elfmem:end -->[ \t]*\r?$/m

/** Edits a text for people by a block between two marks, each on a line of its own. */
export const blockEditor: Editor = {
  stands(text, { value }) {
    const found = blockIn(text)
    if (found === undefined) return 'absent'
    return found.inner === linesOf(value).join('\n') && text.startsWith(BEGIN, found.start) ? 'same' : 'other'
  },
  put,
  takeOut(text, trace) {
    const found = blockIn(text)
    if (found === undefined) return 'absent'
    if (sha256(found.inner) !== trace.sha256) return 'other'
    const before = text.slice(0, found.start)
    if (trace.replaced !== undefined) return { text: before + trace.replaced.text + text.slice(found.end) }
    const kept = before.endsWith(trace.lead) ? before.slice(0, before.length - trace.lead.length) : before
    const after = text.slice(found.end)
    const joins = kept !== '' && !kept.endsWith('\n') && after !== ''
    return { text: kept + (joins ? lineEndOf(text) : '') + after }
  },
  snippet: ({ value, preamble = '' }) => preamble + blockText(value, '\n'),
  valueAt: (text) => blockIn(text)?.inner,
}

interface Block {
  readonly start: number
  /** The place behind the end of its last line. */
  readonly end: number
  /** The lines between the marks, joined by `\n`. */
  readonly inner: string
}

function blockIn(text: string): Block | undefined {
  const begin = ANY_BEGIN.exec(text)
  const end = ANY_END.exec(text)
  if (begin === null && end === null) return undefined
  const again = begin && ANY_BEGIN.test(text.slice(begin.index + begin[0].length))
  if (begin === null || end === null || end.index < begin.index || again)
    throw new ElfmemError('CONFIG_INVALID', UNPAIRED, { recovery: 'Mend the file.' })
  const inner = text.slice(begin.index + begin[0].length, end.index)
  const mark = begin[0].startsWith('\uFEFF') ? 1 : 0
  const behind = end.index + end[0].length
  return {
    start: begin.index + mark,
    end: text[behind] === '\n' ? behind + 1 : behind,
    inner: inner.split(/\r?\n/).slice(1, -1).join('\n'),
  }
}

function linesOf(value: unknown): readonly string[] {
  return String(value).split('\n')
}

function blockText(value: unknown, lineEnd: string): string {
  return [BEGIN, ...linesOf(value), END].map((line) => line + lineEnd).join('')
}

function put(text: string, { kind, at, value, preamble = '' }: Entry): Edited {
  const found = blockIn(text)
  const lineEnd = lineEndOf(text)
  const written = blockText(value, lineEnd)
  const trace = { kind, at, sha256: sha256(String(value)), made: 0, tail: '' }
  if (found !== undefined) {
    const edited = text.slice(0, found.start) + written + text.slice(found.end)
    const replaced = { text: text.slice(found.start, found.end) }
    return { text: edited, trace: { ...trace, lead: '', replaced } }
  }
  const isEmpty = text === '' || text === '\uFEFF'
  const lead = isEmpty ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  return { text: text + (isEmpty ? preamble : '') + lead + written, trace: { ...trace, lead } }
}
