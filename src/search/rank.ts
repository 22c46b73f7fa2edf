import { strength } from '../domain/score/score.ts'
import type { BlockColumns, Vitals } from './index/block-columns.ts'
import type { Filter } from './index/filter.ts'
import { ASKS, type IndexParts, type RankingOptions, TIMED } from './index/index-parts.ts'
import { LONE_ONE } from './index/lending/lone-blocks.ts'
import type { Shares } from './index/lexical-index.ts'
import { type NameGain, throughNames } from './index/names/through-names.ts'
import { splitNames } from './language/pack.ts'
import { lostToLookAlikes } from './look-alikes.ts'
import type { Match, Question, SourceIndex } from './question.ts'
import { Top } from './top.ts'

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
  // What a mean must reach at least. The sum says it of nearly all.
  let least = Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < slots; slot++) {
    const words = (raw[slot] as number) * worth
    const given = cosines[slot] as number
    const cosine = given > 0 ? given : 0
    if ((cosine + words) * similarityAlone < least || (cosine < least && words < least)) continue
    const own = words === 0 ? cosine * similarityAlone : strength(cosine, shares.of(slot), power)
    const rank = Math.fround(own + bonusOf(slot))
    if (rank < top.least || !top.wants(slot, rank) || !allowed(slot)) continue
    strengths.set(slot, own)
    top.take(slot, rank)
    least = top.least - mostBonus - ROUNDING
  }
  return top.slots.map((slot, i) => ({
    slot,
    strength: strengths.get(slot) as number,
    rank: top.values[i] as number,
  }))
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
    bonusOf: (slot) => bonuses.source(slot) + bonuses.asks(slot) + bonuses.when(slot) + bonuses.span(slot),
    mostBonus: bonuses.most,
    allowed: blocks.passing(filter),
    precedes: blocks.precedes,
  }
  const placed = withoutLookAlikes(rankBlocks(count, input), parts, ranking)
  return stepThroughNames(placed, { parts, question, count, input, options }).map(
    ({ slot, strength: own, rank, lost, gain }) => ({
      facts: blocks.factsOf(slot),
      strength: own,
      rank,
      cosine: cosines[slot] as number,
      ownCosine: (vectors.has(slot) ? ranking.own : cosines)[slot] as number,
      lexical: shares.of(slot),
      source: bonuses.source(slot),
      asks: bonuses.asks(slot),
      when: bonuses.when(slot),
      span: bonuses.span(slot),
      coverage: -lost,
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

/** In a store of fewer blocks a name that few of them have is not rare, and leads nowhere. */
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
  const known = new Map(placed.map((each) => [each.slot, each]))
  const { raw, full } = input.shares
  const gains = throughNames(
    placed,
    {
      blocks: blocks.size,
      question: new Set(question.terms),
      namesAt: (slot) => splitNames(names.of(slot)),
      postings: lexical.own,
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
    const { strength: own, rank, lost } = known.get(slot) ?? { ...rankedAt(slot, input), lost: 0 }
    return { slot, strength: own, rank: rank + gain.amount, lost, gain }
  })
  const left = placed.filter(({ slot }) => !gains.has(slot))
  return [...left, ...brought]
    .sort((one, other) => other.rank - one.rank || (input.precedes(one.slot, other.slot) ? -1 : 1))
    .slice(0, count)
}

/** Strength and rank of any slot by the question alone. */
function rankedAt(slot: number, { cosines, shares, power, bonusOf }: RankInput): Ranked {
  const own = strength(Math.max(0, cosines[slot] as number), shares.of(slot), power)
  return { slot, strength: own, rank: Math.fround(own + bonusOf(slot)) }
}

function rankAt(slot: number, input: RankInput): number | undefined {
  return input.allowed(slot) ? rankedAt(slot, input).rank : undefined
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
