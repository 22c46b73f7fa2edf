import type { Block } from '../../../domain/block/block.ts'
import type { StoreReader } from '../../../ports/store/transaction.ts'
import type { Filter } from '../../../search/index/blocks.ts'
import { blocksById } from '../../blocks/look-up.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Asked } from '../match.ts'
import type { Candidate } from '../rank.ts'
import { type Drawing, type Framing, tokensUpTo } from '../render.ts'
import { type Explaining, type LeftOutReason, objecting, type Place, placesOf } from './places.ts'

/** So many candidates are explained, those that were never weighed among them: a list that somebody can look through. */
export const CANDIDATES_MOST = 200

/** Tokens are counted for so many that found no room; each makes the text once. */
const COUNTED_MOST = 20

/** By how much a candidate missed being shown; the fields that its reason has. */
export interface Shortfall {
  /** The last entry shown that no frame guarantees. */
  readonly lastShown?: { readonly id: string; readonly score: number }
  /** The score that it lacks to that of the last one shown; below 0 where something else than scores decides their order. */
  readonly missing?: number
  /** The least `limit` that has a place for it. */
  readonly limit?: number
  /** Tokens of the text with every entry up to it. */
  readonly tokens?: number
  /** Strength of the best match, and the least that the caller wants if that is why nothing is shown. */
  readonly strength?: number
  readonly leastStrength?: number
  /** By its match alone, with all bonuses; and that of the last match that was weighed. */
  readonly rank?: number
  readonly leastRank?: number
  /** It waits for a vector, so that only its words can be found. */
  readonly lacksVector?: true
}

/** A candidate, its place, and by how much it missed being shown. */
export interface ExplainedCandidate extends Place {
  readonly block: Block
  readonly short: Shortfall
}

/** The facts of one recall that its explanation needs. */
export interface Explained extends Explaining {
  readonly asked: Asked | undefined
  readonly filter: Filter
  readonly framing: Pick<Framing, 'frame' | 'agentName'> & Drawing
}

/**
 * Every candidate of a recall in the order of its answer: what was weighed, then the matches of a question that nothing bears on, then
 * the best of those that were never weighed, until there are `CANDIDATES_MOST`. Scores and terms are those of this answer; what it did not weigh
 * stands on its scale. A second pass over the index, and two statements.
 */
export async function explainCandidates(
  engine: Engine,
  tx: StoreReader,
  recall: Explained,
): Promise<readonly ExplainedCandidate[]> {
  const placed = placesOf(recall)
  const places = objecting([...placed, ...(await besides(tx, placed, recall))], recall)
  const blocks = await blocksById(
    tx,
    places.map(({ candidate }) => candidate.facts.id),
  )
  const shortfallOf = shortfalls(engine, recall)
  return places.flatMap((place) => {
    const block = blocks.get(place.candidate.facts.id)
    return block === undefined ? [] : [{ ...place, block, short: shortfallOf(place) }]
  })
}

/** Matches that were not weighed, best first: those of a question that nothing bears on, then those below the pool. */
async function besides(
  tx: StoreReader,
  placed: readonly Place[],
  { all: { found }, asked, filter }: Explained,
): Promise<Place[]> {
  const { beside } = found
  if (asked === undefined || beside === undefined) return []
  const known = new Set(placed.map(({ candidate }) => candidate.facts.id))
  const isNew = ({ facts }: Pick<Candidate, 'facts'>) => !known.has(facts.id)
  const refused = asked.matches.filter(isNew)
  for (const { facts } of refused) known.add(facts.id)
  const room = CANDIDATES_MOST - known.size
  const isFull = asked.matches.length >= asked.pool
  const below = room > 0 && isFull ? (await asked.ranked(CANDIDATES_MOST, filter)).filter(isNew) : []
  const weighed = await beside.weigh(tx, [...refused, ...below.slice(0, Math.max(0, room))])
  const best = (some: readonly Candidate[], reason: Place['reason']) =>
    some
      .toSorted((one, other) => other.score - one.score)
      .map((candidate) => ({ candidate, reason }) as Place)
  return [
    ...best(weighed.slice(0, refused.length), 'nothing'),
    ...best(weighed.slice(refused.length), 'pool'),
  ]
}

/** Returns by how much a candidate of an answer missed being shown. */
function shortfalls(engine: Engine, recall: Explained): (place: Place) => Shortfall {
  const { all, kept, fitted, asked, framing } = recall
  const last = fitted.shown.findLast(({ guaranteed }) => !guaranteed)
  const behind = ({ score }: Candidate): Shortfall =>
    last === undefined
      ? {}
      : {
          lastShown: { id: last.block.id, score: last.candidate.score },
          missing: last.candidate.score - score,
        }
  const leastRank = leastRankOf(asked)
  let counted = 0
  const shortOf: Readonly<Partial<Record<LeftOutReason, (place: Place) => Shortfall>>> = {
    top_k: ({ candidate, place }) => ({ ...behind(candidate), ...(place && { limit: place }) }),
    token_budget: ({ candidate, under }) => {
      if (++counted > COUNTED_MOST) return behind(candidate)
      const tokens = tokensUpTo(under?.id ?? candidate.facts.id, { ...all, ...kept }, framing)
      return { ...behind(candidate), tokens }
    },
    nothing: ({ candidate: { facts } }) => ({
      ...(asked && { strength: asked.strength }),
      ...(all.found.beside?.minStrength !== undefined && { leastStrength: all.found.beside.minStrength }),
      ...vectorLack(engine, facts.id, asked),
    }),
    pool: ({ candidate }) => ({
      ...behind(candidate),
      ...(candidate.match && { rank: candidate.match.rank }),
      ...leastRank,
      ...vectorLack(engine, candidate.facts.id, asked),
    }),
  }
  return (place) => (place.reason === undefined ? {} : (shortOf[place.reason]?.(place) ?? {}))
}

/** That a block has no vector yet, where one would be compared. */
export function vectorLack(
  { index }: Pick<Engine, 'index'>,
  id: string,
  asked: Asked | undefined,
): Pick<Shortfall, 'lacksVector'> {
  const isCompared = asked?.vector !== undefined
  return isCompared && index.similarity(id, id) === undefined ? { lacksVector: true } : {}
}

/** The rank of the last match that was weighed or found too weak, if there was no room for more. */
export function leastRankOf(asked: Asked | undefined): Pick<Shortfall, 'leastRank'> {
  if (asked === undefined || asked.matches.length < asked.pool) return {}
  return { leastRank: Math.min(...asked.matches.map(({ rank }) => rank)) }
}
