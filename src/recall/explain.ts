import type { Block } from '../block/block.ts'
import type { Engine } from '../engine/engine.ts'
import { type Filter, passesFilter } from '../index/blocks.ts'
import { blocksById } from '../store/blocks.ts'
import type { Chosen } from './choose.ts'
import type { Asked, Candidate, Dropped, Entry, Moved, Under } from './match.ts'
import { SAME_SCORE } from './rank.ts'
import { type Framing, type Rendered, tokensUpTo } from './render.ts'

/** Largest number of explained candidates, those never weighed included: a list that a person can look through. */
export const CANDIDATES_MOST = 200

/** Largest number of candidates without room whose tokens are counted; each makes the text once. */
const COUNTED_MOST = 20

/** The candidates of a recall in the order of its answer, and why others are none. */
export interface Explanation {
  readonly candidates: readonly ExplainedCandidate[]
  readonly absenceOf: (block: Block) => Absence
}

/** A candidate, its place, and by how much it missed being shown. */
export interface ExplainedCandidate extends Place {
  readonly block: Block
  readonly short: Shortfall
}

/** A candidate in its place in the order of the answer. */
interface Place {
  readonly candidate: Candidate
  /** As what its words stand in the text: an entry, a line under one, or an objection to one. Absent where they do not. */
  readonly shown?: 'entry' | 'version' | 'counterpoint'
  /** Absent of an entry. */
  readonly reason?: LeftOutReason
  /** The block that it stands under or objects to, and why. */
  readonly under?: { readonly id: string; readonly why: Under['why'] | 'objects' }
  /** Why it does not stand where its score would put it: something behind it scores higher, or what stands before it less. */
  readonly moved?: Moved | { readonly why: 'guaranteed' }
  /** Number of its entry among those that no frame guarantees, from 1: so many must be allowed to show it. */
  readonly place?: number
}

/** Why a candidate is no entry: dropped; a version of another block; or never weighed, since its match is below the pool. */
type LeftOutReason = Exclude<Dropped['reason'], 'versions'> | 'version' | 'pool'

/** Lack that kept a candidate from being shown; it has the fields of its reason. */
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
  /** Rank by its match alone, with all bonuses, and the rank of the last match that was weighed. */
  readonly rank?: number
  readonly leastRank?: number
  /** It waits for a vector, so that only its words can be found. */
  readonly lacksVector?: true
}

/** One condition of a recall that a block does not meet. */
export interface Unmet {
  /** The filter of the frame, or of the call. */
  readonly name: 'include' | 'exclude' | 'classes' | 'sessionOnly' | 'tags' | 'category' | 'session'
  readonly values: readonly string[]
}

/** Why a block is no candidate of a recall at all. */
export type Absence =
  | { readonly reason: 'archived' }
  | { readonly reason: 'filtered'; readonly filters: readonly Unmet[] }
  /** `no_vector`: words alone can find it as yet. Its match and score by itself, where something was asked. */
  | { readonly reason: 'pool' | 'no_vector'; readonly candidate?: Candidate; readonly short: Shortfall }

/** An answer before the call left anything out of it, and as its text was written. */
interface Explained {
  readonly all: Chosen
  readonly rendered: Rendered
  readonly framing: Framing
}

/**
 * Explains every candidate of a recall in the order of its answer: what was weighed, then the matches of a question that nothing
 * bears on, then the best of those that were never weighed, until there are `CANDIDATES_MOST`. Scores and terms are those of this
 * answer; what it did not weigh stands on its scale. A second pass over the index, and two statements.
 */
export async function explain(engine: Engine, recall: Explained): Promise<Explanation> {
  const placed = placesOf(recall)
  const against = new Map(recall.rendered.counterpoints.map(({ block, to }) => [block.id, to.id]))
  const places = [...placed, ...besides(placed, recall.all)].map((place): Place => {
    const to = against.get(place.candidate.facts.id)
    if (to === undefined || place.shown !== undefined) return place
    return { ...place, shown: 'counterpoint', under: { id: to, why: 'objects' } }
  })
  const ids = places.map(({ candidate }) => candidate.facts.id)
  const blocks = await engine.store.read((tx) => blocksById(tx, ids))
  const shortfallOf = shortfalls(engine, recall)
  const candidates = places.flatMap((place) => {
    const block = blocks.get(place.candidate.facts.id)
    return block === undefined ? [] : [{ ...place, block, short: shortfallOf(place) }]
  })
  return { candidates, absenceOf: (block) => absenceOf(engine, block, recall.all) }
}

