import type { FrameSettings } from '../../config/frames.ts'
import type { BlockPair } from '../../domain/edge.ts'
import type { StoreReader } from '../../ports/store.ts'
import type { Filter } from '../../search/filter.ts'
import type { BlockFacts, Match } from '../../search/resident-index.ts'
import type { CallContext, Engine } from '../engine.ts'
import { answer } from './answer.ts'
import { byScore, type Candidate, type Dropped } from './candidate.ts'
import { questionVector } from './question-vector.ts'
import { preselect, unasked } from './unasked.ts'

/** `unasked`: no question was put; `nothing`: the best match lies below the line, so none is shown. */
export type MatchQuality = 'match' | 'weak' | 'nothing' | 'unasked'

/** A queryless centrality needs edges; only the best by the other terms are looked up, at least so many. */
const UNASKED_POOL = 60

/** What bears on a question, or on nothing in particular, best first. */
export interface Found {
  readonly ranked: readonly Candidate[]
  readonly guaranteed: readonly Candidate[]
  readonly quality: MatchQuality
  readonly strength?: number
  readonly wordsOnly?: string
  /** Matches too weak to show. */
  readonly dropped: readonly Dropped[]
  /** Unresolved pairs around them. */
  readonly pairs: readonly BlockPair[]
}

/** What a question matched, before experience has its say. */
export interface Asked {
  readonly matches: readonly Match[]
  readonly wordsOnly?: string
}

/** Reads, embeds and ranks a question. One embedding, no statement. */
export async function match(
  engine: Engine,
  text: string,
  { topK, filter, context }: { topK: number; filter: Filter; context: CallContext },
): Promise<Asked> {
  const question = engine.index.read(text)
  const embedded = await questionVector(engine, question.toEmbed, context)
  const pool = Math.max(engine.settings.recall.pool, 2 * topK)
  const vector = 'vector' in embedded ? embedded.vector : undefined
  const matches = engine.index.rank(question, vector, pool, filter)
  return { matches, ...('reason' in embedded && engine.index.size > 0 ? { wordsOnly: embedded.reason } : {}) }
}

/** Brings experience and the graph to the matches, or ranks without a question. One statement. */
export async function find(
  engine: Engine,
  tx: StoreReader,
  {
    frame,
    filter,
    hours,
    asked,
    topK,
    minStrength,
  }: {
    frame: FrameSettings
    filter: Filter
    hours: number
    asked: Asked | undefined
    topK: number
    minStrength: number
  },
): Promise<Found> {
  const { index, settings } = engine
  const guaranteedFacts = index.tagged(frame.guarantee)
  if (!asked) {
    const pool = preselect(index.select(filter), Math.max(UNASKED_POOL, 2 * topK), { frame, hours })
    const looked = [...new Map([...guaranteedFacts, ...pool].map((facts) => [facts.id, facts])).values()]
    const { edges, pairs } = await tx.links(looked.map(({ id }) => id))
    const ranked = unasked(looked, { frame, hours, edges })
    return { ranked, guaranteed: pick(ranked, guaranteedFacts), quality: 'unasked', dropped: [], pairs }
  }
  const strength = asked.matches.reduce((best, each) => Math.max(best, each.strength), 0)
  const quality = qualityOf(strength, minStrength, settings.recall.weakBelow)
  const floor =
    quality === 'nothing' ? Number.POSITIVE_INFINITY : Math.min(settings.recall.blockFloor, minStrength)
  const matches = asked.matches.filter((each) => each.strength >= floor)
  const weak = asked.matches.filter((each) => each.strength < floor)
  const { edges, pairs } = await tx.links(matches.map(({ facts }) => facts.id))
  const ranked = answer(matches, { frame, settings, hours, filter, edges, factsOf: (id) => index.get(id) })
  const guaranteed = unasked(guaranteedFacts, { frame, hours, edges })
  return {
    ranked,
    guaranteed,
    quality,
    strength,
    dropped: weak.map(({ facts, rank }): Dropped => ({ id: facts.id, reason: 'weak_match', score: rank })),
    pairs,
    ...(asked.wordsOnly === undefined ? {} : { wordsOnly: asked.wordsOnly }),
  }
}

function pick(ranked: readonly Candidate[], wanted: readonly BlockFacts[]): Candidate[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return ranked.filter(({ facts }) => ids.has(facts.id)).sort(byScore)
}

function qualityOf(strength: number, nothingBelow: number, weakBelow: number): MatchQuality {
  if (strength < nothingBelow) return 'nothing'
  return strength < weakBelow ? 'weak' : 'match'
}
