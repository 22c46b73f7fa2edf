import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { isAtOnce, isNewer, saidAt } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { type BlockPair, orderedPair } from '../graph/edge.ts'
import { PAIR_TEXT_MOST, pairScorer, textOf } from '../recall/pair-score.ts'
import { blocksById } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A word of more blocks than these does not lead to the few that are meant. */
export const HOLDERS_MOST = 32

/** Pair score above which a newer note is said to replace an older one, perhaps: by their vectors, or by words alone. */
const MAY_REPLACE = { vectors: 1.3, words: 2 }
/** Most earlier blocks that are named for one block, compared with it, and read for it. */
const MOST = { named: 3, compared: 5, read: 8 }
/** Number of a block's rarest terms that are looked up, and the least share of them by idf that another must have. */
const RARE = { terms: 8, share: 0.2 }

/** An earlier block that a newer one may replace. */
export interface Replaceable {
  readonly older: Block
  /** Probability by the pair score, 0..1. */
  readonly score: number
}

/**
 * Returns the earlier blocks that a block without a vector may replace. Cost: the postings of a few rare terms, and one statement if
 * they lead to any block. Empty where this process holds no index.
 */
export async function replaceableByWords(
  engine: Engine,
  tx: ReadTransaction,
  block: Block,
): Promise<readonly Replaceable[]> {
  const { analysis, index } = engine
  if (index.size === 0 || !isComparable(block)) return []
  const terms = [...new Set(analysis.language.terms(block.content))]
    .map((term) => ({ term, idf: index.idf(term) }))
    .sort((one, other) => other.idf - one.idf)
    .slice(0, RARE.terms)
  const shared = new Map<string, number>()
  for (const { term, idf } of terms)
    for (const holder of index.holding([term], HOLDERS_MOST) ?? [])
      shared.set(holder, (shared.get(holder) ?? 0) + idf)
  const least = RARE.share * terms.reduce((sum, { idf }) => sum + idf, 0)
  const ids = [...shared]
    .filter(([id, weight]) => id !== block.id && weight >= least && index.get(id)?.scope === block.scope)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST.read)
    .map(([id]) => id)
  if (ids.length === 0) return []
  const found = await blocksById(tx, ids)
  return replaceable(engine, block, { earlier: ids.flatMap((id) => found.get(id) ?? []) })
}

/** The blocks that a newer one is compared with, nearest first. */
interface Comparison {
  readonly earlier: readonly Block[]
  /** Cosine of two of the blocks by their ids; their words are compared unless given. */
  readonly cosine?: (one: string, other: string) => number | undefined
}

/** Returns the earlier blocks that a newer one may replace, likeliest first, at most three. A hint: nothing is noted. */
export function replaceable(
  { analysis, index }: Pick<Engine, 'analysis' | 'index'>,
  newer: Block,
  { earlier, cosine }: Comparison,
): readonly Replaceable[] {
  const olders = earlier.filter((older) => mayBeReplaced(older, newer)).slice(0, MOST.compared)
  const blocks = [...olders, newer]
  if (olders.length === 0) return []
  const scoreOf = pairScorer({
    notes: blocks.map((block) => ({
      text: textOf(analysis, block.content),
      at: Date.parse(saidAt(block)),
      ...{ rank: 0, asked: Number.NaN },
    })),
    idf: (term) => index.idf(term),
    size: index.size,
    ...(cosine && {
      cosine: (one: number, other: number) => cosine(blocks[one]?.id ?? '', blocks[other]?.id ?? ''),
    }),
  })
  const least = cosine === undefined ? MAY_REPLACE.words : MAY_REPLACE.vectors
  return olders
    .map((older, place) => ({ older, z: scoreOf(place, olders.length) }))
    .filter(({ z }) => z > least)
    .sort((one, other) => other.z - one.z)
    .slice(0, MOST.named)
    .map(({ older, z }) => ({ older, score: 1 / (1 + Math.exp(-z)) }))
}

/** The score was made for short notes, so nothing that a known speaker said is compared. */
function isComparable({ source, content }: Block): boolean {
  return source === undefined && content.length <= PAIR_TEXT_MOST
}

/** True for two notes of which the second is newer and not less trusted. */
function mayBeReplaced(older: Block, newer: Block): boolean {
  const isThere = older.status !== 'archived' && older.supersededAt === undefined && older.id !== newer.id
  if (!isThere || isConstitutional(older.tags) || !isComparable(older) || !isComparable(newer)) return false
  return mayCover(newer, older) && !isAtOnce(newer, older) && isNewer(newer, older)
}

/** Returns the open pair that keeps a guess for a host, a model or the owner. */
export function perhapsNewer(newer: Block, { older, score }: Replaceable, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'perhaps_newer', score, foundBy: 'score', resolved: false, createdAt }
}
