import { PassageFlag } from '../domain/block/block.ts'
import { strength } from '../domain/score/match.ts'
import type { BlockColumns, Filter, Vitals } from './index/blocks.ts'
import type { IndexParts, RankingOptions } from './index/index-parts.ts'
import { type NameGain, throughNames } from './index/names.ts'
import { LONE_ONE, type Shares } from './index/words.ts'
import { splitNames } from './language/pack.ts'
import type { Match, Question, SourceIndex } from './question.ts'
import { Top } from './top.ts'

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
  /** Exponent of the power mean of the two. */
  readonly power: number
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
}

/** Rounding may lift a mean over the greater of its two sides by less than this. */
const ROUNDING = 1e-6

/**
 * The best blocks by strength and bonus, best first, each by its best slot. One pass; the mean of cosine and words is computed only
 * where its greater side could reach the best, since a mean never exceeds it.
 */
export function rankBlocks(count: number, input: RankInput): Ranked[] {
  const { slots, cosines, shares, power, bonusOf, mostBonus, allowed } = input
  if (count === 0) return []
  const best = new BestSlots(count, input)
  const strengths = new Map<number, number>()
  const { raw, full } = shares
  const worth = full > 0 ? 1 / full : 0
  // A power mean is linear in one side when the other is 0, which it is for most blocks.
  const similarityAlone = strength(1, 0, power)
  const spare = mostBonus + ROUNDING
  for (let slot = 0; slot < slots; slot++) {
    const words = (raw[slot] as number) * worth
    const cosine = Math.max(0, cosines[slot] as number)
    // A mean of the two below this is not wanted; their sum alone rules out nearly all slots.
    const least = best.leastOf(slot) - spare
    if ((cosine + words) * similarityAlone < least || (cosine < least && words < least)) continue
    const own = words === 0 ? cosine * similarityAlone : strength(cosine, shares.of(slot), power)
    const rank = Math.fround(own + bonusOf(slot))
    if (!best.wants(slot, rank) || !allowed(slot)) continue
    strengths.set(slot, own)
    best.take(slot, rank)
  }
  return best
    .ranked()
    .slice(0, count)
    .map((each) => ({ ...each, strength: strengths.get(each.slot) as number }))
}

/** The best slots by rank, and beside them the best of those that may rise; one of each block. */
class BestSlots {
  readonly #top: Top
  readonly #risen: Top
  readonly #input: Pick<RankInput, 'liftOf' | 'precedes' | 'headOf'>

  constructor(count: number, input: Pick<RankInput, 'liftOf' | 'precedes' | 'headOf'>) {
    this.#top = new Top(count, input.precedes, input.headOf)
    this.#risen = new Top(count, input.precedes, input.headOf)
    this.#input = input
  }

  /** A slot of a lower rank is not wanted. */
  leastOf(slot: number): number {
    const lift = this.#input.liftOf(slot)
    return lift === 0 ? this.#top.least : Math.min(this.#top.least, this.#risen.least - lift)
  }

