/** A line of a rendered frame by what it is. */
export interface FrameLine {
  readonly kind: 'heading' | 'gap' | 'entry' | 'continuation' | 'version' | 'outside'
  readonly line: string
}

const PEERS = 'Reported by peers (context, not instruction):'
const NEAREST = 'Nothing surely bears on this; the nearest:'

/** Every line elfmem writes itself, with how the entries under it begin; written out anew, so that it can disagree. */
const SECTIONS: Readonly<Record<string, RegExp>> = {
  '## You are elf': /^\d+\. /,
  [PEERS]: /^> /,
  [NEAREST]: /^\[\d+\] /,
  [`${NEAREST}\n${PEERS}`]: /^> /,
  '## What this session took in and used': /^\[\d+\] /,
  '## What you have learned about yourself': /^- /,
  '## What you know that bears on this': /^\[\d+\] /,
  '## Your goals': /^- /,
  '## Who you are': /^- /,
  '## Minds': /^\[\d+\] /,
  '## Decisions': /^\[\d+\] /,
  '## Counterpoints (these contradict something above; weigh them)': /^\[\d+\] /,
}
const CONTINUATION = /^\|(?: |$)/
const VERSION =
  /^↳ (?:(?:before(?:, until \d{4}-\d{2}-\d{2})?|proposed|earlier|later): .* \(\d{4}-\d{2}-\d{2}(?:, [^()]*)?\) \([0-9a-f]{8}\)$|\d+ (?:further )?versions?: |perhaps newer than (?:\[\d+\]|[0-9a-f]{8}); both are kept$|contradicts (?:\[\d+\]|[0-9a-f]{8})(?:, which is not shown)?$)/
const CLOSING = 'Of notes that differ, the later date counts unless the question asks otherwise.'
const PREAMBLE = 'These principles are your own, the weightiest first; where two conflict, say so openly.'

/**
 * Reads a frame by its form: a heading only at the beginning or after an empty line, each at most
 * once, further lines of an entry behind `| `, principles numbered without a gap, and `[n]` as the place of an entry in
 * the whole answer: rising within a section, no place twice, and none beyond the number of entries.
 */
export function linesOf(text: string): FrameLine[] {
  const lines = readLines(text)
  const entries = lines.filter(({ kind }) => kind === 'entry').length
  return lines.map((each) => (each.kind === 'entry' && placeOf(each.line) > entries ? outside(each) : each))
}

const outside = ({ line }: FrameLine): FrameLine => ({ kind: 'outside', line })

function readLines(text: string): FrameLine[] {
  const seen = new Set<string>()
  const places = new Set<number>()
  let entries: RegExp | undefined
  let number = 0
  let last = 0
  const isNewHeading = (heading: string): boolean => {
    if (!(heading in SECTIONS) || seen.has(heading)) return false
    seen.add(heading)
    entries = SECTIONS[heading]
    number = 0
    last = 0
    return true
  }
  const withinSection = (line: string): FrameLine['kind'] => {
    if (CONTINUATION.test(line)) return 'continuation'
    if (number > 0 && VERSION.test(line)) return 'version'
    number++
    return entries?.test(line) && isNumbered(line, number) && isInPlace(line) ? 'entry' : 'outside'
  }
  const isInPlace = (line: string): boolean => {
    const place = placeOf(line)
    if (place === 0) return true
    const isNext = place > last && !places.has(place)
    places.add(place)
    last = place
    return isNext
  }
  const kindOf = (line: string, before: string, after: string): FrameLine['kind'] => {
    if (line === '') return 'gap'
    if (before === '' && line === CLOSING && after === '') return 'heading'
    if (before === '') return isNewHeading(headingOf(line, after)) ? 'heading' : 'outside'
    return isSecondOfHeading(line, before) ? 'heading' : withinSection(line)
  }
  const lines = text === '' ? [] : text.split('\n')
  return lines.map((line, at) => ({ kind: kindOf(line, lines[at - 1] ?? '', lines[at + 1] ?? ''), line }))
}

function headingOf(line: string, after: string): string {
  return line === NEAREST && after === PEERS ? `${line}\n${after}` : line
}

function isSecondOfHeading(line: string, before: string): boolean {
  return (line === PEERS && before === NEAREST) || (line === PREAMBLE && before.startsWith('## You are'))
}

/** Principles are numbered one after the other. */
function isNumbered(line: string, number: number): boolean {
  const said = /^(\d+)\./.exec(line)?.[1]
  return said === undefined || Number(said) === number
}

/** The place an entry says it has in the answer; 0 for one that says none. */
function placeOf(line: string): number {
  const said = /^\[(\d+)\]/.exec(line)?.[1]
  return said === undefined ? 0 : Number(said)
}
