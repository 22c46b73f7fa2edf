import type { ContentVectors } from '../../domain/block/block.ts'
import { ElfmemError } from '../../errors.ts'
import type { EmbeddedContent } from '../../store/rules/vectors.ts'
import { type EmbeddingLock, embedContents, embedOptionsOf, unusableVector } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { requireShadowOf } from './shadow-lock.ts'

/** The first text a change embeds; its words do not matter. */
const PROBE = 'Hello'

/** The dimensions of the embedder's vectors, by one embedding; throws what the embedder throws. */
export async function probe(engine: Engine, context: CallContext): Promise<number> {
  const [vector] = await engine.embedder.embed([PROBE], embedOptionsOf(context))
  if (vector === undefined || vector.length === 0) throw unusableVector(engine.embedder, vector?.length ?? 0)
  return vector.length
}

/** How far a change is, in vectors of the new model. */
interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * Embeds what the shadow set lacks, a batch at a time, each kept at once; returns how many. Their writes need not be
 * durable: the change's last one makes all of them so, and what is undone before is missing again.
 */
export async function embedMissing(
  engine: Engine,
  target: EmbeddingLock,
  { done, total }: Progress,
  context: CallContext,
): Promise<number> {
  const { store, embedder, settings } = engine
  for (let embedded = 0; ; ) {
    const now = done + embedded
    context.progress?.({ stage: 'embedding', done: now, total: Math.max(now, total) })
    const blocks = await store.read((tx) => tx.missingShadow(settings.memory.embedBatch))
    if (blocks.length === 0) return embedded
    try {
      if (context.signal?.aborted) throw cancelled()
      const texts = blocks.map(({ content }) => content)
      const vectors = await embedContents(embedder, texts, embedOptionsOf(context))
      await keep(
        engine,
        target,
        blocks.map(({ id, content }, i) => ({ id, content, ...(vectors[i] as ContentVectors) })),
      )
    } catch (error) {
      throw withProgress(error, { done: now, total })
    }
    embedded += blocks.length
  }
}

async function keep(
  { store, embedder }: Engine,
  target: EmbeddingLock,
  vectors: readonly EmbeddedContent[],
): Promise<void> {
  const other = vectors.find(({ vector }) => vector.length !== target.dimensions)
  if (other !== undefined) throw unusableVector(embedder, other.vector.length)
  await store.write(
    async (tx) => {
      await requireShadowOf(tx, target)
      await tx.saveShadow(vectors)
    },
    { durable: false },
  )
}

function cancelled(): ElfmemError {
  return new ElfmemError('CANCELLED', 'reembed was cancelled.', {
    recovery: 'What was embedded is kept; call reembed() again to go on, or with drop to give up.',
  })
}

function withProgress(error: unknown, progress: Progress): unknown {
  if (!ElfmemError.is(error)) return error
  const { code, message, recovery, details } = error
  return new ElfmemError(code, message, {
    recovery: code === 'CANCELLED' ? cancelled().recovery : recovery,
    details: { ...details, ...progress },
    cause: error,
  })
}
