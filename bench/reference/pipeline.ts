import { dot } from '../../src/index/columns.ts'
import {
  compositeScore,
  effectiveCentrality,
  effectiveEdgeWeight,
  type FrameWeights,
} from '../../src/outcome/formulas.ts'
import { createBm25, whitespaceTokens } from './bm25.ts'
import { type ReferenceEdge, similarityEdges } from './graph.ts'
import { mmrOrder } from './mmr.ts'
import { rrfFuse, type Scored } from './rrf.ts'

/** Weights of the reference's attention frame (Python elfmem). */
const ATTENTION: FrameWeights = {
  similarity: 0.35,
  confidence: 0.15,
  recency: 0.25,
  centrality: 0.15,
  reinforcement: 0.1,
}
/** A block that was never judged nor reported about. */
const UNTOUCHED = { alpha: 0.5, beta: 0.5 }
const MMR_LAMBDA = 0.7
/** What each list brings: so many times what is asked for. */
const SEEDS = 4

/** What the reference-like pipeline searches: texts and their vectors, in order of arrival. */
export interface ReferenceCorpus {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  readonly vectors: readonly Float32Array[]
}

/** A question's ranked ids, at three stages of the pipeline. */
export interface ReferenceAnswer {
  /** Cosine alone. */
  readonly cosine: readonly string[]
  /** BM25 alone; ends where no word matches. */
  readonly words: readonly string[]
  /** Both fused by reciprocal rank. */
  readonly fused: readonly string[]
  /** After expansion, composite score and MMR: what a frame shows. */
  readonly frame: readonly string[]
}

/**
 * A pipeline like the one of the Python elfmem 0.20, over blocks nobody has used yet: the same
 * stages and constants, written anew. It shares our vectors, so the difference is the ranking alone.
 *
 * Not modelled: the search window (all blocks are fresh), guarantees and suppression (there is nothing to guarantee
 * or to suppress), removal of duplicates, the token budget. Recency, confidence and reinforcement are equal for all.
 * Quirks: neighbours over edges enter with similarity 0, yet centrality and recency can lift them above matches;
 * MMR takes near matches apart (W4).
 */
export function createReference({ ids, texts, vectors }: ReferenceCorpus) {
  const bm25 = createBm25(texts.map(whitespaceTokens))
  const edges = similarityEdges(vectors)
  const places = new Map(ids.map((id, i) => [id, i]))
  const neighbours = neighbourLists(ids.length, edges)

  return (question: string, vector: Float32Array, topK: number): ReferenceAnswer => {
    const seeds = SEEDS * topK
    const cosine = top(ids, (i) => dot(vector, vectors[i] as Float32Array), seeds)
    const scores = bm25(whitespaceTokens(question))
    const words = top(ids, (i) => scores[i] as number, seeds).filter(([, score]) => score > 0)
    const fused = rrfFuse(cosine, words)
    const frame = scoreAll(expand(fused, { ids, places, neighbours }), { places, edges, ids })
      .slice(0, 2 * topK)
      .map(({ id, score }) => ({ id, score, vector: vectors[places.get(id) as number] as Float32Array }))
    const idsOf = (list: readonly Scored[]) => list.map(([id]) => id)
    return {
      cosine: idsOf(cosine).slice(0, topK),
      words: idsOf(words).slice(0, topK),
      fused: idsOf([...fused].sort((a, b) => b[1] - a[1])).slice(0, topK),
      frame: mmrOrder(frame, MMR_LAMBDA)
        .slice(0, topK)
        .map(({ id }) => id),
    }
  }
}

function top(ids: readonly string[], scoreOf: (place: number) => number, count: number): Scored[] {
  return ids
    .map((id, i) => [id, scoreOf(i)] as const)
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
}

function neighbourLists(count: number, edges: readonly ReferenceEdge[]): number[][] {
  const lists = Array.from({ length: count }, (): number[] => [])
  for (const { a, b } of edges) {
    lists[a]?.push(b)
    lists[b]?.push(a)
  }
  return lists
}

/** All neighbours of the seeds, one step away, at similarity 0. */
function expand(
  seeds: readonly Scored[],
  graph: {
    readonly ids: readonly string[]
    readonly places: ReadonlyMap<string, number>
    readonly neighbours: readonly (readonly number[])[]
  },
): Scored[] {
  const found = new Map(seeds)
  for (const [id] of seeds) {
    for (const place of graph.neighbours[graph.places.get(id) as number] ?? []) {
      const neighbour = graph.ids[place] as string
      if (!found.has(neighbour)) found.set(neighbour, 0)
    }
  }
  return [...found]
}

function scoreAll(
  candidates: readonly Scored[],
  graph: {
    readonly places: ReadonlyMap<string, number>
    readonly edges: readonly ReferenceEdge[]
    readonly ids: readonly string[]
  },
): { readonly id: string; readonly score: number }[] {
  const central = centralities(candidates, graph)
  return candidates
    .map(([id, similarity]) => {
      const signals = {
        similarity,
        confidence: 0.5,
        recency: 1,
        centrality: effectiveCentrality(central.get(id) ?? 0, 1),
        reinforcement: 1,
      }
      return { id, score: compositeScore(signals, ATTENTION, { belief: UNTOUCHED }).score }
    })
    .sort((a, b) => b.score - a.score)
}

/** Weighted degrees over the greatest among the candidates. */
function centralities(
  candidates: readonly Scored[],
  { edges, ids }: { readonly edges: readonly ReferenceEdge[]; readonly ids: readonly string[] },
): Map<string, number> {
  const degrees = new Map(candidates.map(([id]) => [id, 0]))
  for (const { a, b, weight } of edges) {
    for (const place of [a, b]) {
      const id = ids[place] as string
      const known = degrees.get(id)
      const strength = effectiveEdgeWeight({ weight, reinforcementCount: 0 })
      if (known !== undefined) degrees.set(id, known + strength)
    }
  }
  const greatest = Math.max(0, ...degrees.values())
  return new Map([...degrees].map(([id, degree]) => [id, greatest > 0 ? degree / greatest : 0]))
}
