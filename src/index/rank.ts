import { type BlockFacts, PassageFlag } from '../block/block.ts'
import { splitNames } from '../language/pack.ts'
import type { Question, SourceIndex } from '../language/question.ts'
import type { BlockColumns, Filter, Vitals } from './blocks.ts'
import { RANKING, type SessionChains } from './chains.ts'
import type { Column, VectorMatrix } from './columns.ts'
import type { LexicalIndex, Shares } from './words.ts'

/** The parts of a resident index number blocks and passages by the same slots. */
export interface IndexParts {
  readonly blocks: BlockColumns
  readonly chains: SessionChains
  readonly lexical: LexicalIndex
  /** The names in the text of each slot, as `joinNames` returns them. */
  readonly names: string[]
  readonly vectors: VectorMatrix
  /** The `PassageFlag`s of each slot. */
  readonly flags: Column<Uint8Array<ArrayBuffer>>
}

/**
 * Returns how well a block answers a question, absolute, 0..1: the power mean ((max(0, c)^p + l^p) / 2)^(1/p) of its cosine and
 * its lexical share (docs/retrieval.md; p = 1.5 lets one strong side carry more than the plain mean).
 */
function strength(cosine: number, lexical: number, power = RANKING.powerMean): number {
  const dense = Math.min(1, Math.max(0, cosine))
  return ((dense ** power + lexical ** power) / 2) ** (1 / power)
}

/** A match is a block found for a question, with every term of its rank. */
export interface Match {
  readonly facts: BlockFacts
  /** Match strength, 0..1; comparable only within a store, because the best of more blocks is stronger by chance. */
  readonly strength: number
  /** The value that orders matches: strength + source + asks + when + standing + chances + coverage, and name if present. */
  readonly rank: number
  /** Cosine after the session's window, -1..1. */
  readonly cosine: number
  /** Cosine without the session's window; for a block that waits for a vector, the one that its words suggest. */
  readonly ownCosine: number
  /** Lexical share, 0..1. */
  readonly lexical: number
  readonly source: number
  readonly asks: number
  readonly when: number
  /** Gain of a standing instruction or a preference, at least 0. */
  readonly standing: number
  /** Loss of a block of several passages, at most 0. */
  readonly chances: number
  /** Loss to a look-alike block that has more of the question's words; at most 0. */
  readonly coverage: number
  /** Gain by a name that it shares with a better match and the question does not give; absent if there is no such name. */
  readonly name?: number
  /** The id of the better match with the same name; only with `name`. */
  readonly through?: string
  /** The number of the best passage, from 0 (`passagesOf` of the content); absent for a block of one passage. */
  readonly passage?: number
  /** True if the note of an edge of the block has words of the question. */
  readonly isNoted?: true
}

/** The input of a ranking, besides the index and the question. */
interface Ranking {
  readonly count: number
  readonly filter: Filter
  /** Cosines after the session's window. */
  readonly cosines: Float32Array
  /** Cosines before the session's window. */
  readonly own: Float32Array
  readonly shares: Shares
  readonly sources: SourceIndex
}

/** A chosen slot with the absolute strength of its match and the rank that orders it. */
interface Ranked {
  readonly slot: number
  readonly strength: number
  readonly rank: number
  /** Gain of an instruction or a preference, which is part of the rank. */
  readonly lift: number
  /** Loss to look-alikes. */
  readonly lost: number
  /** Gain by a name shared with a better match: its amount, the slot of that match, and the words of the name. */
  readonly gain?: { readonly amount: number; readonly from: number }
}

/** The input and the state of a ranking. */
interface Round extends Ranking {
  readonly parts: IndexParts
  readonly question: Question
  readonly bonuses: Bonuses
  /** Returns true if a slot may be chosen. */
  readonly allowed: (slot: number) => boolean
}

