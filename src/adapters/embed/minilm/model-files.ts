import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { ElfmemError, PACKAGE_RECOVERY } from '../../../errors.ts'

const WEIGHTS = new URL('../../../../model/minilm.bin', import.meta.url)
const VOCABULARY = new URL('../../../../model/vocab.txt', import.meta.url)

const HEADER_BYTES = 64
const SIZE_WORD = 8
/** 'MLM6', the layout's version, layers, width, feed-forward width, heads, vocabulary, positions. */
const HEADER = [0x364d4c4d, 1, 6, 384, 1536, 12, 30_522, 256]

/** The word table follows the header: one row of int8 a word. */
const WIDTH = 384
const TABLE_BYTES = 30_522 * WIDTH
const TABLE_END = HEADER_BYTES + TABLE_BYTES
/** Bytes read at once: a page of memory, a little more than ten rows. */
const CHUNK_BYTES = 4096

/** The size of the packed weights in bytes; throws EMBEDDER_FAILED unless header and size are as packed. */
export function checkWeights(): number {
  return withWeights((file) => {
    const { size } = fstatSync(file)
    const header = new Uint32Array(HEADER_BYTES / 4)
    fill(file, new Uint8Array(header.buffer))
    const known = HEADER.every((word, i) => header[i] === word) && header[SIZE_WORD] === size
    if (!known) throw new Error(`${WEIGHTS.pathname} is not the file this version was built with`)
    return size
  })
}

/**
 * Fills `target` with the packed weights but for the table of word vectors, half of them, of which few are ever needed;
 * about 5 ms. Returns what fetches the rows of some words into their places; the file stays open for it.
 */
export function readWeightsInto(target: Uint8Array): (words: readonly number[]) => void {
  const file = guarded(() => openSync(WEIGHTS, 'r'))
  guarded(() => fill(file, target.subarray(0, HEADER_BYTES)))
  guarded(() => fill(file, target.subarray(TABLE_END), TABLE_END))
  const fetched = new Uint8Array(Math.ceil(TABLE_BYTES / CHUNK_BYTES))
  const fetch = (chunk: number): void => {
    if (fetched[chunk] === 1) return
    const start = HEADER_BYTES + chunk * CHUNK_BYTES
    guarded(() => fill(file, target.subarray(start, Math.min(start + CHUNK_BYTES, TABLE_END)), start))
    fetched[chunk] = 1
  }
  return (words) => {
    for (const word of words) {
      fetch(Math.floor((word * WIDTH) / CHUNK_BYTES))
      fetch(Math.floor((word * WIDTH + WIDTH - 1) / CHUNK_BYTES))
    }
  }
}

/** The text of the vocabulary, one token a line. */
export function readVocabulary(): string {
  return guarded(() => readFileSync(VOCABULARY, 'utf8'))
}

function withWeights<T>(use: (file: number) => T): T {
  return guarded(() => {
    const file = openSync(WEIGHTS, 'r')
    try {
      return use(file)
    } finally {
      closeSync(file)
    }
  })
}

/** Fills `target` with what the file holds from `start` on. */
function fill(file: number, target: Uint8Array, start = 0): void {
  let done = 0
  while (done < target.length) {
    const read = readSync(file, target, done, target.length - done, start + done)
    if (read === 0) throw new Error(`${WEIGHTS.pathname} ends after ${start + done} bytes`)
    done += read
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ElfmemError('EMBEDDER_FAILED', 'The model files of the built-in embedder cannot be read.', {
      recovery: PACKAGE_RECOVERY,
      cause,
    })
  }
}
