import type { Block, BlockFacts } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { isLaterWord, isNewer, lastSaidAt, mayHide, saidAt } from '../../domain/block/standing.ts'
import { begunLater, hasBegun, holdsAt, startOf } from '../../domain/block/validity/validity.ts'
import { type BlockPair, orderedPair } from '../../domain/graph/edge.ts'
import {
  type Arranged,
  arrange,
  type Guess,
  LIMITS,
  type PastWanted,
} from '../../domain/versions/newer-first.ts'
import { PAIR_TEXT_MOST, type PairText, pairScorer, pairText } from '../../domain/versions/pair-score.ts'
import { countsAt, type RecalledVersion, type Tie, tieOf } from '../../domain/versions/told.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { Analysis } from '../../search/analysis.ts'
import { type Filter, passesFilter } from '../../search/index/blocks.ts'
import type { PastAsked } from '../../search/language/past.ts'
import type { Engine } from '../engine/engine.ts'
import type { Found } from './find.ts'
import type { Asked } from './match.ts'
import type { Candidate } from './rank.ts'

/** Number of the best entries that are compared with each other. */
const COMPARED_MOST = 10
/** From this `recall.newerFirst` on no entries are compared. */
const NEVER = 100

/** The versions that were told of the blocks found, and the blocks that were read for it. */
export interface ToldVersions {
  readonly ties: readonly Tie[]
  /** Ties of which the newer block has not begun, so that the older holds. */
  readonly ahead: readonly Tie[]
  /** Blocks that pass the filter, were not found, and are told versions of some that were. */
  readonly beyond: readonly BlockFacts[]
  /** The best candidates and the ends of all ties. */
  readonly blocks: ReadonlyMap<string, Block>
  /** Open pairs around all of them. */
  readonly pairs: readonly BlockPair[]
}

interface ToldRequest {
  readonly found: Found
  readonly filter: Filter
  /** ISO-8601 UTC. */
  readonly at: string
}

/**
 * Reads what was told of the blocks found, beyond the candidates too, so that the newest of a chain is known whichever was found. One
 * statement, one more where a pair leads to a block that was not found, one more where something waits.
 */
export async function readTold(
  engine: Engine,
  tx: StoreReader,
  { found, filter, at }: ToldRequest,
): Promise<ToldVersions> {
  const { index, settings } = engine
  const known = new Set([...found.ranked, ...found.guaranteed].map(({ facts }) => facts.id))
  const proposed = await proposedPairs(engine, tx, [...known])
  const leadsOn = ({ a, b, kind }: BlockPair) => kind === 'supersession' && known.has(a) !== known.has(b)
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const walked = isWalk
    ? await tx.groupedPairs([...from], from.size + settings.recall.versionsReach)
    : found.pairs
  const pairs = [...walked.filter(({ kind }) => kind === 'supersession'), ...proposed]
  const beyond = pairs
    .flatMap(({ a, b }) => [a, b])
    .filter((id) => !known.has(id))
    .flatMap((id) => index.get(id) ?? [])
    .filter((facts) => passesFilter(facts, filter))
  const isHere = new Set([...known, ...beyond.map(({ id }) => id)])
  const among = pairs.filter(({ a, b }) => isHere.has(a) && isHere.has(b))
  const best = [...found.ranked.slice(0, COMPARED_MOST), ...found.guaranteed].map(({ facts }) => facts.id)
  const ends = [...new Set([...best, ...among.flatMap(({ a, b }) => [a, b])])]
  const blocks = new Map((await tx.blocks(ends)).map((block) => [block.id, block]))
  const ties = among.flatMap((pair) => tieOf(pair, blocks) ?? [])
  const isAhead = ({ newer }: Tie) => {
    const block = blocks.get(newer)
    return block !== undefined && !hasBegun(block, at)
  }
  return {
    ties: ties.filter((tie) => countsAt(at, tie, blocks)),
    ahead: ties.filter(isAhead),
    beyond: [...new Map(beyond.map((facts) => [facts.id, facts])).values()],
    blocks,
    pairs: [...found.pairs, ...pairs],
  }
}

/**
 * Returns pairs of what waits and the block whose place it is to take, through whole chains around the blocks found: their dream will
 * note them. One statement, none where nothing waits.
 */
