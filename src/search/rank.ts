import { strength } from '../domain/score/score.ts'
import type { BlockColumns, Vitals } from './index/block-columns.ts'
import type { Filter } from './index/filter.ts'
import { ASKS, type IndexParts, type RankingOptions, TIMED } from './index/index-parts.ts'
import type { Shares } from './index/lexical-index.ts'
import type { Match, Question, SourceIndex } from './question.ts'

/** Input of ranking, by slot. */
interface RankInput {
  /** End of the slots: all lie below it. */
  readonly slots: number
  /** Cosines after the session's window. */
  readonly cosines: Float32Array
  readonly shares: Omit<Shares, 'coverage'>
  /** Exponent of the power mean of the two. */
  readonly power: number
  /** Returns the bonus of a slot, besides its strength; may be negative. */
  readonly bonusOf: (slot: number) => number
  /** Upper limit of all bonuses. */
  readonly mostBonus: number
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
}

/** Rounding may lift a mean over the greater of its two sides by less than this. */
const ROUNDING = 1e-6

/**
 * The best slots by strength and bonus, best first. One pass; the mean of cosine and words is computed only where its
 * greater side could reach the best, since a mean never exceeds it.
 */
export function rankBlocks(count: number, input: RankInput): Ranked[] {
  const { slots, cosines, shares, power, bonusOf, mostBonus, allowed, precedes } = input
  if (count === 0) return []
  const top = new Top(count, precedes)
  const strengths = new Map<number, number>()
  const { raw, full } = shares
  const worth = full > 0 ? 1 / full : 0
  // A power mean is linear in one side when the other is 0, which it is for most blocks.
  const similarityAlone = strength(1, 0, power)
  for (let slot = 0; slot < slots; slot++) {
    const words = (raw[slot] as number) * worth
    const cosine = Math.max(0, cosines[slot] as number)
    const most = words === 0 ? cosine * similarityAlone : Math.max(cosine, words)
    if (most + mostBonus + ROUNDING < top.least) continue
    const own = words === 0 ? most : strength(cosine, shares.of(slot), power)
    const rank = Math.fround(own + bonusOf(slot))
    if (rank < top.least || !top.wants(slot, rank) || !allowed(slot)) continue
    strengths.set(slot, own)
    top.take(slot, rank)
  }
  return top.slots.map((slot, i) => ({
    slot,
    strength: strengths.get(slot) as number,
    rank: top.values[i] as number,
  }))
}

/** Lexical shares that differ by no more say the same: mostly they are full, and hold the same other words. */
const SAME_SHARE = 0.01

/** The best matches for a question among slots whose cosines and words are known, best rank first. */
export function rankMatches(
  parts: IndexParts,
  question: Question,
  {
    count,
    filter,
    cosines,
    shares,
    sources,
    options,
  }: {
    readonly count: number
    readonly filter: Filter
    readonly cosines: Float32Array
    readonly shares: Shares
    readonly sources: SourceIndex
    readonly options: RankingOptions
  },
): Match[] {
  const { blocks, vectors } = parts
  const bonuses = bonusesOf(question, parts, sources, options)
  const ranked = rankBlocks(count, {
    slots: cosines.length,
    cosines,
    shares,
    power: options.powerMean,
    bonusOf: (slot) => bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot) + bonuses.span(slot),
    mostBonus: bonuses.most,
    allowed: blocks.passing(filter),
    precedes: blocks.precedes,
  })
  /** Where their words say the same of two, cosines tell whether it is the same sentence; without vectors nothing else does. */
  const isAlike = (one: number, other: number) =>
    Math.abs(shares.of(one) - shares.of(other)) <= SAME_SHARE &&
    !(vectors.has(one) && vectors.has(other) && vectors.between(one, other) < options.lookAlikeCosine)
  const lost = lostToLookAlikes(
    ranked.map(({ slot }) => slot),
    { isAlike, coverageOf: shares.coverage, penalty: options.lookAlikePenalty },
  )
  const named = new Set(question.names.map((name) => parts.lexical.own.onlySlotOf(name)))
  const matches = ranked.map(({ slot, strength: own, rank }, place) => ({
    facts: blocks.factsOf(slot),
    strength: own,
    rank: rank - (lost[place] as number),
    cosine: cosines[slot] as number,
    lexical: shares.of(slot),
    source: bonuses.source(slot),
    asks: bonuses.asks(slot),
    when: bonuses.when(slot),
    span: bonuses.span(slot),
    coverage: -(lost[place] as number),
    ...(named.has(slot) ? { isNamed: true as const } : {}),
    ...(parts.lexical.notes.says(slot, question.terms) ? { isNoted: true as const } : {}),
  }))
  return matches.sort((one, other) => other.rank - one.rank)
}