/** Returns the best matches for a question from slots with known cosines and word shares, best rank first. */
export function rankMatches(parts: IndexParts, question: Question, ranking: Ranking): Match[] {
  const { blocks, lexical, vectors } = parts
  const { cosines, shares, own } = ranking
  const bonuses = bonusesOf(question, parts, ranking.sources)
  const round: Round = { ...ranking, parts, question, bonuses, allowed: blocks.rankable(ranking.filter) }
  const placed = withoutLookAlikes(bestSlots(round), parts, ranking)
  return stepThroughNames(placed, round).map(({ slot, strength, rank, lift, lost, gain }) => ({
    facts: blocks.factsOf(blocks.headOf(slot)),
    strength,
    rank,
    cosine: cosines[slot] as number,
    ownCosine: (vectors.has(slot) ? own : cosines)[slot] as number,
    lexical: shares.of(slot),
    source: bonuses.source(slot),
    asks: bonuses.asks(slot),
    when: bonuses.when(slot),
    standing: lift,
    chances: bonuses.chances(slot),
    coverage: -lost,
    ...(blocks.partCount(slot) > 1 ? { passage: blocks.partsOf(blocks.headOf(slot)).indexOf(slot) } : {}),
    ...(gain ? { name: gain.amount, through: blocks.idOf(gain.from) } : {}),
    ...(lexical.notes.says(slot, question.terms) ? { isNoted: true as const } : {}),
  }))
}

/** Returns the strength of a slot, and its rank without a gain of a standing instruction or preference. */
function plainRank(slot: number, { cosines, shares, bonuses }: Round): { strength: number; rank: number } {
  const own = strength(cosines[slot] as number, shares.of(slot))
  const { source, asks, when, chances } = bonuses
  const bonus = source(slot) + asks(slot) + when(slot) + chances(slot)
  return { strength: own, rank: Math.fround(own + bonus) }
}

/**
 * Returns the best blocks by rank, best first, each by its best slot. One pass, which computes the mean of cosine and words only if the
 * rank could be among the best. A lift brings no slot past .95 of the best rank without lifts.
 */
function bestSlots(round: Round): Ranked[] {
  const { parts, count, cosines, shares, bonuses, allowed } = round
  const { precedes, headOf } = parts.blocks
  if (count === 0) return []
  const worth = shares.full > 0 ? 1 / shares.full : 0
  // The mean of both sides is at most the greater side, and at most their sum times the mean of 1 and 0.
  const half = strength(1, 0)
  const top = new Top(count, precedes, headOf)
  const found = new Map<number, Ranked>()
  let best = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < cosines.length; slot++) {
    const most = bonuses.standing(slot)
    const least = top.least - most - bonuses.most
    const cosine = Math.max(0, cosines[slot] as number)
    const words = (shares.raw[slot] as number) * worth
    if ((cosine + words) * half < least || (cosine < least && words < least)) continue
    const plain = plainRank(slot, round)
    if (!top.wants(slot, plain.rank + most) || !allowed(slot)) continue
    best = Math.max(best, plain.rank)
    found.set(slot, { slot, ...plain, lift: most, lost: 0 })
    top.take(slot, plain.rank + most)
  }
  return top.slots
    .map((slot) => {
      const { lift: most, ...plain } = found.get(slot) as Ranked
      const lift = Math.max(0, Math.min(most, 0.95 * best - plain.rank))
      return { ...plain, rank: plain.rank + lift, lift }
    })
    .sort((one, other) => other.rank - one.rank)
}

/** Greatest difference of the lexical shares of two look-alikes; mostly both shares are full. */
const SAME_SHARE = 0.01

/** Number of the best matches that are compared with each other. */
const LOOKED_AT = 24

/**
 * Returns the chosen slots in their new order, after each has lost to look-alikes that have more of the question's own words:
 * penalty · (m² − c²), where c is its coverage and m the greatest coverage of its look-alikes. No slot gains, so that no chance word
 * brings a block forward. Cost: a comparison for each two of the first 24.
 */
