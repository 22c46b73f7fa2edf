import { type BlockFacts, PassageFlag } from '../block/block.ts'
import { splitNames } from '../language/pack.ts'
import type { Match, Question, SourceIndex } from '../language/question.ts'
import type { BlockColumns, Filter, Vitals } from './blocks.ts'
import type { IndexParts } from './index-parts.ts'
import { RANKING, strength } from './strength.ts'
import type { Shares } from './words.ts'

/** A block has as many chances as it has passages: its rank is less by this for each e-fold of them. */
const CHANCE_LOSS = 0.03
/** Added to the rank of a standing instruction, which has few words of the situations that it is for. */
const STANDING_BONUS = 0.1
/** Added to the rank of a stated preference. */
const PREFERENCE_BONUS = 0.04
/** Neither brings a passage past this share of the best rank without them. */
const LIFTED_MOST = 0.95

/** Input of ranking, by slot. */
interface RankInput {
  /** End of the slots: all lie below it. */
  readonly slots: number
  /** Cosines after the session's window. */
  readonly cosines: Float32Array
  readonly shares: Omit<Shares, 'coverage'>
  /** Returns the bonus of a slot, besides its strength; may be negative. */
  readonly bonusOf: (slot: number) => number
  /** Upper limit of all bonuses. */
  readonly mostBonus: number
  /** Returns the amount by which a slot may rise, up to `LIFTED_MOST` of the best. */
  readonly liftOf: (slot: number) => number
  /** Returns the slot of the block; of each block the best slot is chosen. */
  readonly headOf: (slot: number) => number
  /** True if the slot may be chosen; asked only about slots that would be. */
  readonly allowed: (slot: number) => boolean
  /** True if, of two slots of equal rank, the first comes before the second. */
  readonly precedes: (slot: number, other: number) => boolean
}

/** A chosen slot with the absolute strength of its match and the rank that orders it. */
interface Ranked {
  readonly slot: number
  readonly strength: number
  readonly rank: number
  /** Part of the rank for an instruction or a preference. */
  readonly lift: number
  /** What it lost to look-alikes. */
  readonly lost: number
  /** What a name that it shares with a better one added: the amount, the slot that led to it, and the words of the name. */
  readonly gain?: { readonly amount: number; readonly from: number; readonly terms: readonly string[] }
}

/** Rounding may lift a mean over the greater of its two sides by less than this. */
const ROUNDING = 1e-6

/**
 * Returns the best blocks by rank, best first, each by its best slot. A pass for the best rank without lifts, and one for all; the mean
 * of cosine and words is computed only where its greater side could reach the best, since a mean never exceeds it.
 */
export function rankBlocks(count: number, input: RankInput): Ranked[] {
  const { slots, cosines, shares, bonusOf, liftOf, mostBonus, allowed, precedes, headOf } = input
  if (count === 0) return []
  const { raw, full } = shares
  const worth = full > 0 ? 1 / full : 0
  // A power mean is linear in one side when the other is 0, which it is for most blocks.
  const similarityAlone = strength(1, 0)
  const spare = mostBonus + ROUNDING
  /** Returns the strength of a slot; undefined if no rank of at least `least` could come of it. */
  const strengthFrom = (slot: number, least: number): number | undefined => {
    const words = (raw[slot] as number) * worth
    const cosine = Math.max(0, cosines[slot] as number)
    // Their sum alone rules out nearly all slots.
    if ((cosine + words) * similarityAlone < least - spare) return undefined
    if (cosine < least - spare && words < least - spare) return undefined
    return words === 0 ? cosine * similarityAlone : strength(cosine, shares.of(slot))
  }
  const best = bestRank(input, strengthFrom)
  const top = new Top(count, precedes, headOf)
  const found = new Map<number, Ranked>()
  for (let slot = 0; slot < slots; slot++) {
    const most = liftOf(slot)
    const own = strengthFrom(slot, top.least - most)
    if (own === undefined) continue
    const plain = Math.fround(own + bonusOf(slot))
    const rank = most > 0 ? Math.max(plain, Math.min(plain + most, LIFTED_MOST * best)) : plain
    if (!top.wants(slot, rank) || !allowed(slot)) continue
    found.set(slot, { slot, strength: own, rank, lift: rank - plain, lost: 0 })
    top.take(slot, rank)
  }
  return top.slots.map((slot) => found.get(slot) as Ranked)
}

/** Returns the best rank of the allowed slots without lifts. */
function bestRank(
  { slots, bonusOf, allowed }: RankInput,
  strengthFrom: (slot: number, least: number) => number | undefined,
): number {
  let best = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < slots; slot++) {
    const own = strengthFrom(slot, best)
    if (own === undefined) continue
    const rank = Math.fround(own + bonusOf(slot))
    if (rank > best && allowed(slot)) best = rank
  }
  return best
}

