import { foldAccents } from './words.ts'

/** Words joined by signs, or with capitals inside: code, paths, addresses, versions, compounds. */
const STRUCTURED =
  /[\p{L}\p{N}_]+(?:[-./:\\][\p{L}\p{N}_]+)+|[\p{L}\p{N}]*_[\p{L}\p{N}_]+|[\p{L}\p{N}]*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2})[\p{L}\p{N}]*/gu
const NO_LETTER = /[^\p{L}\p{N}]+/u
const JOINED = /[-./:\\_]/
const VERSION = /^v(?=\d+\.\d)/
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g
/** `openHTTPFile2` → open, HTTP, File2. */
const HUMP = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|\p{N}+/gu
/** Longer ones are encoded data: their parts say enough. */
const LONGEST = 80

/**
 * What the structured words of a text add to its plain ones, in order: the whole (`snake_case`, `src/a.ts`, `1.2.3` for
 * `v1.2.3`, `4210` for `4,210`), and the parts that capitals set off (`open` and `memory` of `openMemory`). The parts
 * between signs are plain words already.
 */
export function identifiersOf(text: string): { readonly wholes: string[]; readonly parts: string[] } {
  const structured = (text.match(STRUCTURED) ?? []).filter(({ length }) => length <= LONGEST)
  const joined = structured.filter((word) => JOINED.test(word)).map(folded)
  const numbers = (text.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', ''))
  return {
    wholes: [...joined.map((word) => word.replace(VERSION, '')), ...numbers],
    parts: structured.flatMap((word) => word.split(NO_LETTER)).flatMap(humpsOf),
  }
}

/** The parts that capitals set off, if they do; single letters say nothing. */
function humpsOf(word: string): string[] {
  const humps = word.match(HUMP) ?? []
  return humps.length > 1 ? humps.filter(({ length }) => length > 1).map(folded) : []
}

function folded(word: string): string {
  return foldAccents(word.toLowerCase())
}