/** Everything that was weighed and found, in the order of the answer: an entry, what stands under it, the next entry. */
function placesOf({ all, rendered }: Explained): Place[] {
  const known = new Map([...all.candidates, ...all.guaranteed].map((each) => [each.facts.id, each]))
  const shown = new Map(rendered.shown.map((each) => [each.block.id, each]))
  const reasons = new Map(rendered.dropped.map(({ id, reason }) => [id, reason]))
  let number = 0
  const entries = all.entries.flatMap((entry): Place[] => {
    const { id } = entry.block
    const at = entry.guaranteed ? {} : { place: ++number }
    const drawn = shown.get(id)
    const reason = (reasons.get(id) ?? 'token_budget') as LeftOutReason
    const versions = [...versionsOf(entry)].flatMap(([version, why]): Place[] => {
      const candidate = known.get(version)
      const place = drawn === undefined ? { reason } : underShown(version, entry, drawn)
      return candidate ? [{ candidate, ...place, under: { id, why }, ...at }] : []
    })
    return [{ candidate: entry, ...(drawn ? { shown: 'entry' } : { reason }), ...at }, ...versions]
  })
  const beyond = all.beyond.flatMap((entry): Place[] => {
    const left = { reason: 'top_k', place: ++number } as const
    const under = entry.under.flatMap(({ candidate, why }) =>
      candidate ? [{ candidate, ...left, under: { id: entry.facts.id, why } }] : [],
    )
    return entry.isUnfound ? under : [{ candidate: entry, ...left }, ...under]
  })
  // Where a block stands in two places, the first counts.
  const first = new Map([...entries, ...beyond].toReversed().map((each) => [each.candidate.facts.id, each]))
  return withMoves([...entries, ...beyond].filter((each) => first.get(each.candidate.facts.id) === each))
}

/** All that stands under an entry, what is only counted there, too; also where a question about the past turned it round. */
function versionsOf({ block, under, versions }: Entry): ReadonlyMap<string, Under['why']> {
  const standing = versions.map((each) => [each.block.id, each.why] as const)
  const counted = under.filter(({ id }) => id !== block.id).map(({ id, why }) => [id, why] as const)
  return new Map([...counted, ...standing])
}

/** Returns the place of a version under an entry that is shown. */
function underShown(id: string, entry: Entry, shown: Entry): Pick<Place, 'shown' | 'reason'> {
  const stands = ({ versions }: Entry) => versions.some(({ block }) => block.id === id)
  if (stands(entry) && !stands(shown)) return { reason: 'class' }
  return { ...(shown.told.includes(id) && { shown: 'version' }), reason: 'version' }
}

/** Says of places that are out of the order of scores why they are. */
function withMoves(places: readonly Place[]): Place[] {
  return places.map((place, at) => {
    const { score, guaranteed, moved } = place.candidate
    const why = guaranteed ? ({ why: 'guaranteed' } as const) : moved
    const isOut = places.slice(at + 1).some((each) => each.candidate.score > score + SAME_SCORE)
    return why === undefined || !isOut ? place : { ...place, moved: why }
  })
}

/** Matches that were not weighed, best first: those of a question that nothing bears on, then those below the pool. */
function besides(placed: readonly Place[], { asked, filter, weigh }: Chosen): Place[] {
  if (asked === undefined || weigh === undefined) return []
  const known = new Set(placed.map(({ candidate }) => candidate.facts.id))
  const isNew = ({ facts }: Pick<Candidate, 'facts'>) => !known.has(facts.id)
  const refused = asked.matches.filter(isNew)
  for (const { facts } of refused) known.add(facts.id)
  const room = CANDIDATES_MOST - known.size
  const isFull = asked.matches.length >= asked.pool
  const below = room > 0 && isFull ? asked.ranked(CANDIDATES_MOST, filter).filter(isNew) : []
  const weighed = weigh([...refused, ...below.slice(0, Math.max(0, room))])
  const best = (some: readonly Candidate[], reason: LeftOutReason) =>
    some.toSorted((one, other) => other.score - one.score).map((candidate): Place => ({ candidate, reason }))
  return [
    ...best(weighed.slice(0, refused.length), 'nothing'),
    ...best(weighed.slice(refused.length), 'pool'),
  ]
}