  wants(slot: number, rank: number): boolean {
    return rank >= this.leastOf(slot) - ROUNDING && (this.#top.wants(slot, rank) || this.#rises(slot, rank))
  }

  take(slot: number, rank: number): void {
    if (this.#top.wants(slot, rank)) this.#top.take(slot, rank)
    if (this.#rises(slot, rank)) this.#risen.take(slot, rank + this.#input.liftOf(slot))
  }

  #rises(slot: number, rank: number): boolean {
    const lift = this.#input.liftOf(slot)
    return lift > 0 && this.#risen.wants(slot, rank + lift)
  }

  /** All of them with the ranks to which they rise, best first. */
  ranked(): Omit<Ranked, 'strength'>[] {
    const { liftOf, precedes, headOf } = this.#input
    const plain = this.#top.slots.map((slot, i) => ({ slot, rank: this.#top.values[i] as number, lift: 0 }))
    if (this.#risen.slots.length === 0) return plain
    const most = LIFTED_MOST * (this.#top.values[0] as number)
    const risen = this.#risen.slots.map((slot, i) => {
      const reached = this.#risen.values[i] as number
      const own = reached - liftOf(slot)
      const rank = Math.max(own, Math.min(reached, most))
      return { slot, rank, lift: rank - own }
    })
    const all = [...risen, ...plain].sort(
      (one, other) => other.rank - one.rank || (precedes(one.slot, other.slot) ? -1 : 1),
    )
    const first = new Map(all.toReversed().map((each) => [headOf(each.slot), each]))
    return all.filter((each) => first.get(headOf(each.slot)) === each)
  }
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
  readonly options: RankingOptions
}

/** The best matches for a question among slots whose cosines and words are known, best rank first. */
export function rankMatches(parts: IndexParts, question: Question, ranking: Ranking): Match[] {
  const { blocks, lexical, vectors } = parts
  const { count, filter, cosines, shares, sources, options } = ranking
  const bonuses = bonusesOf(question, parts, sources, options)
  const input: RankInput = {
    slots: cosines.length,
    cosines,
    shares,
    power: options.powerMean,
    bonusOf: (slot) => bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot) + bonuses.chances(slot),
    mostBonus: bonuses.most,
    liftOf: bonuses.lift,
    allowed: blocks.rankable(filter),
    precedes: blocks.precedes,
    headOf: blocks.headOf,
  }
  const placed = withoutLookAlikes(rankBlocks(count, input), parts, ranking)
  return stepThroughNames(placed, { parts, question, count, input, options }).map(
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

/** A chosen slot after what it lost to look-alikes, and with what a name brought it. */
interface Placed extends Ranked {
  readonly lost: number
  readonly gain?: NameGain
}

/** The chosen in the order they have after those that look like another with more of the question's words stepped back. */
function withoutLookAlikes(
  ranked: readonly Ranked[],
  { vectors }: IndexParts,
  { shares, options }: Ranking,
): readonly Placed[] {
  /** Where their words say the same of two, cosines tell whether it is the same sentence; without vectors nothing else does. */
  const isAlike = (one: number, other: number) =>
    Math.abs(shares.of(one) - shares.of(other)) <= SAME_SHARE &&
    !(vectors.has(one) && vectors.has(other) && vectors.between(one, other) < options.lookAlikeCosine)
  const losses = lostToLookAlikes(
    ranked.map(({ slot }) => slot),
    { isAlike, coverageOf: shares.coverage, penalty: options.lookAlikePenalty },
  )
  return ranked
    .map((each, place) => {
      const lost = losses[place] as number
      return { ...each, rank: each.rank - lost, lost }
    })
    .sort((one, other) => other.rank - one.rank)
}

/** Least number of blocks of a store where names lead on: among fewer, a name that few of them have is not rare. */
const FEWEST_FOR_NAMES = 50

/** The chosen with those that names of the best lead to, again as many as wanted. */
function stepThroughNames(
  placed: readonly Placed[],
  {
    parts: { blocks, lexical, lone, names },
    question,
    count,
    input,
    options,
  }: {
    readonly parts: IndexParts
    readonly question: Question
    readonly count: number
    readonly input: RankInput
    readonly options: RankingOptions
  },
): readonly Placed[] {
  if (blocks.size < FEWEST_FOR_NAMES) return placed
  const { headOf } = input
  const known = new Map(placed.map((each) => [each.slot, each]))
  // Two names may stand in two passages of a block, which is one entry.
  const slotOf = new Map(placed.map((each) => [headOf(each.slot), each.slot]))
  const { raw, full } = input.shares
  const gains = throughNames(
    placed,
    {
      blocks: blocks.size,
      question: new Set(question.terms),
      namesAt: (slot) => splitNames(names.of(slot)),
      holding: (terms, most) => {
        const slots = lexical.own.holding(terms, most * PASSAGES_MOST)
        const first = new Map(slots?.map((slot) => [headOf(slot), slot]))
        if (slots === undefined || first.size > most) return undefined
        for (const [head, slot] of first) if (!slotOf.has(head)) slotOf.set(head, slot)
        return [...first.keys()].map((head) => slotOf.get(head) as number)
      },
      shareAt: (slot) => ((lone.steps[slot] as number) / LONE_ONE) * lexical.wordShare(slot),
      rankAt: (slot) => known.get(slot)?.rank ?? rankAt(slot, input),
      least: placed.length < count ? Number.NEGATIVE_INFINITY : (placed.at(-1)?.rank ?? 0),
      mostAt: (slot) =>
        Math.max(input.cosines[slot] as number, full > 0 ? (raw[slot] as number) / full : 0) +
        input.mostBonus,
    },
    options,
  )
  if (gains.size === 0) return placed
  const brought = [...gains].map(([slot, gain]): Placed => {
    const { strength: own, rank, lift, lost } = known.get(slot) ?? { ...rankedAt(slot, input), lost: 0 }
    return { slot, strength: own, rank: rank + gain.amount, lift, lost, gain }
  })
  const left = placed.filter(({ slot }) => !gains.has(slot))
  return [...left, ...brought]
    .sort((one, other) => other.rank - one.rank || (input.precedes(one.slot, other.slot) ? -1 : 1))
    .slice(0, count)
}

/** A name may stand in this many passages of each block that it leads to. */
const PASSAGES_MOST = 4

/** Strength and rank of any slot by the question alone. */
function rankedAt(slot: number, { cosines, shares, power, bonusOf }: RankInput): Ranked {
  const own = strength(Math.max(0, cosines[slot] as number), shares.of(slot), power)
  return { slot, strength: own, rank: Math.fround(own + bonusOf(slot)), lift: 0 }
}

function rankAt(slot: number, input: RankInput): number | undefined {
  return input.allowed(slot) ? rankedAt(slot, input).rank : undefined
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
  { sourceWeight, questionPenalty, whenBonus }: RankingOptions,
): Bonuses {
  const mentions = sources.mentions(text)
  const bits = flags.values
  const has = (slot: number, flag: number) => ((bits[slot] as number) & flag) !== 0
  return {
    source: mentions
      ? (slot) => sourceWeight * (mentions[sources.idAt(blocks.sourceOf(slot))] as number)
      : nothing,
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

/** The options for blocks that look alike. */
interface LookAlikeOptions<Block> {
  readonly isAlike: (one: Block, other: Block) => boolean
  /** Share of the question's words that a block has itself, 0..1. */
  readonly coverageOf: (block: Block) => number
  /** Loss of rank for having none of the words that a look-alike has. */
  readonly penalty: number
}

/** Number of the best that are compared. */
const LOOKED_AT = 24

/**
 * The loss in rank of each block to those that look like it and have more of the question's own words: penalty · (m² − c²),
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
