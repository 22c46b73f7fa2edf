import { ElfmemError } from '../../errors.ts'
import type { EmbedOptions } from '../../ports/embedder.ts'
import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import type { UsageMeter } from './usage.ts'

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

/** True if vectors of the two may be compared. Dimensions that are not known yet do not count. */
export function matchesLock(
  lock: EmbeddingLock | undefined,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): boolean {
  if (lock === undefined) return true
  return lock.model === embedder.model && (embedder.dimensions ?? lock.dimensions) === lock.dimensions
}

/** Refuses an embedder whose vectors cannot lie beside the stored ones. */
export async function refuseOtherModel(
  tx: StoreReader,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): Promise<void> {
  const lock = await readEmbeddingLock(tx)
  if (lock !== undefined && !matchesLock(lock, embedder)) throw embedderMismatch(lock, embedder)
}

/** Notes whose vectors are in use now. */
export async function saveEmbeddingLock(
  tx: StoreWriter,
  { model, dimensions }: EmbeddingLock,
): Promise<void> {
  await tx.saveMeta(MODEL, model)
  await tx.saveMeta(DIMENSIONS, String(dimensions))
}

/** Ties the store to the model of its first vectors; later refuses any other, and nothing is written. */
export async function ensureEmbeddingLock(tx: StoreWriter, embedder: EmbeddingLock): Promise<void> {
  await refuseOtherModel(tx, embedder)
  if ((await tx.meta(MODEL)) === undefined) await saveEmbeddingLock(tx, embedder)
}

/** The refusal to mix vectors of two models. */
export function embedderMismatch(
  lock: EmbeddingLock,
  embedder: { readonly model: string; readonly dimensions: number | undefined },
): ElfmemError {
  const [held, offered] = [nameOf(lock), nameOf(embedder)]
  return new ElfmemError(
    'EMBEDDER_MISMATCH',
    `This memory holds vectors of ${held}; the embedder is ${offered}.`,
    {
      recovery: `Call reembed (elfmem reembed) to change all vectors to ${offered}, or configure ${held} again; until then recall finds by words.`,
      details: { held: lock, offered: { model: embedder.model, dimensions: embedder.dimensions } },
    },
  )
}

/** A model and its dimensions, for people. */
export function nameOf({
  model,
  dimensions,
}: {
  readonly model: string
  readonly dimensions: number | undefined
}): string {
  return `${model} (${dimensions ?? 'unknown'} dimensions)`
}

/** How embedding is asked for within a call: it ends with the call, and what it uses is counted for it. */
export function embedOptionsOf({
  signal,
  meter,
}: {
  readonly signal?: AbortSignal
  readonly meter?: UsageMeter
}): EmbedOptions {
  return {
    ...(signal ? { signal } : {}),
    ...(meter
      ? {
          usage: ({ tokens, calls }) => meter.add({ embeddingTokens: tokens, embeddingCalls: calls }),
          redacted: (kind, count) => meter.noteRedacted(kind, count),
        }
      : {}),
  }
}