/** Lexical shares that differ by no more say the same: mostly they are full, and hold the same other words. */
const SAME_SHARE = 0.01

/** The input of a ranking, besides the index and the question. */
interface Ranking {
  readonly count: number
  readonly filter: Filter
  readonly cosines: Float32Array
  /** Cosines before the session's window. */
  readonly own: Float32Array
  readonly shares: Shares
  readonly sources: SourceIndex
}

/** The best matches for a question among slots whose cosines and words are known, best rank first. */
export function rankMatches(parts: IndexParts, question: Question, ranking: Ranking): Match[] {
  const { blocks, lexical, vectors } = parts
  const { count, filter, cosines, shares, sources } = ranking
  const bonuses = bonusesOf(question, parts, sources)
  const input: RankInput = {
    slots: cosines.length,
    cosines,
    shares,
    bonusOf: (slot) => bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot) + bonuses.chances(slot),
    mostBonus: bonuses.most,
    liftOf: bonuses.lift,
    allowed: blocks.rankable(filter),
    precedes: blocks.precedes,
    headOf: blocks.headOf,
  }
  const placed = withoutLookAlikes(rankBlocks(count, input), parts, ranking)
  return stepThroughNames(placed, { parts, question, count, input }).map(
    ({ slot, strength: own, rank, lift, lost, gain }) => ({
      facts: blocks.factsOf(blocks.headOf(slot)),
      strength: own,
      rank,
      cosine: cosines[slot] as number,
      ownCosine: (vectors.has(slot) ? ranking.own : cosines)[slot] as number,
      lexical: shares.of(slot),
      source: bonuses.source(slot),
      asks: bonuses.asks(slot),
      when: bonuses.when(slot),
      standing: lift,
      chances: bonuses.chances(slot),
      coverage: -lost,
      ...(blocks.partCount(slot) > 1 ? { passage: blocks.partsOf(blocks.headOf(slot)).indexOf(slot) } : {}),
      ...(gain ? { name: gain.amount, through: { block: blocks.idOf(gain.from), terms: gain.terms } } : {}),
      ...(lexical.notes.says(slot, question.terms) ? { isNoted: true as const } : {}),
    }),
  )
}

/** Number of the best that are compared with each other. */
const LOOKED_AT = 24

/**
 * Returns the chosen in their order after each lost to those that look like it and have more of the question's own words:
 * penalty · (m² − c²), where c is its coverage and m the greatest of those alike. Nothing gains by it, so that no chance word
 * brings a block forward. Cost: a comparison for each two of the first 24.
 */