/** Returns by how much a candidate of an answer missed being shown. */
function shortfalls(engine: Engine, { all, rendered, framing }: Explained): (place: Place) => Shortfall {
  const { asked } = all
  const last = rendered.shown.findLast(({ guaranteed }) => !guaranteed)
  let counted = 0
  return ({ candidate, reason, under, place }) => {
    const { id } = candidate.facts
    const behind = last && {
      lastShown: { id: last.block.id, score: last.score },
      missing: last.score - candidate.score,
    }
    switch (reason) {
      case 'top_k':
        return { ...behind, ...(place && { limit: place }) }
      case 'token_budget':
        if (++counted > COUNTED_MOST) return { ...behind }
        return { ...behind, tokens: tokensUpTo(under?.id ?? id, rendered, framing) }
      case 'nothing':
        return {
          ...(asked && { strength: asked.strength }),
          ...(all.minStrength !== undefined && { leastStrength: all.minStrength }),
          ...vectorLack(engine, id, asked),
        }
      case 'pool': {
        const { match } = candidate
        return {
          ...behind,
          ...(match && { rank: match.rank }),
          ...leastRankOf(asked),
          ...vectorLack(engine, id, asked),
        }
      }
      default:
        return {}
    }
  }
}

/** That a block has no vector yet, where one would be compared. */
function vectorLack(
  { index }: Pick<Engine, 'index'>,
  id: string,
  asked: Asked | undefined,
): Pick<Shortfall, 'lacksVector'> {
  const isCompared = asked?.vector !== undefined
  return isCompared && index.similarity(id, id) === undefined ? { lacksVector: true } : {}
}

/** The rank of the last match that was weighed or found too weak, if there was no room for more. */
function leastRankOf(asked: Asked | undefined): Pick<Shortfall, 'leastRank'> {
  if (asked === undefined || asked.matches.length < asked.pool) return {}
  return { leastRank: Math.min(...asked.matches.map(({ rank }) => rank)) }
}

/** Returns why a block of the memory is none of the candidates. At most one pass over the index. */
function absenceOf(engine: Pick<Engine, 'index'>, block: Block, { asked, filter, weigh }: Chosen): Absence {
  if (block.status === 'archived') return { reason: 'archived' }
  const filters = unmet(block, filter)
  if (filters.length > 0) return { reason: 'filtered', filters }
  const lack = vectorLack(engine, block.id, asked)
  const reason = lack.lacksVector ? 'no_vector' : 'pool'
  const [match] = asked?.ranked(1, { ...filter, ids: new Set([block.id]) }) ?? []
  if (match === undefined) return { reason, short: lack }
  const [candidate] = weigh?.([match]) ?? []
  const short = { rank: match.rank, ...leastRankOf(asked), ...lack }
  return { reason, ...(candidate && { candidate }), short }
}

/** The conditions of a filter that a block does not meet, each by itself. */
function unmet(block: Block, filter: Filter): readonly Unmet[] {
  const { include, exclude, classes, ids, tags, category, session } = filter
  const conditions: readonly (Unmet & { readonly only: Filter })[] = [
    { name: 'include', values: include ?? [], only: { include } },
    { name: 'exclude', values: exclude ?? [], only: { exclude } },
    { name: 'classes', values: classes ?? [], only: { classes } },
    { name: 'sessionOnly', values: [], only: { ids } },
    { name: 'tags', values: tags ?? [], only: { tags } },
    { name: 'category', values: category === undefined ? [] : [category], only: { category } },
    { name: 'session', values: session === undefined ? [] : [session], only: { session } },
  ]
  return conditions.flatMap(({ only, ...named }) => (passesFilter(block, only) ? [] : [named]))
}
