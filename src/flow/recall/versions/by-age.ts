import type { Block } from '../../../domain/block/block.ts'
import { isLessTrusted } from '../../../domain/block/source-class.ts'
import { isNewer, mayHide } from '../../../domain/block/standing.ts'
import { OTHER_PROPERTY_COSINE, type SlotReader } from '../../../domain/conflict/slot/slot-reader.ts'
import { isBeforeNamed, type PastAsked } from '../../../search/language/changes.ts'
import type { Engine } from '../../engine/engine.ts'
import type { InOrder } from './apart.ts'
import { isOfName } from './past.ts'
import {
  areNotes,
  isOneTalk,
  laterOf,
  mayFollow,
  readerOf,
  type SlotContext,
  type Versioned,
} from './slots.ts'

/**
 * Up to here it is chance which of two ranks higher: of 88 changed values at most .08 lay between the two, of two things of which the
 * question named one .17 and more.
 */
const LEAD_MOST = 0.1
/** Where the question names the same of both, the length alone makes one lead: "… because of his stomach". */
const LENGTH_LEAD_MOST = 0.2

/**
 * How much nearer another may be to a statement than what tells what became of it. Of 116 changes none lay farther behind, of 178 notes
 * about another property of the same thing 94.
 */
const NEARER_MOST = 0.25

/** From this lead on one that lacks what the question asks for is about another property, unless it reads alike. */
const OTHER_PROPERTY_LEAD = 0.22

/** A longer text says many things, and has a number of the question by chance. In UTF-16 units. */
const STATEMENT_MOST = 2_000

/** Two blocks, the one trusted more first, of two trusted alike the later word. */
interface Near {
  readonly one: Block
  readonly other: Block
  readonly pair: Versioned
  /** The one is the later word. */
  readonly isLater: boolean
}

interface PastContext extends SlotContext {
  readonly past: PastAsked | undefined
}

/**
 * The order by age of near pairs: the newest first, or what the question about the past wants first: the oldest, or what came before
 * the newest or before the one that it names. None for a time, which dates tell.
 */
export function orderedByAge(
  engine: Engine,
  pairs: readonly Versioned[],
  { past, ...context }: PastContext,
): InOrder[] {
  const isTime = typeof past === 'object' && !isBeforeNamed(past)
  const newest = isTime ? [] : newestFirst(engine, pairs, { ...context, past })
  if (past === undefined || isTime) return newest
  const byAge = newest.filter(({ why }) => why === 'newer')
  const blockOf = (id: string) => context.blocks.get(id) as Block
  // What came back is an entry with what it was at first, so the pair with the oldest counts most.
  if (past === 'first')
    return byAge
      .map(turned)
      .toSorted((one, other) => (isNewer(blockOf(one.first), blockOf(other.first)) ? -1 : 1))
  const behind = new Set(byAge.map((pair) => pair.behind))
  const isLast = (id: string) => (past === 'before' ? !behind.has(id) : isOfName(past, blockOf(id)))
  const before = new Set(
    byAge.flatMap((pair) => (isLast(pair.first) && !isLast(pair.behind) ? [pair.behind] : [])),
  )
  const isBefore = (id: string) => before.has(id)
  return [
    ...byAge.filter((pair) => isBefore(pair.behind) && !isBefore(pair.first)).map(turned),
    ...byAge.filter((pair) => isBefore(pair.behind) && isBefore(pair.first)),
  ]
}

const turned = ({ first, behind }: InOrder): InOrder => ({ first: behind, behind: first, why: 'held' })

/**
 * The order of near pairs that match the question alike, though they need not be versions of one fact. If both say the same but in one
 * place, and the question names nothing of the other alone, the one trusted more comes first, then the newer. So does the one that has
 * a number of the question that the other lacks: the day of a date may have made up for it. Both stay entries. The later pairs count
 * more.
 */