function withoutLookAlikes(
  ranked: readonly Ranked[],
  { vectors }: IndexParts,
  { shares }: Ranking,
): readonly Ranked[] {
  /** Returns true if two slots look alike: equal lexical shares, and similar vectors if both have one. */
  const isAlike = (one: number, other: number) =>
    Math.abs(shares.of(one) - shares.of(other)) <= SAME_SHARE &&
    !(vectors.has(one) && vectors.has(other) && vectors.between(one, other) < RANKING.lookAlikeCosine)
  const best = ranked.slice(0, LOOKED_AT).map(({ slot }) => ({ slot, coverage: shares.coverage(slot) ** 2 }))
  return ranked
    .map((each, place) => {
      const own = best[place]?.coverage ?? 0
      const alike = best.filter(
        (other) => place < LOOKED_AT && other.coverage > own && isAlike(each.slot, other.slot),
      )
      const most = Math.max(own, ...alike.map(({ coverage }) => coverage))
      const lost = RANKING.lookAlikePenalty * (most - own)
      return { ...each, rank: each.rank - lost, lost }
    })
    .sort((one, other) => other.rank - one.rank)
}

/** The greatest number of passages of each block in which a name that leads to the block may stand. */
const PASSAGES_MOST = 4

/** The best name that leads from the best match to a block. */
interface Link {
  /** The slot by which the block is ranked. */
  readonly slot: number
  /** Rarity of the name, 0..1. */
  readonly worth: number
}

/**
 * Returns the best of the chosen slots and of the blocks to which names lead. Names of the best match that the question does not give
 * lead to the blocks that share them, the more the fewer words their neighbours lend. A gain brings no block past the cap times the
 * rank of the best match. No content is read.
 *
 *     gain(b) = min(r(b) + throughNames · lone(b) · λ(b) · v(b), cap · r(1)) − r(b)
 *     v(b)    = ln(1 + (N − h + ½)/(h + ½)) / ln(1 + N)     the best of all names
 *
 * where h, 2 to max(3, share · N), is the number of blocks that have all words of the name.
 */
function stepThroughNames(placed: readonly Ranked[], round: Round): readonly Ranked[] {
  const { count, allowed } = round
  const { blocks, lexical, vectors } = round.parts
  const [best] = placed
  if (best === undefined || best.rank <= 0 || blocks.size < RANKING.fewestBlocks) return placed
  const all = new Map(placed.map((each) => [each.slot, each]))
  for (const { slot, worth } of linksFrom(best, placed, round)) {
    // Without a vector it is unknown if neighbours are related.
    const lone = vectors.has(slot) ? lexical.loneliness(slot, blocks.headOf) : 0
    const amount = RANKING.throughNames * lone * lexical.wordShare(slot) * worth
    const found = all.get(slot) ?? { slot, ...plainRank(slot, round), lift: 0, lost: 0 }
    const rank = Math.min(found.rank + amount, RANKING.throughNamesCap * best.rank)
    if (rank <= found.rank || !(all.has(slot) || allowed(slot))) continue
    all.set(slot, { ...found, rank, gain: { amount: rank - found.rank, from: best.slot } })
  }
  return [...all.values()]
    .sort((one, other) => other.rank - one.rank || (blocks.precedes(one.slot, other.slot) ? -1 : 1))
    .slice(0, count)
}

/** Returns for each other block the rarest name that leads from the best match to it. */
function linksFrom(best: Ranked, placed: readonly Ranked[], { parts, question }: Round): Iterable<Link> {
  const { blocks, lexical, names } = parts
  const { headOf, size } = blocks
  const asked = new Set(question.terms)
  const most = Math.max(3, Math.floor(RANKING.throughNamesShare * size))
  const slotOf = new Map(placed.map(({ slot }) => [headOf(slot), slot]))
  const links = new Map<number, Link>()
  const unasked = splitNames(names[best.slot] ?? '').filter((name) => name.some((term) => !asked.has(term)))
  for (const terms of unasked) {
    const slots = lexical.own.holding(terms, most * PASSAGES_MOST) ?? []
    // A name may stand in two passages of a block, which counts once.
    const holders = new Map(slots.map((slot) => [headOf(slot), slot]))
    if (holders.size < 2 || holders.size > most) continue
    const worth = Math.log(1 + (size - holders.size + 0.5) / (holders.size + 0.5)) / Math.log(1 + size)
    holders.delete(headOf(best.slot))
    for (const [head, slot] of holders) {
      const link = links.get(head)
      if (worth > (link?.worth ?? 0)) links.set(head, { slot: slotOf.get(head) ?? link?.slot ?? slot, worth })
    }
  }
  return links.values()
}

