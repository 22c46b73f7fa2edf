import { ElfmemError } from '../../errors.ts'
import { matchesLock, readEmbeddingLock } from '../embedding-lock.ts'
import type { CallContext, Engine } from '../engine.ts'

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
  const { embedder, vectorModel } = engine
  vectorModel.current ??= await engine.store.read(readEmbeddingLock)
  if (vectorModel.current === undefined) return { reason: 'nothing has been embedded yet' }
  if (!matchesLock(vectorModel.current, embedder)) {
    return {
      reason: `the vectors here are of ${vectorModel.current.model}, the embedder is ${embedder.model}`,
    }
  }
  try {
    const [vector] = await embedder.embed([text], context.signal ? { signal: context.signal } : {})
    return vector ? { vector } : { reason: 'the embedder gave no vector' }
  } catch (error) {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return { reason: error.message }
    throw error
  }
}