async function proposedPairs(
  { index, settings }: Engine,
  tx: StoreReader,
  ids: readonly string[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || ids.length === 0) return []
  const replacing = await tx.replacing(ids, ids.length + settings.recall.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
}

interface GuessRequest {
  readonly asked: Pick<Asked, 'text' | 'past'> | undefined
  /** Number of entries of the answer, and whether the caller or the owner set it. */
  readonly size: number
  readonly isLimit: boolean
  /** ISO-8601 UTC. */
  readonly at: string
  readonly blocks: ReadonlyMap<string, Block>
  /** True of an entry of which versions were told. */
  readonly isTold: (id: string) => boolean
  /** True of a pair whose order something else decides. */
  readonly isFixed: (older: string, newer: string) => boolean
}

/**
 * Orders entries by the pair score: the newer of two that are likely versions of one fact comes first, or the version that a question
 * about the past wants. A statement where any two are likely.
 */
export async function orderByGuess(
  engine: Engine,
  tx: StoreReader,
  entries: readonly Candidate[],
  request: GuessRequest,
): Promise<Arranged> {
  const { size, isLimit, asked, at, blocks } = request
  const { newerFirst } = engine.settings.recall
  const isOff = asked === undefined || newerFirst >= NEVER
  const compared = isOff ? [] : comparable(entries, blocks)
  const past = pastWanted(asked?.past, compared, request)
  const later = laterThan(compared, at)
  const best = bestRank(entries)
  const guesses = isOff ? [] : guessAmong(engine, compared, { asked, size, at, later, best })
  const settled = guesses.length === 0 ? [] : await tx.settledPairs(guesses.map(endsOf))
  const isSettled = new Set(settled.map(({ a, b }) => `${a} ${b}`))
  const open = guesses.filter(
    (guess) => !isSettled.has(endsOf(guess).join(' ')) && !request.isFixed(guess.older, guess.newer),
  )
  const ranked = entries.map(({ facts, match }) => ({
    id: facts.id,
    rank: (match?.rank ?? 0) / best,
    at: later.get(facts.id) ?? 0,
  }))
  return arrange(ranked, open, { size, isLimit, newerFirst, past })
}

const endsOf = ({ older, newer }: Guess) => orderedPair(older, newer)

/** A candidate that may be compared, with its block. */
interface Comparable {
  readonly candidate: Candidate
  readonly block: Block
}

/** Returns the best entries that the score was made for: short notes of no known speaker that match by themselves. */
function comparable(entries: readonly Candidate[], blocks: ReadonlyMap<string, Block>): Comparable[] {
  return entries.slice(0, COMPARED_MOST).flatMap((candidate) => {
    const block = blocks.get(candidate.facts.id)
    const isNote = block?.source === undefined && (block?.content.length ?? 0) <= PAIR_TEXT_MOST
    return block !== undefined && isNote && candidate.match !== undefined ? [{ candidate, block }] : []
  })
}

function bestRank(entries: readonly Candidate[]): number {
  return Math.max(1e-6, ...entries.map(({ match }) => match?.rank ?? 0))
}

/** Returns the places of blocks in time: those that hold no more, then those that hold, each by when they were said. */
function laterThan(compared: readonly Comparable[], at: string): ReadonlyMap<string, number> {
  const byAge = compared.map(({ block }) => block).sort((one, other) => (isLater(one, other, at) ? 1 : -1))
  return new Map(byAge.map(({ id }, place) => [id, place]))
}

function isLater(one: Block, other: Block, at: string): boolean {
  const [isHeld, isOtherHeld] = [holdsAt(one, at), holdsAt(other, at)]
  return isHeld === isOtherHeld ? isNewer(one, other) : isHeld
}

/** The question, and what is known of the entries that are compared for it. */
interface Scoring extends Pick<GuessRequest, 'size' | 'at'> {
  readonly asked: Pick<Asked, 'text' | 'past'>
  /** Places of blocks in time; larger is later. */
  readonly later: ReadonlyMap<string, number>
  /** Rank of the best match. */
  readonly best: number
}

/** Scores the pairs of entries of which the newer may come before the older, or in beside it. */
function guessAmong(
  engine: Engine,
  compared: readonly Comparable[],
  { asked, size, at, later, best }: Scoring,
): Guess[] {
  const { index, analysis } = engine
  const cosine = cosinesOf(index, compared)
  const score = pairScorer({
    notes: compared.map(({ block, candidate: { match } }) => ({
      text: textOf(analysis, block.content),
      at: later.get(block.id) ?? 0,
      rank: (match?.rank ?? 0) / best,
      asked: match?.cosine ?? Number.NaN,
    })),
    question: pairText(asked.text, analysis.language.terms),
    ...{ cosine, size: index.size, idf: (term) => index.idf(term) },
  })
  const reach = asked.past === undefined ? size : compared.length
  return compared.slice(0, reach).flatMap(({ block: older }, one) =>
    compared.flatMap(({ block: newer, candidate }, other): Guess[] => {
      if (one === other || hasBadReports(candidate) || !mayFollow(newer, older, at)) return []
      const z = score(one, other)
      const isAgain = saidAt(newer) < lastSaidAt(older)
      const hasEnded = !holdsAt(older, at) && holdsAt(newer, at)
      if (z < LIMITS.bring && !isAgain) return []
      return [{ older: older.id, newer: newer.id, z, cosine: cosine(one, other) ?? -1, isAgain, hasEnded }]
    }),
  )
}

/** Returns the cosine of two by their places; undefined where one has no vector. */
function cosinesOf(index: Engine['index'], compared: readonly Comparable[]) {
  const cosines: (number | undefined)[][] = []
  for (const [one, { block }] of compared.entries()) {
    const own: (number | undefined)[] = []
    for (let other = 0; other < one; other++)
      own.push(index.similarity(block.id, (compared[other] as Comparable).block.id))
    cosines.push(own)
  }
  return (one: number, other: number) => (one > other ? cosines[one]?.[other] : cosines[other]?.[one])
}

/** Returns true if reports lowered a candidate; they count more than its date. */
function hasBadReports({ terms }: Candidate): boolean {
  let learned = 0
  for (const { name, amount } of terms) if (name === 'belief' || name === 'asked') learned += amount
  return learned < 0
}

/** Returns true if the first of two blocks may be a later word about what the second says, and may come before it. */
function mayFollow(newer: Block, older: Block, at: string): boolean {
  if (newer.scope !== older.scope || !mayHide(newer, older)) return false
  // A clock that was set back says nothing of a block without a given beginning.
  if (newer.validFrom !== undefined && !hasBegun(newer, at)) return false
  const begun = begunLater(newer, older)
  if (begun !== undefined) return begun === newer
  return holdsAt(newer, at) === holdsAt(older, at) ? isLaterWord(newer, older) : holdsAt(newer, at)
}

/** Returns which version a question wants; undefined where what was told decides, or it asks for now. */
function pastWanted(
  past: PastAsked | undefined,
  compared: readonly Comparable[],
  { blocks, isTold }: GuessRequest,
): PastWanted | undefined {
  if (past === undefined) return undefined
  if (typeof past === 'string') {
    const [first] = compared
    return first === undefined || isTold(first.block.id) ? undefined : past
  }
  const until = new Date(past.to - 1).toISOString()
  return (id) => {
    const block = blocks.get(id)
    return block === undefined || isTold(id) || hasBegun(block, until)
  }
}

/** Texts as the score reads them, by the analysis of each open memory. */
const TEXTS = new WeakMap<Analysis, Map<string, PairText>>()
const TEXTS_MOST = 1_024

/** Returns a text as the score reads it; the last ones are kept. */
export function textOf(analysis: Analysis, content: string): PairText {
  const kept = TEXTS.get(analysis) ?? new Map<string, PairText>()
  TEXTS.set(analysis, kept)
  const known = kept.get(content)
  if (known !== undefined) return known
  if (kept.size >= TEXTS_MOST) kept.clear()
  const text = pairText(content, analysis.language.terms)
  kept.set(content, text)
  return text
}

/** A told fact as a question about the past wants it: the version of then, and the others under it. */
export interface TurnedRound {
  readonly head: Block
  readonly versions: readonly RecalledVersion[]
}

/**
 * Returns the told versions of a fact as a question about the past wants them: under the one it asks for stand the later ones, newest
 * first, and then the earlier. Undefined where none is of then, or may be shown in the place of the newest.
 */
export function turnedRound(
  past: PastAsked,
  newest: Block,
  versions: readonly RecalledVersion[],
): TurnedRound | undefined {
  const earlier = versions
    .filter(({ why }) => why !== 'proposed')
    .toSorted((a, b) => latestFirst(a.block, b.block))
  const wanted = versionOf(past, newest, earlier)
  if (wanted === undefined) return undefined
  // Trust matters only where nobody said that the newer takes its place.
  const isDecided = wanted.why === 'superseded'
  if (!isDecided && isLessTrusted(wanted.block.sourceClass, newest.sourceClass)) return undefined
  const others = [
    { block: newest, why: 'later' as const },
    ...earlier.filter(({ block }) => block.id !== wanted.block.id),
  ]
  const isLaterThanWanted = ({ block }: RecalledVersion) => latestFirst(block, wanted.block) < 0
  return {
    head: wanted.block,
    versions: [
      ...others.filter(isLaterThanWanted).map(({ block }): RecalledVersion => ({ block, why: 'later' })),
      ...others.filter((each) => !isLaterThanWanted(each)),
      ...versions.filter(({ why }) => why === 'proposed'),
    ],
  }
}

/** Returns the version that is asked for; undefined if that is the newest itself, or none. */
function versionOf(
  past: PastAsked,
  newest: Block,
  earlier: readonly RecalledVersion[],
): RecalledVersion | undefined {
  if (past === 'before') return earlier[0]
  if (past === 'first') return earlier.at(-1)
  const until = new Date(past.to - 1).toISOString()
  if (hasBegun(newest, until)) return undefined
  return earlier.find(({ block }) => hasBegun(block, until))
}

/** Orders by when blocks began to hold, as they say, else as they were said; what had ended before it was said began before all. */
function latestFirst(one: Block, other: Block): number {
  const [first = '', second = ''] = [startOf(one), startOf(other)]
  if (first !== second) return first > second ? -1 : 1
  return isNewer(one, other) ? -1 : 1
}
