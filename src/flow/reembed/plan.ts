import type { Block } from '../../domain/block/block.ts'
import { codePointLength, normaliseContent } from '../../domain/text/text.ts'
import type { VectorTotals } from '../../ports/store/queries.ts'
import { type EmbeddingLock, embedOptionsOf, matchesLock, readEmbeddingLock } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { readShadowLock, type ShadowLock } from './shadow-lock.ts'

/** Of the estimate everywhere (`estimateTokens`). */
const CHARACTERS_A_TOKEN = 4

/** The state from which the vectors would be changed to the engine's embedder. */
export interface Plan {
  /** Whose vectors are in use; undefined while nothing has been embedded. */
  readonly held: EmbeddingLock | undefined
  readonly shadow: ShadowLock | undefined
  readonly totals: VectorTotals
  /** Blocks to embed. */
  readonly missing: number
  /** Some of them. */
  readonly sample: readonly Block[]
}

/** The estimated cost of embedding the missing blocks. */
export interface Estimate {
  readonly blocks: number
  /** Code points. */
  readonly characters: number
  /** A quarter of the characters, as everywhere. */
  readonly tokens: number
  /** Wall time, from a sample. */
  readonly seconds: number
}

/** Blocks that a dry run embeds to measure how long all would take. */
const SAMPLE = 16

/** Looks at both sets of vectors. Walks over all of them. */
export function readPlan({ store, embedder }: Engine): Promise<Plan> {
  const limit = SAMPLE
  return store.read(async (tx) => {
    const [held, shadow, totals] = [
      await readEmbeddingLock(tx),
      await readShadowLock(tx),
      await tx.vectorTotals(),
    ]
    const begun = shadow !== undefined && matchesLock(shadow, embedder)
    const sample = begun
      ? await tx.missingShadow(limit)
      : (await tx.page({ status: 'active', order: 'arrival', limit })).blocks
    return { held, shadow, totals, missing: begun ? (totals.missing ?? 0) : totals.blocks, sample }
  })
}

/**
 * Embeds the sample, after one text that is not timed and loads the model, and keeps nothing of it. The characters of
 * the rest are taken to be as many a block as those of all.
 */
export async function estimate(engine: Engine, plan: Plan, context: CallContext): Promise<Estimate> {
  const { totals, missing, sample } = plan
  const characters = totals.blocks === 0 ? 0 : Math.round((totals.characters * missing) / totals.blocks)
  const tokens = Math.floor(characters / CHARACTERS_A_TOKEN)
  if (sample.length === 0) return { blocks: missing, characters, tokens, seconds: 0 }
  const options = embedOptionsOf(context)
  const texts = sample.map(({ content }) => normaliseContent(content))
  await engine.embedder.embed(texts.slice(0, 1), options)
  const started = engine.clock.now()
  await engine.embedder.embed(texts, options)
  const seconds = (engine.clock.now() - started) / 1000
  const sampled = texts.reduce((sum, text) => sum + codePointLength(text), 0)
  return { blocks: missing, characters, tokens, seconds: (seconds * characters) / Math.max(1, sampled) }
}
