import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'

/** Texts, questions and the vectors of both, the same for every system. */
export interface Corpus {
  readonly texts: readonly string[]
  readonly questions: readonly string[]
  readonly dimensions: number
  /** The embedder that made them: the shipped one, or hashed words. */
  readonly embedder: 'shipped' | 'hashing'
  /** Of the texts, then of the questions. */
  readonly vectors: readonly Float32Array[]
}

/** Writes `corpus.json` and `vectors.f32` (little-endian) into the folder, for drivers of any language. */
export function writeCorpus(folder: string, { vectors, ...rest }: Corpus): void {
  writeFileSync(join(folder, 'corpus.json'), JSON.stringify(rest))
  const all = new Float32Array(vectors.length * rest.dimensions)
  for (const [i, vector] of vectors.entries()) all.set(vector, i * rest.dimensions)
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
  const keyOf = (text: string) => text.trim().toLowerCase()
  const known = new Map<string, Float32Array>(
    [...texts, ...questions].map((text, i) => [
      keyOf(text),
      all.subarray(i * dimensions, (i + 1) * dimensions),
    ]),
  )
  const behind = embedder === 'shipped' ? createMiniLmEmbedder() : createHashingEmbedder({ dimensions })
  const vectorOf = async (text: string) => {
    const vector = known.get(keyOf(text)) ?? ((await behind.embed([text]))[0] as Float32Array)
    known.set(keyOf(text), vector)
    return vector.slice()
  }
  return {
    ...{ texts, questions, dimensions },
    embed: (wanted: readonly string[]) => Promise.all(wanted.map(vectorOf)),
    close: () => behind.close(),
  }
}