function withoutLookAlikes(
  ranked: readonly Ranked[],
  { vectors }: IndexParts,
  { shares }: Ranking,
): readonly Ranked[] {
  /** Where their words say the same of two, cosines tell whether it is the same sentence; without vectors nothing else does. */
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

/** Least number of blocks of a store where names lead on: among fewer, a name that few of them have is not rare. */
const FEWEST_FOR_NAMES = 50

/** A name that this many blocks hold may lead on in any store. */
const FEWEST_HOLDERS = 3
/** A name may stand in this many passages of each block that it leads to. */
const PASSAGES_MOST = 4

/** The best name that leads to a block. */
interface Link {
  /** The slot by which the block is ranked. */
  readonly slot: number
  readonly terms: readonly string[]
  /** Rarity of the name, 0..1. */
  readonly worth: number
}

/** The question of a second step, and what is known before it. */
interface NameStep {
  readonly parts: IndexParts
  readonly question: Question
  readonly count: number
  readonly input: RankInput
}

/**
 * Returns the chosen with those that names lead to, again as many as wanted. The names of the best match that the question does not give
 * lead to the blocks that share them, as far as these have no words of neighbours. A gain brings no block past the cap times the rank
 * of the best. No content is read.
 *
 *     gain(b) = min(r(b) + throughNames · lone(b) · λ(b) · v(b), cap · r(1)) − r(b)
 *     v(b)    = ln(1 + (N − h + ½)/(h + ½)) / ln(1 + N)     the best of all names
 *
 * where h, 2 to max(3, share · N), is the number of blocks that hold all words of the name.
 */
function stepThroughNames(placed: readonly Ranked[], step: NameStep): readonly Ranked[] {
  const { blocks, lexical, vectors } = step.parts
  const { count, input } = step
  const [best] = placed
  if (best === undefined || best.rank <= 0 || blocks.size < FEWEST_FOR_NAMES) return placed
  const known = new Map(placed.map((each) => [each.slot, each]))
  const least = placed.length < count ? Number.NEGATIVE_INFINITY : (placed.at(-1)?.rank ?? 0)
  const brought = new Map<number, Ranked>()
  for (const { slot, terms, worth } of linksFrom(best, placed, step)) {
    // Without a vector nothing tells if neighbours are related.
    const lone = vectors.has(slot) ? lexical.loneliness(slot, RANKING.lentEnough, blocks.headOf) : 0
    const amount = RANKING.throughNames * lone * lexical.wordShare(slot) * worth
    const found = known.get(slot) ?? rankedAt(slot, input)
    const rank = Math.min(found.rank + amount, RANKING.throughNamesCap * best.rank)
    if (rank <= found.rank || rank <= least || !(known.has(slot) || input.allowed(slot))) continue
    const gain = { amount: rank - found.rank, from: best.slot, terms }
    brought.set(slot, { ...found, rank, gain })
  }
  if (brought.size === 0) return placed
  return [...placed.filter(({ slot }) => !brought.has(slot)), ...brought.values()]
    .sort((one, other) => other.rank - one.rank || (input.precedes(one.slot, other.slot) ? -1 : 1))
    .slice(0, count)
}

/** Returns the rarest name that leads from the best match to each other block. */
function linksFrom(best: Ranked, placed: readonly Ranked[], step: NameStep): Iterable<Link> {
  const { blocks, lexical, names } = step.parts
  const { headOf } = blocks
  const asked = new Set(step.question.terms)
  const most = Math.max(FEWEST_HOLDERS, Math.floor(RANKING.throughNamesShare * blocks.size))
  const slotOf = new Map(placed.map(({ slot }) => [headOf(slot), slot]))
  const links = new Map<number, Link>()
  for (const terms of splitNames(names.of(best.slot))) {
    if (terms.every((term) => asked.has(term))) continue
    const slots = lexical.own.holding(terms, most * PASSAGES_MOST) ?? []
    // Two names may stand in two passages of a block, which is one entry.
    const holders = new Map(slots.map((slot) => [headOf(slot), slot]))
    if (holders.size < 2 || holders.size > most) continue
    const worth = rarity(holders.size, blocks.size)
    for (const [head, slot] of holders) {
      const link = links.get(head)
      if (head === headOf(best.slot) || worth <= (link?.worth ?? 0)) continue
      links.set(head, { slot: slotOf.get(head) ?? link?.slot ?? slot, terms, worth })
    }
  }
  return links.values()
}

/** Returns the rarity of a name by the number of blocks that hold it, 0..1: its idf as a share of the greatest possible one. */
function rarity(holders: number, blocks: number): number {
  return Math.log(1 + (blocks - holders + 0.5) / (holders + 0.5)) / Math.log(1 + blocks)
}

/** Strength and rank of any slot by the question alone. */
function rankedAt(slot: number, { cosines, shares, bonusOf }: RankInput): Ranked {
  const own = strength(Math.max(0, cosines[slot] as number), shares.of(slot))
  return { slot, strength: own, rank: Math.fround(own + bonusOf(slot)), lift: 0, lost: 0 }
}

/** The bonuses of a question for each slot, besides similarity and words; may be negative. */
interface Bonuses {
  source(slot: number): number
  asks(slot: number): number
  when(slot: number): number
  /** Deduction for the many chances of a block of many passages, at most 0. */
  chances(slot: number): number
  /** The amount by which a slot may rise, see `LIFTED_MOST`. */
  lift(slot: number): number
  /** Upper limit of the sum for a slot, without the lift. */
  readonly most: number
}

const nothing = () => 0
const LIFTED = PassageFlag.standing | PassageFlag.prefers

function bonusesOf(
  { text, asksWhen }: Question,
  { blocks, flags }: IndexParts,
  sources: SourceIndex,
): Bonuses {
  const { sourceWeight, questionPenalty, whenBonus } = RANKING
  const mentions = sources.mentions(text)
  const bits = flags.values
  const has = (slot: number, flag: number) => ((bits[slot] as number) & flag) !== 0
  return {
    source: mentions ? (slot) => sourceWeight * (mentions[blocks.sourceOf(slot)] ?? 0) : nothing,
    asks: (slot) => (has(slot, PassageFlag.asks) ? -questionPenalty : 0),
    when: asksWhen ? (slot) => (has(slot, PassageFlag.timed) ? whenBonus : 0) : nothing,
    chances: (slot) => {
      const count = blocks.partCount(slot)
      return count === 1 ? 0 : -CHANCE_LOSS * Math.log(count)
    },
    lift: (slot) => {
      if (!has(slot, LIFTED)) return 0
      return has(slot, PassageFlag.standing) ? STANDING_BONUS : PREFERENCE_BONUS
    },
    most: (mentions ? sourceWeight : 0) + (asksWhen ? whenBonus : 0),
  }
}

/**
 * Returns the slots of the `count` blocks with the greatest score among those that pass, best first; all of
 * them when there are no more. Cost: two passes.
 *
 * @param scoreOf gets how often the most reinforced of them was
 * @returns their slots
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

/** The slots of the highest values offered so far, best first. Cost of an offer: hardly anything below `least`. */
class Top {
  readonly #count: number
  readonly #precedes: (slot: number, other: number) => boolean
  readonly #groupOf: ((slot: number) => number) | undefined
  readonly #slots: number[] = []
  readonly #values: number[] = []

  /**
   * @param precedes of equal values, whether the first slot comes before the second
   * @param groupOf of each group only the best slot is kept; each slot is its own group unless given
   */
  constructor(
    count: number,
    precedes: (slot: number, other: number) => boolean,
    groupOf?: (slot: number) => number,
  ) {
    this.#count = count
    this.#precedes = precedes
    this.#groupOf = groupOf
  }

  /** A value below it is not among the best. */
  least = Number.NEGATIVE_INFINITY

  get slots(): readonly number[] {
    return this.#slots
  }

  get values(): readonly number[] {
    return this.#values
  }

  /** True if the slot would be among the best with this value. */
  wants(slot: number, value: number): boolean {
    if (value !== this.least) return value > this.least
    return this.#slots.length < this.#count || this.#precedes(slot, this.#slots[this.#count - 1] as number)
  }

  /** Takes in a slot that is wanted. */
  take(slot: number, value: number): void {
    if (this.#groupOf !== undefined && !this.#makeWay(this.#groupOf(slot), slot, value)) return
    let at = this.#slots.length
    while (at > 0 && this.#isBefore(slot, value, at - 1)) at--
    this.#slots.splice(at, 0, slot)
    this.#values.splice(at, 0, value)
    if (this.#slots.length > this.#count) {
      this.#slots.pop()
      this.#values.pop()
    }
    if (this.#slots.length === this.#count) this.least = this.#values[this.#count - 1] as number
  }

  /** Removes a worse slot of the group; false if a better one is there. */
  #makeWay(group: number, slot: number, value: number): boolean {
    const at = this.#slots.findIndex((other) => this.#groupOf?.(other) === group)
    if (at < 0) return true
    if (!this.#isBefore(slot, value, at)) return false
    this.#slots.splice(at, 1)
    this.#values.splice(at, 1)
    return true
  }

  #isBefore(slot: number, value: number, at: number): boolean {
    const other = this.#values[at] as number
    return value === other ? this.#precedes(slot, this.#slots[at] as number) : value > other
  }
}

/** A block that is compared with those of its scope; of no scope when it has none. */
export interface Compared extends Pick<BlockFacts, 'scope'> {
  readonly vector: Float32Array
  readonly session?: string
  readonly tags?: readonly string[]
}

/** Arguments of `nearestBlocks`. */
export interface NearestOptions {
  /** Most that are returned for being like it, and most for being like it and kin. */
  readonly count: number
  /** Cosine from which on a block is near. */
  readonly floor: number
  /** Cosine from which on kin are near: blocks that share the session or a tag. `floor` unless given. */
  readonly kinFloor?: number
}

/** A block near another one. */
export interface Near {
  readonly id: string
  /** Cosine of the two contents. */
  readonly cosine: number
  /** True if they share the session or a tag. */
  readonly isKin: boolean
}

/** A block while those near it are looked for. */
interface Looked {
  readonly near: Top
  readonly kin: Top
  readonly isAllowed: (slot: number) => boolean
  readonly isKin: (slot: number) => boolean
}

/**
 * Returns for each block the `count` most similar active ones of its scope at or above `floor`, and the `count` most similar kin at or
 * above `kinFloor`, best first. One pass over all vectors, which calls back only for those that may still be among the most similar.
 */
export function nearestBlocks(
  parts: IndexParts,
  asked: readonly Compared[],
  { count, floor, kinFloor = floor }: NearestOptions,
): Near[][] {
  const { blocks, vectors } = parts
  const looked = asked.map(
    (each): Looked => ({
      near: new Top(count, blocks.precedes),
      kin: new Top(count, blocks.precedes),
      isAllowed: blocks.inScope(each.scope),
      isKin: kinTest(parts, each),
    }),
  )
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

/** Returns a test for slots in use that share the block's session or a tag. Each combination of tags is judged once. */
function kinTest(
  { blocks, chains }: IndexParts,
  { scope, session, tags = [] }: Compared,
): (slot: number) => boolean {
  const chain = session === undefined ? undefined : blocks.chainOf({ session, ...(scope && { scope }) })
  const own = new Set(tags)
  const known = new Map<readonly string[], boolean>()
  return (slot) => {
    if (chains.sessionOf(blocks.partsOf(slot)[0] as number) === chain) return true
    if (own.size === 0) return false
    const others = blocks.tagsOf(slot)
    const judged = known.get(others) ?? others.some((tag) => own.has(tag))
    known.set(others, judged)
    return judged
  }
}
