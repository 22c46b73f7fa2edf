import type { Block } from '../../../domain/block/block.ts'
import { isLessTrusted } from '../../../domain/block/source-class.ts'
import { isNewer, mayHide } from '../../../domain/block/standing.ts'
import type { Engine } from '../../engine/engine.ts'
import type { InOrder } from './apart.ts'
import { areNotes, laterOf, mayFollow, readerOf, type SlotContext, type Versioned } from './slots.ts'

/**
 * Up to here it is chance which of two ranks higher: of 88 changed values at most .08 lay between the two, of two things of which the
 * question named one .17 and more.
 */
const LEAD_MOST = 0.1
/** Where the question names the same of both, the length alone makes one lead: "… because of his stomach". */
const LENGTH_LEAD_MOST = 0.2

/** A longer text says many things, and has a number of the question by chance. In UTF-16 units. */
const STATEMENT_MOST = 2_000

/** Two blocks, the one trusted more first, of two trusted alike the later word. */
interface Near {
  readonly one: Block
  readonly other: Block
}

/**
 * The order of near pairs that match the question alike, though they need not be versions of one fact. If both say the same but in one
 * place, and the question names nothing of the other alone, the one trusted more comes first, then the newer. So does the one that has
 * a number of the question that the other lacks: the day of a date may have made up for it. Both stay entries. The later pairs count
 * more.
 */
export function newestFirst(
  engine: Engine,
  pairs: readonly Versioned[],
  { blocks, namedIn, question }: SlotContext,
): InOrder[] {
  const near = pairs.flatMap((pair): (Near & { readonly pair: Versioned; readonly isLater: boolean })[] => {
    const [first, second] = [blocks.get(pair.one), blocks.get(pair.other)]
    const newer = first && second && laterOf(first, second)
    if (first === undefined || second === undefined || newer === undefined) return []
    if (Math.max(first.content.length, second.content.length) > STATEMENT_MOST) return []
    const older = newer === first ? second : first
    const isBehind = isLessTrusted(newer.sourceClass, older.sourceClass)
    return [
      {
        ...(isBehind ? { one: older, other: newer } : { one: newer, other: older }),
        pair,
        isLater: !isBehind,
      },
    ]
  })
  const reader = readerOf(engine.analysis)
  const asked = near.length === 0 ? [] : reader.termsOf(question ?? '')
  const isFirst = ({ one, other }: Near) => mayHide(one, other) && mayFollow(engine, one, other)
  const within = (most: number) =>
    near.filter(({ pair: { lead = 0, isFaint } }) => !isFaint && Math.abs(lead) <= most)
  const alike = within(LEAD_MOST)
  const mayTell = ({ one, other, isLater, pair }: (typeof near)[number]) =>
    pair.isHigh && isLater && areNotes(one, other) && reader.mayTellChange(one, other, { asked, namedIn })
  // What ranks before is there already, unless another is to pass it.
  const passing = near.filter((each) => each.one.id === each.pair.other && mayTell(each))
  const moved = new Set(passing.map(({ one }) => one.id))
  const kept = near.filter(
    (each) => moved.has(each.other.id) && each.one.id === each.pair.one && mayTell(each),
  )
  const changed = [...passing, ...kept]
    .filter(isFirst)
    .toSorted((first, second) => (isNewer(first.one, second.one) ? 1 : -1))
  const isNamedToo = (each: (typeof near)[number]) => {
    const [ours, theirs] = [namedIn(each.one.id), namedIn(each.other.id)]
    if (ours.length === 0 || !theirs.every((word) => ours.includes(word))) return false
    return ours.length === theirs.length || alike.includes(each)
  }
  // What a question names of a block is found anew for each question, what a statement says once.
  const inOnePlace = within(LENGTH_LEAD_MOST)
    .filter(({ one, other }) => reader.saysInOnePlace(one, other))
    .filter((pair) => isNamedToo(pair) && isFirst(pair))
    .toSorted((first, second) => (isNewer(first.one, second.one) ? 1 : -1))
  const numbered = (NUMBER.test(question ?? '') ? alike : [])
    .flatMap((pair) => [pair, { one: pair.other, other: pair.one }])
    .filter(({ one, other }) => !isLessTrusted(one.sourceClass, other.sourceClass))
    .filter(({ one, other }) => hasMoreNumbers(namedIn(one.id), namedIn(other.id)))
  const ends = ({ one, other }: Near) => ({ first: one.id, behind: other.id })
  return [
    ...[...changed, ...inOnePlace].map(
      (pair): InOrder => ({ ...ends(pair), why: isBehindInTrust(pair) ? 'trusted' : 'newer' }),
    ),
    ...numbered.map((pair): InOrder => ({ ...ends(pair), why: 'number' })),
  ]
}

function isBehindInTrust({ one, other }: Near): boolean {
  return isLessTrusted(other.sourceClass, one.sourceClass)
}

const NUMBER = /\p{N}/u

function hasMoreNumbers(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length <= theirs.length || !theirs.every((word) => ours.includes(word))) return false
  return ours.some((word) => NUMBER.test(word) && !theirs.includes(word))
}
