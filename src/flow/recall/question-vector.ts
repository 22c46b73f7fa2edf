import { ElfmemError } from '../../errors.ts'
import { embedOptionsOf } from '../engine/embed-options.ts'
import { type EmbeddingLock, matchesLock, nameOf, readEmbeddingLock } from '../engine/embedding-lock.ts'
import type { CallContext, Engine } from '../engine/engine.ts'

/** The question as a vector, or why there is none and words alone must find. */
export type QuestionVector = { readonly vector: Float32Array } | { readonly reason: string }

/**
 * Embeds a question when its vector can be compared with the stored ones. A failing or foreign embedder never makes
 * recall fail: it is said, and words find alone.
 */
export async function questionVector(
  engine: Engine,
  text: string,
  context: CallContext,
): Promise<QuestionVector> {
  const { embedder, index } = engine
  const lock = await lockOfIndex(engine)
  if (lock === undefined) return { reason: 'nothing has been embedded yet' }
  if (!matchesLock(lock, embedder)) return { reason: foreign(lock, embedder) }
  const { generation } = index
  try {
    const [vector] = await embedder.embed([text], embedOptionsOf(context))
    if (vector === undefined) return { reason: 'the embedder gave no vector' }
    if (vector.length !== lock.dimensions)
      return { reason: foreign(lock, { model: embedder.model, dimensions: vector.length }) }
    return index.generation === generation
      ? { vector }
      : { reason: 'the vectors were changed to another model in this very moment: ask again' }
  } catch (error) {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return { reason: error.message }
    throw error
  }
}

/** The model of the vectors that the index holds, which another process may have changed. */
async function lockOfIndex({ index, store, vectorModel }: Engine): Promise<EmbeddingLock | undefined> {
  if (vectorModel.current === undefined || vectorModel.generation !== index.generation)
    await store.read(async (tx) => {
      await index.refresh(tx)
      vectorModel.current = await readEmbeddingLock(tx)
      vectorModel.generation = index.generation
    })
  return vectorModel.current
}

function foreign(lock: EmbeddingLock, embedder: Parameters<typeof nameOf>[0]): string {
  const [held, offered] =
    lock.model === embedder.model ? [nameOf(lock), nameOf(embedder)] : [lock.model, embedder.model]
  return `the vectors here are of ${held}, the embedder is ${offered}; reembed (elfmem reembed) changes them`
}
