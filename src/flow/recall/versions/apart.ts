import type { Block } from '../../../domain/block/block.ts'
import { hasBegun, hasEnded, holdsAt, holdsWithin } from '../../../domain/block/validity/validity.ts'
import type { Ties } from '../../../domain/versions/versions.ts'
import { isBeforeNamed, type PastAsked } from '../../../search/language/changes.ts'
import type { Engine } from '../../engine/engine.ts'
import type { MovedWhy } from '../order.ts'
import { laterOf, readerOf } from './slots.ts'

/** Two blocks of which the one comes before the other, where both are entries. */
export interface InOrder {
  readonly first: string
  readonly behind: string
  readonly why: Extract<MovedWhy, 'trusted' | 'number' | 'newer' | 'held'>
}

/** Two blocks that are near each other or tied; the cosine is absent where a dream or somebody tied them. */
interface Near {
  readonly one: string
  readonly other: string
  readonly cosine?: number
}

interface ApartRequest extends Pick<Ties, 'namedIn'> {
  /** The time the answer is for, ISO-8601 UTC. */
  readonly at: string
  /** Which part of the past the question wants, if any. */
  readonly past: PastAsked | undefined
  readonly blocks: ReadonlyMap<string, Block>
}

/**
 * Of blocks about one thing those of which one held at the time asked about and the other did not: had ended, or not begun. Both
 * are entries, and this is their order. They say the same of the same thing, or read alike, and the question names no more of
 * the one that did not hold.
 */
export function apartIn(
  { analysis, settings }: Pick<Engine, 'analysis' | 'settings'>,
  pairs: readonly Near[],
  { at, past, blocks, namedIn }: ApartRequest,
): readonly InOrder[] {
  const reader = readerOf(analysis)
  const isNamedMore = (block: Block, held: Block) => {
    const named = namedIn(held.id)
    return namedIn(block.id).some((word) => !named.includes(word))
  }
  return pairs.flatMap(({ one, other, cosine = 1 }): InOrder[] => {
    const [first, second] = [blocks.get(one), blocks.get(other)]
    if (first === undefined || second === undefined || first.scope !== second.scope) return []
    const held = heldThen(first, second, { past, at })
    if (held === undefined) return []
    const not = held === first ? second : first
    const isAlike =
      cosine >= settings.recall.alikeCosine ||
      isOfMostWords(reader.wordsOf(held), reader.wordsOf(not)) ||
      reader.saysInOnePlace(not, held)
    const isOne = (isAlike && !isNamedMore(not, held)) || reader.sayOfSame(not, held)
    return isOne ? [{ first: held.id, behind: not.id, why: 'held' }] : []
  })
}

/**
 * Of two blocks the one that held when the question says; undefined if both or none did. What has not begun never held. At a time
 * that has passed both may have held, of which the one has ended since: then it is the later. Without any date of when they hold it is
 * the one said by then.
 */
function heldThen(
  one: Block,
  other: Block,
  { past, at }: { readonly past: PastAsked | undefined; readonly at: string },
): Block | undefined {
  const only = (held: (block: Block) => boolean) => {
    const [isOne, isOther] = [held(one), held(other)]
    return isOne === isOther ? undefined : isOne ? one : other
  }
  const begun = only((block) => hasBegun(block, at))
  if (past === 'before') return only((block) => hasEnded(block, at)) ?? begun
  if (past === 'first' || isBeforeNamed(past)) return begun
  const now = only((block) => holdsAt(block, at))
  if (past === undefined) return now
  const span = { from: new Date(past.from).toISOString(), to: new Date(past.to).toISOString() }
  const isThen = (block: Block) => holdsWithin(block, span)
  return only(isThen) ?? (now && isThen(one) ? laterOf(one, other) : undefined)
}

/** Least share of the words of the longer of two texts that the other has, too: "Lina runs ward 4" and "Omar runs ward 4". */
const SHARED_LEAST = 2 / 3

function isOfMostWords(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((word) => other.includes(word)).length
  return shared >= SHARED_LEAST * Math.max(one.length, other.length)
}
