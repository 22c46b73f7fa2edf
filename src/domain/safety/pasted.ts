import { literally } from '../text/text.ts'
import { HEADINGS, isAnswerNote } from './frame.ts'

const LEAD_IN = /^\s*(?:note|remember|reminder|fyi|nb|memo|info):\s*(?=\S)/i
const FENCE = /^(?:`{3,}|~{3,})[^`~\n]*$/

const ANY_HEADING = Object.values(HEADINGS).map(literally).join('|')
/** The blank between words, not a mark, and a heading behind them. */
const BEFORE_HEADING = new RegExp(`(?<=[^\\s>#*|-]) (?=${ANY_HEADING})`, 'g')

/** Indentation, a fence, a quote mark or a quotation mark, behind empty lines if any. */
const MAY_BE_WRAPPED = /^(?:\s|[`~>"])/

/** How often a text can be wrapped and still be looked into. */
const WRAPPED_MOST = 4

/** A mark or a short id at the beginning, a stamp at the end, or a number in brackets anywhere. */
const MAY_HOLD = /^\s*(?:[[\d>*"“-]|\p{L}+:|[0-9a-f]{8,16}\s)|\)\s*$|\[\d{1,4}\]\s/u

/** False for a text that surely holds no frame, as nearly all do: one line without a mark, a lead-in or a stamp. */
export function mayHoldFrame(text: string): boolean {
  const isWide = text.includes('\n') || text.includes(NO_BREAK) || text.includes('<')
  return isWide || MAY_HOLD.test(text) || isAnswerNote(text.trim())
}

/** Pages copy it for a blank. */
const NO_BREAK = '\u00a0'

/**
 * A text with the headings of frames on lines of their own, then the same without what stands around all of it: a lead-in,
 * a fence, quote marks, indentation, JSON.
 */
export function readingsOf(text: string): readonly string[] {
  const parted = text.replace(BEFORE_HEADING, '\n')
  const readings = [parted]
  for (let inner = unwrapped(parted); inner !== undefined; inner = unwrapped(inner)) {
    readings.push(inner)
    if (readings.length > WRAPPED_MOST) break
  }
  return readings
}

function unwrapped(text: string): string | undefined {
  if (LEAD_IN.test(text)) return text.replace(LEAD_IN, '')
  // Nearly no text is wrapped, and its first sign tells.
  if (!MAY_BE_WRAPPED.test(text)) return undefined
  const all = text.split(/\r?\n/)
  const isFilled = (line: string) => line.trim() !== ''
  const lines = all.slice(all.findIndex(isFilled), all.findLastIndex(isFilled) + 1)
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  if (lines.length > 2 && FENCE.test(first) && /^(?:`{3,}|~{3,})\s*$/.test(last))
    return lines.slice(1, -1).join('\n')
  const filled = lines.filter(isFilled)
  if (filled.length > 0 && filled.every((line) => /^\s/.test(line))) {
    const indent = filled.reduce(
      (least, line) => Math.min(least, line.length - line.trimStart().length),
      text.length,
    )
    return lines.map((line) => line.slice(indent)).join('\n')
  }
  if (filled.length > 0 && filled.every((line) => line.startsWith('>')))
    return lines.map((line) => line.replace(/^> ?/, '')).join('\n')
  return textOfJson(text.trim())
}

/** The text of a JSON string of several lines. */
function textOfJson(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"') || !text.includes('\\n')) return undefined
  try {
    return String(JSON.parse(text))
  } catch {
    return undefined
  }
}