/** The bonuses of slots for a question, besides similarity and words; some are below 0. */
interface Bonuses {
  source(slot: number): number
  asks(slot: number): number
  when(slot: number): number
  /** Returns the deduction from a block of several passages, since one of many matches by chance; at most 0. */
  chances(slot: number): number
  /** Returns the most that an instruction or a preference may gain, which shares few words with the situations that it is for. */
  standing(slot: number): number
  /** Upper limit of the sum of all bonuses but `standing`. */
  readonly most: number
}

function bonusesOf(
  { text, asksWhen }: Question,
  { blocks, flags }: IndexParts,
  sources: SourceIndex,
): Bonuses {
  const { sourceWeight, questionPenalty, whenBonus, chanceLoss, standingBonus, preferenceBonus } = RANKING
  const mentions = sources.mentions(text)
  const has = (slot: number, flag: number) => ((flags.values[slot] as number) & flag) !== 0
  return {
    source: (slot) => (mentions ? sourceWeight * (mentions[blocks.sourceOf(slot)] ?? 0) : 0),
    asks: (slot) => (has(slot, PassageFlag.asks) ? -questionPenalty : 0),
    when: (slot) => (asksWhen && has(slot, PassageFlag.timed) ? whenBonus : 0),
    chances: (slot) => {
      const count = blocks.partCount(slot)
      return count === 1 ? 0 : -chanceLoss * Math.log(count)
    },
    // Rounding may lift a rank by less than a millionth.
    most: (mentions ? sourceWeight : 0) + (asksWhen ? whenBonus : 0) + 1e-6,
    standing: (slot) =>
      has(slot, PassageFlag.standing) ? standingBonus : has(slot, PassageFlag.prefers) ? preferenceBonus : 0,
  }
}

/**
 * Returns the slots of the `count` blocks with the greatest score among those that pass, best first; all of
 * them if there are no more. Cost: two passes.
 *
 * @param scoreOf also gets the greatest reinforcement count of these blocks
 */
export function likeliestSlots(
  blocks: BlockColumns,
  { filter, count }: { readonly filter: Filter; readonly count: number },
  scoreOf: (vitals: Vitals, mostReinforced: number) => number,
): readonly number[] {
  const passes = blocks.passing(filter)
  const slots: number[] = []
  let mostReinforced = 0
  for (let slot = 0; slot < blocks.end; slot++) {
    if (!passes(slot)) continue
    slots.push(slot)
    mostReinforced = Math.max(mostReinforced, blocks.reinforcementsOf(slot))
  }
  const top = new Top(count, blocks.precedes)
  for (const slot of slots) {
    const score = Math.fround(scoreOf(blocks.vitalsOf(slot), mostReinforced))
    if (score >= top.least && top.wants(slot, score)) top.take(slot, score)
  }
  return top.slots
}

/** This class keeps the slots of the highest values offered so far, best first. An offer below `least` costs hardly anything. */
class Top {
  readonly #count: number
  readonly #precedes: (slot: number, other: number) => boolean
  readonly #groupOf: (slot: number) => number
  readonly slots: number[] = []
  readonly values: number[] = []
  /** A slot with a lower value is not among the best. */
  least = Number.NEGATIVE_INFINITY

  /**
   * @param precedes returns true if the first of two slots with equal values comes first
   * @param groupOf returns the group of a slot, of which only the best slot is kept; by default each slot is its own group
   */
  constructor(
    count: number,
    precedes: (slot: number, other: number) => boolean,
    groupOf = (slot: number) => slot,
  ) {
    this.#count = count
    this.#precedes = precedes
    this.#groupOf = groupOf
  }

