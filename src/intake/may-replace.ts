import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { isAtOnce, isNewer, saidAt } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { type BlockPair, orderedPair } from '../graph/edge.ts'
import { PAIR_TEXT_MOST, pairScorer, textOf } from '../recall/pair-score.ts'
import { blocksById, HOLDERS_MOST } from '../store/look-up.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** Pair score above which a newer note is said to replace an older one, perhaps: by their vectors, or by words alone. */
const MAY_REPLACE = { vectors: 1.3, words: 2 }

/** Most earlier blocks that are named for one block. */
const NAMED_MOST = 3
/** Number of earlier blocks that one block is compared with: those nearest to it. */
const COMPARED_MOST = 5
/** Number of a block's rarest terms by which earlier blocks are looked up when it has no vector. */
const TERMS_MOST = 8
/** Number of blocks read for it. */
const READ_MOST = 8

/** An earlier block that a newer one may replace. */
export interface Replaceable {
  readonly older: Block
  /** Probability by the pair score, 0..1. */
  readonly score: number
}

/**
 * Returns the earlier blocks that a block without a vector may replace, likeliest first, at most three. A hint for the caller, who
 * knows: nothing is noted. Cost: the postings of a few rare terms, and one statement if they lead to any block. Empty where this
 * process holds no index.
 */
export async function replaceableByWords(
  engine: Engine,
  tx: ReadTransaction,
  block: Block,
): Promise<readonly Replaceable[]> {
  const ids = sharingRareTerms(engine, block)
  if (ids.length === 0) return []
  const found = await blocksById(tx, ids)
  const earlier = ids.flatMap((id) => found.get(id) ?? [])
  return replaceable(engine, block, { earlier })
}

/** The blocks that a newer one is compared with, nearest first. */
interface Comparison {
  readonly earlier: readonly Block[]
  /** Cosine of two of the blocks by their ids; their words are compared unless given. */
  readonly cosine?: (one: string, other: string) => number | undefined
}

/** Returns the earlier blocks that a newer one may replace, likeliest first, at most three. Cost: reads six texts. */
export function replaceable(
  { analysis, index }: Pick<Engine, 'analysis' | 'index'>,
  newer: Block,
  { earlier, cosine }: Comparison,
): readonly Replaceable[] {
  const blocks: Block[] = []
  for (const older of earlier)
    if (blocks.length < COMPARED_MOST && mayBeReplaced(older, newer)) blocks.push(older)
  if (blocks.length === 0) return []
  blocks.push(newer)
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
  const found: Replaceable[] = []
  for (const [place, older] of blocks.slice(0, -1).entries()) {
    const z = scoreOf(place, blocks.length - 1)
    if (z > (cosine === undefined ? MAY_REPLACE.words : MAY_REPLACE.vectors))
      found.push({ older, score: 1 / (1 + Math.exp(-z)) })
  }
  return found.sort((one, other) => other.score - one.score).slice(0, NAMED_MOST)
}

/**
 * Returns true for two notes of which the second is newer and not less trusted. The score was made for notes, so nothing that a known
 * speaker said is compared.
 */
function mayBeReplaced(older: Block, newer: Block): boolean {
  const isThere = older.status !== 'archived' && older.supersededAt === undefined && older.id !== newer.id
  if (!isThere || isConstitutional(older.tags)) return false
  if (older.source !== undefined || newer.source !== undefined) return false
  if (!mayCover(newer, older)) return false
  if (isAtOnce(newer, older) || !isNewer(newer, older)) return false
  return newer.content.length <= PAIR_TEXT_MOST && older.content.length <= PAIR_TEXT_MOST
}

/** Returns the open pair that keeps a guess for a host, a model or the owner. */
export function perhapsNewer(newer: Block, { older, score }: Replaceable, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'perhaps_newer', score, foundBy: 'score', resolved: false, createdAt }
}

/** Least share of a block's rarest terms, by idf, that another one must have to be read. */
const SHARED_LEAST = 0.2

/** Returns ids of the other blocks that share most with a block by its rarest terms, the best first. */
function sharingRareTerms({ analysis, index }: Engine, block: Block): readonly string[] {
  const { id, content, source, scope } = block
  if (index.size === 0 || source !== undefined || content.length > PAIR_TEXT_MOST) return []
  const terms = [...new Set(analysis.language.terms(content))]
    .map((term) => ({ term, idf: index.idf(term) }))
    .sort((one, other) => other.idf - one.idf)
    .slice(0, TERMS_MOST)
  const shared = new Map<string, number>()
  for (const { term, idf } of terms)
    for (const holder of index.holding([term], HOLDERS_MOST) ?? [])
      shared.set(holder, (shared.get(holder) ?? 0) + idf)
  shared.delete(id)
  const least = SHARED_LEAST * terms.reduce((sum, { idf }) => sum + idf, 0)
  return [...shared]
    .filter(([holder, weight]) => weight >= least && index.get(holder)?.scope === scope)
    .sort(([, one], [, other]) => other - one)
    .slice(0, READ_MOST)
    .map(([holder]) => holder)
}
