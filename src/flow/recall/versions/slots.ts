import { ANSWER_SIZE } from '../../../config/match-calibration.ts'
import type { Block, BlockFacts } from '../../../domain/block/block.ts'
import { isLessTrusted } from '../../../domain/block/source-class.ts'
import { isAtOnce, isLaterWord } from '../../../domain/block/standing.ts'
import { begunLater } from '../../../domain/block/validity/validity.ts'
import { SlotReader } from '../../../domain/conflict/slot/slot-reader.ts'
import type { Tie, Ties } from '../../../domain/versions/versions.ts'
import { isBeforeNamed, type PastAsked } from '../../../search/language/changes.ts'
import { type Analysis, stemOf } from '../../../search/language/choose.ts'
import { endsWithQuestion } from '../../../search/language/words.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Candidate } from '../rank.ts'

/** Two candidates that may be versions of one fact. */
export interface Versioned {
  readonly one: string
  readonly other: string
  /** Of one that has no vector yet the least that counts, since words alone tell whether they speak of one thing. */
  readonly cosine: number
  /** How much more of rank the one has; absent where one has no vector, and so less of it. */
  readonly lead?: number
  /** One ranks too low to hide the other, or to be hidden by it. */
  readonly isFaint?: boolean
  /** Their cosine tells nothing: only what repeats what the older says can be about the same. */
  readonly isFar?: boolean
  /** Both rank among the first, where their order counts, and the one before the other. */
  readonly isHigh?: boolean
}

/** The share of `slotShare` that counts where the question names another version: that one has the name in it and leads by far. */
const BESIDE_NAMED = 0.4
/** So many of the best are compared, as many as an answer has at most; their blocks are read for it anyway. */
const BEST_MOST = ANSWER_SIZE.most
/**
 * For a note that tells of a change, and says it in other words: the share of a good match's rank. The cosine is that of short texts which
 * name somebody else: "Ana leads the team", "Ben now leads the team".
 */
const FAINT = { rank: 0.6, cosine: 0.2 }
/** A note among the first may have changed, and another may tell so that is not far behind; each is read as a statement for it. */
const HIGH_MOST = { older: 5, newer: 10 }

/**
 * Pairs among the best candidates that are near enough to be versions of what the question asks. What has no vector yet ranks low for
 * that alone, so one good match of two is enough then. No statement; one cosine for each two of them.
 */
export function nearVersions(
  { index, settings }: Engine,
  ranked: readonly Candidate[],
  past: PastAsked | undefined,
): Versioned[] {
  const { slotShare, changedCosine } = settings.recall
  const rankOf = ({ match }: Candidate) => (match ? match.rank - match.coverage : 0)
  const share = isBeforeNamed(past) ? slotShare * BESIDE_NAMED : slotShare
  const line = share * Math.max(0, ...ranked.map(rankOf))
  const best = line > 0 ? ranked.slice(0, BEST_MOST) : []
  const isGood = best.map((each) => rankOf(each) >= line)
  const isFaint = best.map((each) => rankOf(each) >= line * FAINT.rank)
  const mayLack = index.waiting.lacking > 0
  const pairs = best.flatMap((found, at) =>
    best.flatMap((another, place) => {
      const good = Number(isGood[at]) + Number(isGood[place])
      const isHigh = at < HIGH_MOST.older && place < HIGH_MOST.newer
      const mayBeFaint =
        isHigh && good > 0 && isFaint[at] && isFaint[place] && areNotes(found.facts, another.facts)
      const isWanted = place > at && (good === 2 || mayBeFaint || (mayLack && good === 1))
      return isWanted && mayBeVersions(found.facts, another.facts)
        ? [{ found, another, good, mayBeFaint, isHigh }]
        : []
    }),
  )
  return pairs.flatMap(({ found, another, good, mayBeFaint, isHigh }): Versioned[] => {
    const ends = { one: found.facts.id, other: another.facts.id }
    const cosine = index.similarity(ends.one, ends.other)
    if (cosine === undefined) return [{ ...ends, cosine: changedCosine, isHigh }]
    const near = { ...ends, cosine, lead: rankOf(found) - rankOf(another), isHigh }
    if (cosine >= changedCosine) return good === 2 ? [near] : mayBeFaint ? [{ ...near, isFaint: true }] : []
    return mayBeFaint && cosine >= FAINT.cosine ? [{ ...near, isFaint: true, isFar: true }] : []
  })
}

