import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { ElfmemError } from '../../../errors.ts'

const WEIGHTS = new URL('../../../../model/minilm.bin', import.meta.url)
const VOCABULARY = new URL('../../../../model/vocab.txt', import.meta.url)

const HEADER_BYTES = 64
const SIZE_WORD = 8
/** 'MLM6', the layout's version, layers, width, feed-forward width, heads, vocabulary, positions. */
const HEADER = [0x364d4c4d, 1, 6, 384, 1536, 12, 30_522, 256]

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

/** Fills `target` with the packed weights; about 10 ms. */
export function readWeightsInto(target: Uint8Array): void {
  withWeights((file) => fill(file, target))
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

function fill(file: number, target: Uint8Array): void {
  let position = 0
  while (position < target.length) {
    const read = readSync(file, target, position, target.length - position, position)
    if (read === 0) throw new Error(`${WEIGHTS.pathname} ends after ${position} bytes`)
    position += read
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ElfmemError('EMBEDDER_FAILED', 'The model files of the built-in embedder cannot be read.', {
      recovery: 'Reinstall elfmem: its model folder is missing, damaged or of another version.',
      cause,
    })
  }
}