/** The bonuses of a question for each slot, besides similarity and words; may be negative. */
interface Bonuses {
  source(slot: number): number
  asks(slot: number): number
  when(slot: number): number
  span(slot: number): number
  /** Upper limit of the sum for a slot. */
  readonly most: number
}

const nothing = () => 0

function bonusesOf(
  { text, asksWhen, span }: Question,
  { blocks, texts }: IndexParts,
  sources: SourceIndex,
  { sourceWeight, questionPenalty, whenBonus, spanBonus }: RankingOptions,
): Bonuses {
  const mentions = sources.mentions(text)
  const does = (slot: number, what: number) => ((texts.values[slot] as number) & what) !== 0
  return {
    source: mentions
      ? (slot) => sourceWeight * (mentions[sources.idAt(blocks.sourceOf(slot))] as number)
      : nothing,
    asks: (slot) => (does(slot, ASKS) ? -questionPenalty : 0),
    when: asksWhen ? (slot) => (does(slot, TIMED) ? whenBonus : 0) : nothing,
    span: span ? (slot) => (blocks.happenedIn(slot, span) ? spanBonus : 0) : nothing,
    most: (mentions ? sourceWeight : 0) + (asksWhen ? whenBonus : 0) + (span ? spanBonus : 0),
  }
}

/**
 * Returns the slots of the `count` blocks with the greatest score among those that pass, best first; all of
 * them when there are no more. Cost: two passes.
 *
 * @param scoreOf is told how often the most reinforced of them was
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

/** What tells blocks apart that look alike. */
interface LookAlikeOptions<Block> {
  readonly isAlike: (one: Block, other: Block) => boolean
  /** Share of the question's words that a block has itself, 0..1. */
  readonly coverageOf: (block: Block) => number
  /** Loss of rank for having none of the words that a look-alike has. */
  readonly penalty: number
}

/** So many of the best are looked at. */
const LOOKED_AT = 24

/**
 * What each block loses in rank to those that look like it and have more of the question's own words: penalty · (m² − c²),
 * where c is its coverage and m the greatest of those alike. Nothing gains by it, so that no chance word brings a block
 * forward. Cost: a comparison for each two of the first 24.
 *
 * @param blocks best first
 * @returns a loss for each, at least 0
 */
export function lostToLookAlikes<Block>(
  blocks: readonly Block[],
  { isAlike, coverageOf, penalty }: LookAlikeOptions<Block>,
): readonly number[] {
  const best = blocks.slice(0, LOOKED_AT).map((block) => ({ block, coverage: coverageOf(block) ** 2 }))
  return blocks.map((block, place) => {
    const own = best[place]?.coverage
    if (own === undefined) return 0
    const most = best.reduce(
      (greatest, other) =>
        other.coverage > greatest && isAlike(block, other.block) ? other.coverage : greatest,
      own,
    )
    return penalty * (most - own)
  })
}

/** The slots of the highest values offered so far, best first. Cost of an offer: hardly anything below `least`. */
export class Top {
  readonly #count: number
  readonly #precedes: (slot: number, other: number) => boolean
  readonly #slots: number[] = []
  readonly #values: number[] = []

  /** @param precedes of equal values, whether the first slot comes before the second */
  constructor(count: number, precedes: (slot: number, other: number) => boolean) {
    this.#count = count
    this.#precedes = precedes
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

  #isBefore(slot: number, value: number, at: number): boolean {
    const other = this.#values[at] as number
    return value === other ? this.#precedes(slot, this.#slots[at] as number) : value > other
  }
}