type SaidBy = Pick<BlockFacts, 'id' | 'source' | 'sourceClass' | 'session' | 'scope'>

/**
 * False of two projects, and of two speakers who are trusted alike, who may say the same words of two things, and of two turns of one
 * conversation, which are all near each other: there the dream's strict rules count alone.
 */
export function mayBeVersions(one: SaidBy, other: SaidBy): boolean {
  if (one.scope !== other.scope) return false
  if (one.source !== other.source && one.sourceClass === other.sourceClass) return false
  return !((one.source ?? other.source) !== undefined && isOneTalk(one, other))
}

/** True of what no speaker said: in a talk "now", "again" and "left" tell what happens, in a note what holds by now. */
export function areNotes(one: Pick<SaidBy, 'source'>, other: Pick<SaidBy, 'source'>): boolean {
  return one.source === undefined && other.source === undefined
}

/** An end of a sentence before the last; "St. Anna" and "Mrs. Vidal" go on. */
const SENTENCE_BEFORE = /(?<!(?<![\p{L}\p{N}])\p{Lu}\p{Ll}{0,3})\.(?=\s+\S)|[!?…](?=\s+\S)|[。！？](?=\s*\S)/u

/** True of what asks and states nothing besides, which is no word about anything. */
function onlyAsks({ content }: Block): boolean {
  return endsWithQuestion(content) && !SENTENCE_BEFORE.test(content.trimEnd())
}

/**
 * True if the newer of two may be a later word about what the older says, whoever speaks: both state something, of two speakers the
 * newer is trusted more, and neither speaks of itself.
 */
export function mayFollow({ analysis }: Pick<Engine, 'analysis'>, newer: Block, older: Block): boolean {
  if (isLessTrusted(newer.sourceClass, older.sourceClass) || onlyAsks(newer) || onlyAsks(older)) return false
  if (newer.source === older.source) return true
  const reader = readerOf(analysis)
  return newer.sourceClass !== older.sourceClass && !reader.speaksOfSelf(newer) && !reader.speaksOfSelf(older)
}

/**
 * The later word of two: as their dates of validity tell, else as they were said; undefined of two that were said at once, of which
 * neither is.
 */
export function laterOf<T extends Block>(one: T, other: T): T | undefined {
  const begun = begunLater(one, other)
  if (begun !== undefined) return begun
  if (isAtOnce(one, other)) return undefined
  return isLaterWord(one, other) ? one : other
}

/** True of two blocks of one session, in which an agent notes what has nothing to do with each other. */
export function isOneTalk(one: Pick<SaidBy, 'session'>, other: Pick<SaidBy, 'session'>): boolean {
  return one.session === other.session
}

/** The question, and what was read for it. */
export interface SlotContext extends Pick<Ties, 'namedIn'> {
  readonly blocks: ReadonlyMap<string, Block>
  readonly question: string | undefined
}

/** Of near pairs those whose newer block is a later word about what is asked; see `isLaterInSlot`. */
export function slotTies(
  engine: Engine,
  pairs: readonly Versioned[],
  { blocks, namedIn, question }: SlotContext,
): Tie[] {
  const { analysis, settings } = engine
  const reader = readerOf(analysis)
  const asked = question === undefined || pairs.length === 0 ? [] : reader.termsOf(question)
  return pairs.flatMap(({ cosine, ...ends }): Tie[] => {
    const [one, other] = [blocks.get(ends.one), blocks.get(ends.other)]
    const newer = one && other && laterOf(one, other)
    if (one === undefined || other === undefined || newer === undefined) return []
    const older = newer === one ? other : one
    if (!mayFollow(engine, newer, older)) return []
    const isLater = reader.isLater(
      newer,
      older,
      { cosine, namedIn, isOneTalk: isOneTalk(one, other), asked },
      settings.recall,
    )
    return isLater ? [{ one: newer.id, other: older.id, kind: 'slot' }] : []
  })
}

/** The statements that were read, by the analysis of each open memory. */
const READERS = new WeakMap<Analysis, SlotReader>()

/** The reader of statements that belongs to an analysis; it is made once and keeps what it has read. */
export function readerOf(analysis: Analysis): SlotReader {
  const known = READERS.get(analysis) ?? new SlotReader(analysis.language, stemOf)
  READERS.set(analysis, known)
  return known
}
