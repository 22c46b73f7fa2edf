import { ElfmemError } from '../errors.ts'
import type { StoreReader, StoreWriter } from '../ports/store.ts'

/** The model whose vectors a store holds. */
export interface EmbeddingLock {
  readonly model: string
  readonly dimensions: number
}

const MODEL = 'embedding_model'
const DIMENSIONS = 'embedding_dimensions'

/** The model the stored vectors came from; undefined before the first dream. */
export async function readEmbeddingLock(tx: StoreReader): Promise<EmbeddingLock | undefined> {
  const model = await tx.meta(MODEL)
  if (model === undefined) return undefined
  return { model, dimensions: Number(await tx.meta(DIMENSIONS)) }
}

/** Whether vectors of the two may be compared. Dimensions that are not known yet do not count. */
export function matchesLock(
  lock: EmbeddingLock | undefined,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): boolean {
  if (lock === undefined) return true
  return lock.model === embedder.model && (embedder.dimensions ?? lock.dimensions) === lock.dimensions
}

/** Ties the store to the model of its first vectors; later refuses any other, and nothing is written. */
export async function ensureEmbeddingLock(tx: StoreWriter, embedder: EmbeddingLock): Promise<void> {
  const lock = await readEmbeddingLock(tx)
  if (!matchesLock(lock, embedder)) throw embedderMismatch(lock ?? embedder, embedder)
  if (lock !== undefined) return
  await tx.saveMeta(MODEL, embedder.model)
  await tx.saveMeta(DIMENSIONS, String(embedder.dimensions))
}

/** The refusal to mix vectors of two models. */
export function embedderMismatch(
  lock: EmbeddingLock,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): ElfmemError {
  const held = `${lock.model} (${lock.dimensions} dimensions)`
  const offered = `${embedder.model} (${embedder.dimensions ?? 'unknown'} dimensions)`
  return new ElfmemError(
    'EMBEDDER_MISMATCH',
    `This memory holds vectors of ${held}; the embedder is ${offered}.`,
    {
      recovery: `Configure ${held} again, or use another database for ${offered}; until then recall finds by words.`,
      details: { held: lock, offered: { model: embedder.model, dimensions: embedder.dimensions } },
    },
  )
}
