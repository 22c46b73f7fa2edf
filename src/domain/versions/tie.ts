import type { Block } from '../block/block.ts'
import { isLaterWord } from '../block/standing.ts'
import { hasBegun, hasEnded, holdsAt, mayHoldTogether } from '../block/validity/validity.ts'
import type { BlockPair } from '../graph/edge.ts'
import type { Tie } from './versions.ts'

/** Whoever says that two blocks contradict each other and is not the owner. Rules and models are judged by what they find. */
const BY_AGENT: ReadonlySet<string | undefined> = new Set(['agent', 'host'])

/** Whoever read two blocks and said that the newer takes the place of the older, which no rule may decide of unlike words. */
const JUDGES: ReadonlySet<string | undefined> = new Set(['model', 'host', 'owner'])

/**
 * The word of whoever remembered a block counts more than what rules or models found between the two: a
 * supersession that a rule found is only a proposal, which may be about two things, so it groups like what reads alike; what
 * a judge found places the newer over the older, as far as whoever judged is trusted.
 */
export function tieOf({ a, b, kind, foundBy }: BlockPair, blocks: ReadonlyMap<string, Block>): Tie {
  if (blocks.get(a)?.supersedes === b) return { one: a, other: b, kind: 'supersession' }
  if (blocks.get(b)?.supersedes === a) return { one: b, other: a, kind: 'supersession' }
  if (kind === 'contradiction' && BY_AGENT.has(foundBy)) return { one: a, other: b, kind, by: 'agent' }
  const [one, other] = [blocks.get(a), blocks.get(b)]
  if (kind === 'supersession' && JUDGES.has(foundBy) && one && other)
    return {
      ...(isLaterWord(one, other) ? { one: a, other: b } : { one: b, other: a }),
      ...{ kind: 'slot', by: foundBy === 'owner' ? 'user' : 'agent' },
    }
  return { one: a, other: b, kind: kind === 'supersession' ? 'near_duplicate' : kind }
}

/**
 * True if a tie says something at a time. What has ended and what goes on are no versions of each other for reading
 * alike, nor do they contradict each other; what has not begun takes the place of nothing that has.
 */
export function countsAt(at: string, { one, other, kind }: Tie, blocks: ReadonlyMap<string, Block>): boolean {
  const [first, second] = [blocks.get(one), blocks.get(other)]
  if (first === undefined || second === undefined) return true
  if (first.scope !== second.scope) return false
  if (kind === 'contradiction' && !mayHoldTogether(first, second)) return false
  const [isFirst, isSecond] = [holdsAt(first, at), holdsAt(second, at)]
  const [isBegun, isOtherBegun] = [hasBegun(first, at), hasBegun(second, at)]
  if (!isBegun && isOtherBegun) return false
  if (kind !== 'supersession' && kind !== 'slot') return isFirst === isSecond && isBegun === isOtherBegun
  return !isSecond || isFirst || (kind === 'supersession' && hasEnded(first, at))
}