function newestFirst(
  engine: Engine,
  pairs: readonly Versioned[],
  { blocks, namedIn, question, past }: PastContext,
): InOrder[] {
  const near = pairs.flatMap((pair): Near[] => {
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
  // Of the past it is the older that answers, so it needs what the question asks for: "What was Lena's size before?"
  const mayAnswer = ({ one, other }: Near) => past === undefined || !reader.lacksAsked(other, one, asked)
  const isFirst = (each: Near) =>
    mayHide(each.one, each.other) && mayFollow(engine, each.one, each.other) && mayAnswer(each)
  // The version that a question names leads for that, and it asks for another.
  const within = (most: number) =>
    near.filter(
      ({ pair: { lead = 0, isFaint } }) => !isFaint && (isBeforeNamed(past) || Math.abs(lead) <= most),
    )
  const alike = within(LEAD_MOST)
  const mayTell = (each: Near) =>
    each.pair.isHigh === true &&
    each.isLater &&
    areNotes(each.one, each.other) &&
    !(past === undefined && isOfOtherProperty(each, reader, asked)) &&
    !isBehindRival(each, near, reader) &&
    (!each.pair.isFar || reader.repeatsMost(each.one, each.other)) &&
    reader.mayTellChange(each.one, each.other, { asked, namedIn }) &&
    !isOfMany(engine, each, blocks)
  const changed = telling(near, { mayTell, isPast: past !== undefined })
    .filter(isFirst)
    .toSorted((first, second) => (isNewer(first.one, second.one) ? 1 : -1))
  const isNamedToo = (each: Near) => {
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
    .flatMap((pair) => [pair, { ...pair, one: pair.other, other: pair.one }])
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

/** The pairs that may tell of a change. What ranks before is there already, unless another is to pass it, or the order is turned round. */
function telling(
  near: readonly Near[],
  { mayTell, isPast }: { readonly mayTell: (each: Near) => boolean; readonly isPast: boolean },
): readonly Near[] {
  if (isPast) return near.filter(mayTell)
  const passing = near.filter((each) => each.one.id === each.pair.other && mayTell(each))
  const moved = new Set(passing.map(({ one }) => one.id))
  return [
    ...passing,
    ...near.filter((each) => moved.has(each.other.id) && each.one.id === each.pair.one && mayTell(each)),
  ]
}

/** True for "Lisa changed jobs" after "Lisa's birthday is 4 May", if her birthday is asked for: it has no more than her name. */
function isOfOtherProperty(
  { one, other, pair }: Near,
  reader: SlotReader,
  asked: readonly string[],
): boolean {
  // What one session noted is raised together, so that its ranks lie near each other.
  const isFar = (pair.lead ?? 0) > OTHER_PROPERTY_LEAD || isOneTalk(one, other)
  return isFar && pair.cosine < OTHER_PROPERTY_COSINE && reader.isBesideAsked(one, other, asked)
}

/**
 * True if another of those found is much nearer to the older than the newer is: then that tells of its fact, if any does, and the newer
 * of another, as notes about one project share its name. What says the same as the older but in one place is another version.
 */
function isBehindRival({ other, pair }: Near, near: readonly Near[], reader: SlotReader): boolean {
  if (pair.lead === undefined) return false
  return near.some((each) => {
    if (each.pair.lead === undefined || each.pair.cosine <= pair.cosine + NEARER_MOST) return false
    if (each.one.id !== other.id && each.other.id !== other.id) return false
    return !reader.saysInOnePlace(each.one, each.other)
  })
}

/**
 * So many others at most may have all the words that two statements share: of 116 changes three had more, of
 * 178 notes about another property 124.
 */
const SHARING_MOST = 1
/** A name that more have is looked up no further. */
const LOOKED_UP_MOST = 16

/** True if what two statements share is the name of something that others tell of, too: then its words tell of no fact of it. */
function isOfMany(
  { analysis, index }: Engine,
  { one, other }: Near,
  blocks: ReadonlyMap<string, Block>,
): boolean {
  const reader = readerOf(analysis)
  const holders = index.holding(reader.sharedWords(one, other), LOOKED_UP_MOST)
  if (holders === undefined) return true
  const isVersion = (id: string) => {
    const block = blocks.get(id)
    return block !== undefined && (reader.saysInOnePlace(block, other) || reader.saysInOnePlace(other, block))
  }
  const others = holders.filter((id) => id !== one.id && id !== other.id && !isVersion(id))
  return others.length > SHARING_MOST
}

function isBehindInTrust({ one, other }: Near): boolean {
  return isLessTrusted(other.sourceClass, one.sourceClass)
}

const NUMBER = /\p{N}/u

function hasMoreNumbers(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length <= theirs.length || !theirs.every((word) => ours.includes(word))) return false
  return ours.some((word) => NUMBER.test(word) && !theirs.includes(word))
}
