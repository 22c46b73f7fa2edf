import { attempt } from '../errors.ts'

/** No answer nests deeper; more brackets than these are an attack on the code that walks them. */
const DEPTH_MAX = 32

/**
 * The first JSON object or array in a text that may have words or a code fence around it, a comma too many, or an end
 * that is missing: then what was complete is kept. Undefined when there is none. Linear in the length of the text.
 */
export function readJson(text: string): unknown {
  const whole: unknown = attempt(() => JSON.parse(text))
  if (typeof whole === 'object' && whole !== null && !isDeeper(whole, DEPTH_MAX)) return whole
  const start = text.search(/[[{]/)
  return start < 0 ? undefined : attempt(() => JSON.parse(mended(text, start)))
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** The value that begins at a place: without white space and superfluous commas, and closed if it breaks off. */
function mended(text: string, start: number): string {
  const open: string[] = []
  let [json, comma] = ['', '']
  // The part in which everything is complete, and the brackets that close it.
  let [end, closing] = [0, '']
  for (let at = start; at < text.length; ) {
    const token = tokenAt(text, at)
    at += token.length
    if (token.trim() === '') continue
    const isEnd = token === '}' || token === ']'
    if (isEnd) open.shift()
    else json += comma
    comma = token === ',' ? token : ''
    if (comma === '') json += token
    const closer = CLOSERS[token]
    if (closer !== undefined) open.unshift(closer)
    if (isEnd || comma !== '') [end, closing] = [json.length, open.join('')]
    if (open.length === 0 || open.length > DEPTH_MAX) break
  }
  return json.slice(0, end) + closing
}

/** A string with its quotation marks, as far as it goes, or one other sign. */
function tokenAt(text: string, start: number): string {
  let at = start + 1
  if (text[start] !== '"') return text.slice(start, at)
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return text.slice(start, at + 1)
}
