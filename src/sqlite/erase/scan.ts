import { openSync, readSync, statSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import type { Finder } from '../../domain/erasure/finder.ts'
import type { NeedleKind } from '../../domain/erasure/needles.ts'
import type { FoundInFile } from '../../ports/store/erasing.ts'
import { closeFile } from '../file/descriptors.ts'

const CHUNK_BYTES = 1 << 20
/** A shorter text counts only where it stands apart, as a word does. */
const SURE_BYTES = 8

/**
 * Counts what a file holds of the texts that are looked for. Reads it once in pieces, whatever its size. A single word
 * counts where it stands apart on one side at least, since in a row of a table the next field follows without a gap;
 * numbers have to stand apart on both.
 */
export function scanFile(path: string, finder: Finder, kindOf: (text: string) => NeedleKind): FoundInFile {
  const found = { texts: 0, runs: 0, words: 0 }
  const kinds = finder.texts.map(kindOf)
  const isNumber = finder.texts.map((text) => /^\d+$/.test(text))
  const visit = (bytes: Uint8Array, text: number, at: number, length: number) => {
    const kind = kinds[text]
    if (kind === 'run') found.runs += 1
    else if (kind === 'text' && length >= SURE_BYTES) found.texts += 1
    else if (standsApart(bytes, at, length, isNumber[text] === true)) {
      if (kind === 'text') found.texts += 1
      else found.words += 1
    }
  }
  eachPiece(path, finder.longest + 1, (bytes, range) =>
    finder.scan(bytes, range, (text, at, length) => visit(bytes, text, at, length)),
  )
  return { path, bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0, ...found }
}

/**
 * Hands a file over in pieces with `margin` bytes of the next one, and one of the piece before. A file that is gone by now
 * has none.
 */
function eachPiece(
  path: string,
  margin: number,
  visit: (bytes: Uint8Array, range: { readonly from: number; readonly to: number }) => void,
): void {
  const file = openedOrNothing(path)
  if (file === undefined) return
  try {
    const buffer = new Uint8Array(CHUNK_BYTES + margin + 1)
    let [held, from] = [0, 0]
    for (;;) {
      const read = readSync(file, buffer, held, buffer.length - held, null)
      held += read
      const isEnd = read === 0
      if (!isEnd && held < buffer.length) continue
      const to = isEnd ? held : held - margin
      visit(buffer.subarray(0, held), { from, to })
      if (isEnd) return
      buffer.copyWithin(0, to - 1, held)
      held -= to - 1
      from = 1
    }
  } finally {
    if (isMainThread) closeFile(file)
    else unclosed.push(file)
  }
}

const unclosed: number[] = []

/**
 * Descriptors that a thread has left open: only the main one knows which files a store has open, whose locks the system
 * would take away (`file/descriptors.ts`). It closes them with `closeFile`.
 */
export function unclosedFiles(): readonly number[] {
  return unclosed
}

function openedOrNothing(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function standsApart(bytes: Uint8Array, at: number, length: number, isNumber: boolean): boolean {
  const [before, after] = [bytes[at - 1], bytes[at + length]]
  if (isNumber) return !isSign(before) && before !== DOT && !isSign(after) && !isOwnNumber(bytes, at, length)
  return !isSign(before) || !isSign(after)
}

const [DOT, QUOTE, COLON, OPEN, COMMA, CLOSE] = [...'.":[,]'].map((sign) => sign.charCodeAt(0))

/** A number that JSON has without quotes is one of the memory itself, such as that of a row. */
function isOwnNumber(bytes: Uint8Array, at: number, length: number): boolean {
  const [before, after] = [bytes[at - 1], bytes[at + length]]
  if (before === OPEN) return after === CLOSE || after === COMMA
  return before === COLON && bytes[at - 2] === QUOTE
}

/** Letters, digits, bytes of letters beyond ASCII, and what base64 has besides. */
function isSign(byte: number | undefined): boolean {
  if (byte === undefined) return false
  if (byte >= 0x80) return true
  const sign = String.fromCharCode(byte)
  return /[A-Za-z0-9+/=]/.test(sign)
}
