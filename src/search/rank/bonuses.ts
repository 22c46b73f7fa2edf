import { ASKS, type IndexParts, TIMED } from '../index/index-parts.ts'
import type { RankingOptions } from '../match.ts'
import type { Question } from './question.ts'
import type { SourceIndex } from './source-index.ts'

/** What a question adds to or takes from each slot's strength, besides similarity and words. */
export interface Bonuses {
  source(slot: number): number
  asks(slot: number): number
  when(slot: number): number
  span(slot: number): number
  /** No slot's sum is greater. */
  readonly most: number
}

const nothing = () => 0

export function bonusesOf(
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
