/** A JSON value read from a text, and if the text had to be repaired. */
export interface ReadJson {
  readonly value: unknown
  readonly mended: boolean
}

/** No answer nests deeper; more brackets than these are an attack on whoever walks them. */
const DEPTH_MAX = 32

/**
 * The first JSON object or array in a text that may have words or a code fence around it, a comma too many, or an end
 * that is missing: then what was complete is kept. Undefined when there is none. Linear in the length of the text.
 */
export function readJson(text: string): ReadJson | undefined {
  const whole = parsed(text.trim())
  if (typeof whole === 'object' && whole !== null && !isDeeper(whole, DEPTH_MAX))
    return { value: whole, mended: false }
  const start = text.search(/[[{]/)
  if (start < 0) return undefined
  const scanned = scan(text, start)
  const value = parsed(scanned.json)
  return typeof value === 'object' && value !== null ? { value, mended: scanned.mended } : undefined
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Scan {
  /** Closing brackets that are still expected, innermost last. */
  readonly open: string[]
  /** Places of superfluous commas. */
  readonly superfluous: number[]
  /** The place of the last comma, if nothing but white space follows it so far. */
  comma: number | undefined
  /** End of the part in which everything is complete. */
  complete: number
  /** Closing brackets missing at `complete`, innermost last. */
  missing: readonly string[]
}

function scan(text: string, start: number): { readonly json: string; readonly mended: boolean } {
  const state: Scan = { open: [], superfluous: [], comma: undefined, complete: start, missing: [] }
  let inString = false
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
      continue
    }
    inString = character === '"'
    take(state, character, at)
    if (state.open.length === 0) {
      const json = without(text, [start, at + 1], state.superfluous)
      return { json, mended: state.superfluous.length > 0 }
    }
    if (state.open.length > DEPTH_MAX) break
  }
  const kept = without(text, [start, state.complete], state.superfluous)
  return { json: kept + [...state.missing].reverse().join(''), mended: true }
}

function take(state: Scan, character: string, at: number): void {
  if (/\s/.test(character)) return
  const { comma } = state
  state.comma = undefined
  if (character === '{') state.open.push('}')
  else if (character === '[') state.open.push(']')
  else if (character === ',') {
    state.comma = at
    completed(state, at)
  } else if (character === '}' || character === ']') {
    if (comma !== undefined) state.superfluous.push(comma)
    state.open.pop()
    completed(state, at + 1)
  }
}

function completed(state: Scan, end: number): void {
  state.complete = end
  state.missing = [...state.open]
}

function without(text: string, [start, end]: readonly [number, number], places: readonly number[]): string {
  const cuts = [...places.filter((place) => place < end), end]
  return cuts.map((cut, i) => text.slice(i === 0 ? start : (cuts[i - 1] as number) + 1, cut)).join('')
}