  /** Returns true if a slot with a value would be among the best. */
  wants(slot: number, value: number): boolean {
    return this.slots.length < this.#count || this.#isBefore(slot, value, this.#count - 1)
  }

  /** Takes in a wanted slot, unless a better slot of its group is there. */
  take(slot: number, value: number): void {
    const group = this.#groupOf(slot)
    const known = this.slots.findIndex((other) => this.#groupOf(other) === group)
    if (known >= 0 && !this.#isBefore(slot, value, known)) return
    if (known >= 0) this.#remove(known)
    let at = this.slots.length
    while (at > 0 && this.#isBefore(slot, value, at - 1)) at--
    this.slots.splice(at, 0, slot)
    this.values.splice(at, 0, value)
    if (this.slots.length > this.#count) this.#remove(this.#count)
    if (this.slots.length === this.#count) this.least = this.values[this.#count - 1] as number
  }

  #remove(at: number): void {
    this.slots.splice(at, 1)
    this.values.splice(at, 1)
  }

  #isBefore(slot: number, value: number, at: number): boolean {
    const other = this.values[at] as number
    return value === other ? this.#precedes(slot, this.slots[at] as number) : value > other
  }
}

/** A compared block is compared with blocks of its scope, or with those without a scope if it has none. */
export interface Compared extends Pick<BlockFacts, 'scope'> {
  readonly vector: Float32Array
  readonly session?: string
  readonly tags?: readonly string[]
}

/** These options say which blocks `nearestBlocks` returns. */
export interface NearestOptions {
  /** The greatest number of returned blocks that are near, and most that are near kin. */
  readonly count: number
  /** Cosine from which a block is near. */
  readonly floor: number
  /** Cosine from which kin, blocks with the same session or a common tag, are near; `floor` unless given. */
  readonly kinFloor?: number
}

/** A near block is similar to another one. */
export interface Near {
  readonly id: string
  /** Cosine of the two contents. */
  readonly cosine: number
  /** True if both share the session or a tag. */
  readonly isKin: boolean
}

/**
 * Returns for each block the `count` most similar active blocks of its scope at or above `floor`, and the `count` most similar kin at or
 * above `kinFloor`, best first. One pass over all vectors, which calls back only for candidates.
 */
export function nearestBlocks(
  parts: IndexParts,
  asked: readonly Compared[],
  { count, floor, kinFloor = floor }: NearestOptions,
): Near[][] {
  const { blocks, vectors } = parts
  const looked = asked.map((each) => ({
    near: new Top(count, blocks.precedes),
    kin: new Top(count, blocks.precedes),
    isAllowed: blocks.inScope(each.scope),
    isKin: kinTest(parts, each),
  }))
  type Looked = (typeof looked)[number]
  const floorOf = (query: number) => {
    const { near, kin } = looked[query] as Looked
    return Math.min(Math.max(floor, near.least), Math.max(kinFloor, kin.least))
  }
  vectors.eachAbove(
    asked.map(({ vector }) => vector),
    { slots: blocks.end, floorOf },
    (query, slot, cosine) => {
      const { near, kin, isAllowed, isKin } = looked[query] as Looked
      const isNear = cosine >= floor && near.wants(slot, cosine)
      const mayBeKin = cosine >= kinFloor && kin.wants(slot, cosine)
      if (!(isNear || mayBeKin) || !isAllowed(slot)) return
      if (isNear) near.take(slot, cosine)
      if (mayBeKin && isKin(slot)) kin.take(slot, cosine)
    },
  )
  return looked.map(({ near, kin, isKin }) => {
    const all = new Map([near, kin].flatMap(({ slots, values }) => slots.map((slot, i) => [slot, values[i]])))
    const nearest = [...all].map(([slot, cosine]) => ({ slot, cosine: cosine as number }))
    return nearest
      .sort((a, b) => b.cosine - a.cosine || (blocks.precedes(a.slot, b.slot) ? -1 : 1))
      .map(({ slot, cosine }) => ({ id: blocks.idOf(slot), cosine, isKin: isKin(slot) }))
  })
}

/** Returns a test for slots in use: true if the slot shares the block's session or a tag. */
function kinTest(
  { blocks, chains }: IndexParts,
  { scope, session, tags = [] }: Compared,
): (slot: number) => boolean {
  const chain = session === undefined ? undefined : blocks.chainOf({ session, ...(scope && { scope }) })
  const own = new Set(tags)
  return (slot) =>
    chains.sessionOf(blocks.partsOf(slot)[0] as number) === chain ||
    blocks.tagsOf(slot).some((tag) => own.has(tag))
}

/** Match evidence is the part of a result that tells whether the answer to a question is there. */
export interface MatchEvidence {
  /** Cosine of the strongest match, on the scale of the constants. */
  readonly cosine: number
  /** Lexical share of the strongest match, 0..1. */
  readonly lexical: number
  /** Strength of the strongest match, 0..1. */
  readonly strength: number
  /** Strength of the second match; 0 if there is none. */
  readonly runnerUp: number
  /** Number of blocks that could have matched; the best of more blocks is stronger by chance. */
  readonly blocks: number
}

/** These constants weigh the evidence in log-odds; only `intercept` may be below 0. */
export interface ProbabilityConstants {
  readonly intercept: number
  readonly cosine: number
  readonly lexical: number
  /** Weight of the lead of the strongest match: strength − runnerUpShare · runnerUp. */
  readonly standsOut: number
  /** Share of the second match's strength in the lead, 0..1. */
  readonly runnerUpShare: number
  /** Loss for each e-fold of blocks. */
  readonly size: number
}

/**
 * Returns the probability that a question found its answer, 0..1, comparable across questions and stores of every size: logistic in
 * cosine, lexical share, lead of the strongest match, and the logarithm of the number of blocks (docs/retrieval.md).
 */
export function probabilityOf(
  { cosine, lexical, strength, runnerUp, blocks }: MatchEvidence,
  constants: ProbabilityConstants,
): number {
  const logOdds =
    constants.intercept +
    constants.cosine * cosine +
    constants.lexical * lexical +
    constants.standsOut * (strength - constants.runnerUpShare * runnerUp) -
    constants.size * Math.log(Math.max(1, blocks))
  return 1 / (1 + Math.exp(-logOdds))
}

/**
 * Returns the probability that a match is the block that a description means, 0..1: the probability that the answer is there, times
 * tanh of the match's lead over the runner-up. Of two equal matches neither is meant.
 *
 * @param fullMargin share by which a match must lead its runner-up to lose no more than a quarter; above 0
 */
export function meantProbability(
  evidence: MatchEvidence,
  constants: ProbabilityConstants,
  fullMargin: number,
): number {
  const { strength, runnerUp } = evidence
  const lead = strength > 0 ? Math.max(0, 1 - runnerUp / strength) : 0
  return probabilityOf(evidence, constants) * Math.tanh(lead / fullMargin)
}

/**
 * Returns the scale that stretches the strengths of a pool to floor..1: the best becomes 1, the last `floor` (docs/benchmarks.md,
 * learning). A single strength, or equal ones, become 1. `slope` is the similarity for a unit of match strength, and `of` returns the
 * similarity of a strength, from the pool or not.
 */
export function rankScale(strengths: readonly number[], floor = 0.4) {
  const [low, high] = [Math.min(...strengths), Math.max(...strengths)]
  const range = high - low
  if (!(range > 0))
    return { slope: 1, of: (strength: number) => Math.min(1, Math.max(0, 1 + strength - low)) }
  const of = (strength: number) => Math.min(1, Math.max(0, floor + (1 - floor) * ((strength - low) / range)))
  return { slope: (1 - floor) / range, of }
}
