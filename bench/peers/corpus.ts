import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'

/** Texts, questions and the vectors of both, the same for every system. */
export interface Corpus {
  readonly texts: readonly string[]
  readonly questions: readonly string[]
  readonly dimensions: number
  /** Which embedder made them: the shipped one, or hashed words. */
  readonly embedder: 'shipped' | 'hashing'
  /** Of the texts, then of the questions. */
  readonly vectors: readonly Float32Array[]
}

/** Writes `corpus.json` and `vectors.f32` (little-endian) into the folder, for drivers of any language. */
export function writeCorpus(folder: string, { vectors, ...rest }: Corpus): void {
  writeFileSync(join(folder, 'corpus.json'), JSON.stringify(rest))
  const all = new Float32Array(vectors.length * rest.dimensions)
  vectors.forEach((vector, i) => {
    all.set(vector, i * rest.dimensions)
  })
  writeFileSync(join(folder, 'vectors.f32'), new Uint8Array(all.buffer))
}

/**
 * Reads what `writeCorpus` wrote. `embed` finds the given vectors by their texts, whatever the case and outer spaces,
 * and asks the embedder that made them for any other text, such as a name that a system takes out of a question.
 */
export function readCorpus(folder: string) {
  const { texts, questions, dimensions, embedder } = JSON.parse(
    readFileSync(join(folder, 'corpus.json'), 'utf8'),
  ) as Omit<Corpus, 'vectors'>
  const bytes = readFileSync(join(folder, 'vectors.f32'))
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / Float32Array.BYTES_PER_ELEMENT)
  const known = new Map<string, Float32Array>()
  for (const [i, text] of [...texts, ...questions].entries())
    known.set(keyOf(text), all.subarray(i * dimensions, (i + 1) * dimensions))
  let behind: Embedder | undefined
  let computed = 0
  const compute = async (text: string): Promise<Float32Array> => {
    behind ??= embedder === 'shipped' ? createMiniLmEmbedder() : createHashingEmbedder({ dimensions })
    computed++
    const [vector] = (await behind.embed([text])) as [Float32Array]
    known.set(keyOf(text), vector)
    return vector
  }
  return {
    texts,
    questions,
    dimensions,
    embed: (wanted: readonly string[]) =>
      Promise.all(wanted.map(async (text) => known.get(keyOf(text))?.slice() ?? (await compute(text)))),
    /** Texts that had to be embedded after all. */
    get computed() {
      return computed
    },
    close: async () => behind?.close(),
  }
}

function keyOf(text: string): string {
  return text.trim().toLowerCase()
}
