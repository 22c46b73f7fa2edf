import type { Block, BlockFacts } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { mayCover } from '../block/source-class.ts'
import { hasBegun, holdsAt, isNewer, lastSaidAt, saidAt, startOf } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { type BlockPair, CONTRADICTS, orderedPair } from '../graph/edge.ts'
import { passesFilter } from '../index/blocks.ts'
import type { PastAsked } from '../language/pack.ts'
import type { Analysis } from '../language/question.ts'
import { confidenceOf } from '../outcome/formulas.ts'
import { readBlocks, readReplacing } from '../store/blocks.ts'
import { type Links, readGroupedPairs } from '../store/graph.ts'
import { readSettledPairs } from '../store/pairs.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type Asked,
  type Asking,
  type Candidate,
  type Entry,
  type Moved,
  passageOf,
  RECALL,
} from './match.ts'
import { PAIR_TEXT_MOST, type PairText, pairScorer, pairText } from './pair-score.ts'
import type { Ranked } from './rank.ts'
import {
  arrange,
  countsAt,
  type Guess,
  groupVersions,
  LIMITS,
  type PastWanted,
  type RecalledVersion,
  type Tie,
  tieOf,
} from './version-groups.ts'

/** Number of the best entries that are compared with each other. */
const COMPARED_MOST = 10

/** Two blocks that contradict each other, as somebody said who read both. */
interface Dispute {
  readonly one: string
  readonly other: string
}

/** The record of a recall once told versions of one fact are one entry. */
export interface Grouped extends Ranked {
  /** The entries in their order, without those that the frame guarantees. */
  readonly entries: readonly Candidate[]
  /** The blocks read so far, by id. */
  readonly blocks: ReadonlyMap<string, Block>
  readonly disputes: readonly Dispute[]
  /** The time the answer is for, or one to come that the question asks for, ISO-8601 UTC. */
  readonly heldAt: string
  /** Id of a block whose text is the question. */
  readonly verbatim: string | undefined
}

/**
 * Makes entries of candidates: told versions of one fact are one entry, in the best place of them all, even where the newest was not
 * found itself. Of two that contradict each other, or of which one was to replace the other, the more trusted comes first, then the
 * one believed more. One statement, one more where a pair leads to a block that was not found, one more where something waits.
 */
export async function groupTold(engine: Engine, tx: ReadTransaction, found: Ranked): Promise<Grouped> {
  const { candidates, guaranteed, asked } = found
  const heldAt = asked?.ahead ?? found.at
  const told = await readTold(engine, tx, found)
  const { blocks } = told
  const ties = told.ties.filter((tie) => countsAt(heldAt, tie, blocks))
  const known = new Map([...candidates, ...guaranteed].map((each) => [each.facts.id, each]))
  const always = new Set(guaranteed.map(({ facts }) => facts.id))
  const all = [...[...known.values()].map(({ facts }) => facts), ...told.beyond.values()]
  const { headOf, under } = groupVersions(all, ties, always)
  const withVersions = (each: Candidate): Candidate => {
    const versions = (under.get(each.facts.id) ?? []).map((version) => {
      const candidate = known.get(version.id)
      return candidate === undefined ? version : { ...version, candidate }
    })
    return { ...each, under: versions }
  }
  const entries = new Map<string, Candidate>()
  for (const each of candidates) {
    const { id } = each.facts
    const head = headOf(id)
    if (always.has(head) || entries.has(head)) continue
    const unfound = { ...each, facts: told.beyond.get(head) ?? each.facts, isUnfound: true } as const
    const entry = withVersions(known.get(head) ?? unfound)
    entries.set(head, head === id ? entry : { ...entry, moved: { why: 'version', before: id } })
  }
  const disputes = disputesIn({ edges: found.edges, pairs: told.pairs })
  const verbatim = candidates.find(({ facts }) => isVerbatim(blocks.get(facts.id), asked))?.facts.id
  const isAhead = ({ newer }: Tie) => {
    const block = blocks.get(newer)
    return block !== undefined && !hasBegun(block, heldAt)
  }
  const entryOf = (id: string) => entries.get(headOf(id))
  const [best] = entries.values()
  const preferences = [
    ...preferred(verbatim === undefined ? undefined : entries.get(verbatim), best, 'verbatim'),
    ...told.ties
      .filter(isAhead)
      .flatMap(({ newer, older }) => preferred(entryOf(older), entryOf(newer), 'holds')),
    ...ties.flatMap(({ newer, older }) => better(entryOf(older), entryOf(newer), false)),
    ...disputes.flatMap(({ one, other }) => better(entryOf(one), entryOf(other), true)),
  ]
  return {
    ...found,
    guaranteed: guaranteed.map(withVersions),
    entries: inOrder([...entries.values()], preferences),
    blocks,
    disputes,
    heldAt,
    verbatim,
  }
}

/** Returns the stated contradictions among edges and open pairs, each once; none that only a rule found. */
export function disputesIn({ edges, pairs }: Links): Dispute[] {
  const found = [
    ...edges
      .filter(({ relation }) => relation === CONTRADICTS)
      .map(({ from, to }) => ({ one: from, other: to })),
    ...pairs
      .filter(({ kind, foundBy }) => kind === 'contradiction' && !foundBy?.startsWith('rule:'))
      .map(({ a, b }) => ({ one: a, other: b })),
  ]
  return [...new Map(found.map((dispute) => [keyOf(dispute.one, dispute.other), dispute])).values()]
}

const keyOf = (one: string, other: string) => orderedPair(one, other).join(' ')

/** Formatting adds at most this many characters to a text that is the question. */
const FORMATTING_MOST = 40

function isVerbatim(block: Block | undefined, asked: Asked | undefined): boolean {
  if (block === undefined || asked === undefined) return false
  const difference = Math.abs(block.content.length - asked.text.length)
  return difference <= FORMATTING_MOST && isSameText(block.content, asked.text)
}

/** Two entries, by their ids, of which the first stands before the second. */
interface Preference {
  readonly first: string
  readonly moved: Moved
}

function preferred(
  first: Candidate | undefined,
  behind: Candidate | undefined,
  why: Moved['why'],
): Preference[] {
  if (first === undefined || behind === undefined || first === behind) return []
  return [{ first: first.facts.id, moved: { why, before: behind.facts.id } }]
}

/** Returns which of two entries comes first: the more trusted one, else, of two that contradict each other, the one believed more. */
function better(one: Candidate | undefined, other: Candidate | undefined, isDispute: boolean): Preference[] {
  if (one === undefined || other === undefined) return []
  if (!mayCover(other.facts, one.facts)) return preferred(one, other, 'trusted')
  if (!mayCover(one.facts, other.facts)) return preferred(other, one, 'trusted')
  const difference = isDispute ? confidenceOf(one.facts) - confidenceOf(other.facts) : 0
  if (difference === 0) return []
  return difference > 0 ? preferred(one, other, 'believed') : preferred(other, one, 'believed')
}

/** Puts entries before others, one preference after the other. */
function inOrder(entries: readonly Candidate[], preferences: readonly Preference[]): readonly Candidate[] {
  return preferences.reduce((order, { first, moved }) => {
    const [from, to] = [first, moved.before].map((id) => order.findIndex(({ facts }) => facts.id === id)) as [
      number,
      number,
    ]
    if (from < to) return order
    const entry = { ...(order[from] as Candidate), moved }
    return order.toSpliced(from, 1).toSpliced(to, 0, entry)
  }, entries)
}

/** The versions that were told of the blocks found. */
interface ToldVersions {
  readonly ties: readonly Tie[]
  /** Blocks that pass the filter, were not found, and are told versions of some that were. */
  readonly beyond: ReadonlyMap<string, BlockFacts>
  /** The best candidates and the ends of all ties. */
  readonly blocks: ReadonlyMap<string, Block>
  /** Open pairs around all of them. */
  readonly pairs: readonly BlockPair[]
}

/** Reads what was told of the blocks found, beyond the candidates too, so that the newest of a chain is known whichever was found. */
async function readTold(engine: Engine, tx: ReadTransaction, found: Ranked): Promise<ToldVersions> {
  const { index } = engine
  const { candidates, guaranteed, filter } = found
  const known = new Set([...candidates, ...guaranteed].map(({ facts }) => facts.id))
  const proposed = await proposedPairs(engine, tx, [...known])
  const leadsOn = ({ a, b, kind }: BlockPair) => kind === 'supersession' && known.has(a) !== known.has(b)
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const walked = isWalk
    ? await readGroupedPairs(tx, [...from], from.size + RECALL.versionsReach)
    : found.pairs
  const pairs = [...walked.filter(({ kind }) => kind === 'supersession'), ...proposed]
  const beyond = pairs
    .flatMap(({ a, b }) => [a, b])
    .filter((id) => !known.has(id))
    .flatMap((id) => index.get(id) ?? [])
    .filter((facts) => passesFilter(facts, filter))
  const isHere = new Set([...known, ...beyond.map(({ id }) => id)])
  const among = pairs.filter(({ a, b }) => isHere.has(a) && isHere.has(b))
  const best = [...candidates.slice(0, COMPARED_MOST), ...guaranteed].map(({ facts }) => facts.id)
  const ends = [...new Set([...best, ...among.flatMap(({ a, b }) => [a, b])])]
  const blocks = new Map((await readBlocks(tx, ends)).map((block) => [block.id, block]))
  return {
    ties: among.flatMap((pair) => tieOf(pair, blocks) ?? []),
    beyond: new Map(beyond.map((facts) => [facts.id, facts])),
    blocks,
    pairs: [...found.pairs, ...pairs],
  }
}

/**
 * Returns pairs of what waits and the block whose place it is to take, through whole chains around the blocks found: their dream will
 * note them. One statement, none where nothing waits.
 */
async function proposedPairs(
  { index }: Engine,
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || ids.length === 0) return []
  const replacing = await readReplacing(tx, ids, ids.length + RECALL.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
}

/** The record of a recall once it is known how many entries the answer has: so many of the first ones. */
export interface Sized extends Grouped {
  readonly size: number
  /** The caller or the owner set the size. */
  readonly isLimit: boolean
}

/** Least `recall.newerFirst` that keeps entries from being compared. */
const NEVER = 100

/**
 * Orders entries by the pair score: the newer of two that are likely versions of one fact comes first, or the version that a question
 * about the past wants. A statement where any two are likely.
 */
export async function newerFirst(engine: Engine, tx: ReadTransaction, found: Sized): Promise<Sized> {
  const { entries, size, isLimit, asked, disputes, verbatim } = found
  const { newerFirst: least } = engine.settings.recall
  if (asked === undefined || least >= NEVER) return found
  const compared = comparable(found)
  const later = laterThan(compared, found.heldAt)
  const best = Math.max(1e-6, ...entries.map(({ match }) => match?.rank ?? 0))
  const guesses = guessAmong(engine, compared, { ...found, asked, later, best })
  const settled = guesses.length === 0 ? [] : await readSettledPairs(tx, guesses.map(endsOf))
  const isDecided = new Set([
    ...settled.map(({ a, b }) => keyOf(a, b)),
    ...disputes.map(({ one, other }) => keyOf(one, other)),
  ])
  const open = guesses.filter(({ older, newer }) => older !== verbatim && !isDecided.has(keyOf(older, newer)))
  const ranked = entries.map(({ facts, match }) => ({
    id: facts.id,
    rank: (match?.rank ?? 0) / best,
    at: later.get(facts.id) ?? 0,
  }))
  const past = asked.past && pastWanted(asked.past, compared[0]?.block.id, found)
  const { order, marks, moved } = arrange(ranked, open, { size, isLimit, newerFirst: least, past })
  const byId = new Map(entries.map((entry) => [entry.facts.id, entry]))
  const why = asked.past === undefined ? 'newer' : 'past'
  const chosen = order.map((id): Candidate => {
    const before = moved.get(id)
    return {
      ...(byId.get(id) as Candidate),
      ...(before !== undefined && { moved: { why, before } }),
      marks: marks.flatMap(({ newer, older }) => (newer === id ? [{ kind: 'newer', of: older }] : [])),
    }
  })
  const isChosen = new Set(order)
  const beyond = entries.filter(({ facts }) => !isChosen.has(facts.id))
  return { ...found, entries: [...chosen, ...beyond], size: chosen.length }
}

const endsOf = ({ older, newer }: Guess) => orderedPair(older, newer)

/** Returns the best entries that the score was made for: short notes of no known speaker that match by themselves. */
function comparable({ entries, blocks }: Sized): Entry[] {
  return entries.slice(0, COMPARED_MOST).flatMap((entry) => {
    const block = blocks.get(entry.facts.id)
    const isNote = block?.source === undefined && (block?.content.length ?? 0) <= PAIR_TEXT_MOST
    return block !== undefined && isNote && entry.match !== undefined ? [{ ...entry, block }] : []
  })
}

/** Returns the places of blocks in time: those that hold no more, then those that hold, each by when they began, or else were said. */
function laterThan(compared: readonly Entry[], at: string): ReadonlyMap<string, number> {
  const isLater = (one: Block, other: Block) => {
    const [isHeld, isOtherHeld] = [holdsAt(one, at), holdsAt(other, at)]
    if (isHeld !== isOtherHeld) return isHeld
    const [begun, otherBegun] = [beginOf(one), beginOf(other)]
    return begun === otherBegun ? isNewer(one, other) : begun > otherBegun
  }
  const byAge = compared.map(({ block }) => block).sort((one, other) => (isLater(one, other) ? 1 : -1))
  return new Map(byAge.map(({ id }, place) => [id, place]))
}

const beginOf = (block: Block) => block.validFrom ?? lastSaidAt(block)

/** The question, and what is known of the entries that are compared for it. */
interface Scoring extends Pick<Sized, 'size' | 'heldAt'> {
  readonly asked: Asked
  /** Places of blocks in time; larger is later. */
  readonly later: ReadonlyMap<string, number>
  /** Rank of the best match. */
  readonly best: number
}

/** Scores the pairs of entries of which the newer may come before the older, or in beside it. */
function guessAmong(
  { index, analysis }: Engine,
  compared: readonly Entry[],
  { asked, size, heldAt: at, later, best }: Scoring,
): Guess[] {
  const cosine = cosinesOf(index, compared)
  const score = pairScorer({
    notes: compared.map(({ block, match }) => ({
      text: textOf(analysis, block.content),
      at: later.get(block.id) ?? 0,
      rank: (match?.rank ?? 0) / best,
      asked: match?.cosine ?? Number.NaN,
    })),
    question: pairText(asked.text, analysis.language.terms),
    cosine,
    size: index.size,
    idf: (term) => index.idf(term),
  })
  const reach = asked.past === undefined ? size : compared.length
  return compared.slice(0, reach).flatMap(({ block: older }, one) =>
    compared.flatMap(({ block: newer, terms }, other): Guess[] => {
      const isLater = (later.get(newer.id) ?? 0) > (later.get(older.id) ?? 0)
      if (!isLater || hasBadReports(terms) || !mayFollow(newer, older, at)) return []
      const z = score(one, other)
      const isAgain = saidAt(newer) < lastSaidAt(older)
      const hasEnded = !holdsAt(older, at) && holdsAt(newer, at)
      if (z < LIMITS.past && !isAgain) return []
      return [{ older: older.id, newer: newer.id, z, cosine: cosine(one, other) ?? -1, isAgain, hasEnded }]
    }),
  )
}

/** Returns the cosine of two by their places; undefined where one has no vector. */
function cosinesOf(index: Engine['index'], compared: readonly Entry[]) {
  const cosines = compared.map(({ block: one }, place) =>
    compared.slice(0, place).map(({ block: other }) => index.similarity(one.id, other.id)),
  )
  return (one: number, other: number) => (one > other ? cosines[one]?.[other] : cosines[other]?.[one])
}

/** Returns true if reports lowered a score; they count more than the date of a block. */
function hasBadReports(terms: Candidate['terms']): boolean {
  const reported = terms.filter(({ name }) => name === 'belief' || name === 'asked')
  return reported.reduce((sum, { amount }) => sum + amount, 0) < 0
}

/** Returns true if a block may come before another one: a clock that was set back says nothing of a block without a given beginning. */
function mayFollow(newer: Block, older: Block, at: string): boolean {
  const hasStarted = newer.validFrom === undefined || hasBegun(newer, at)
  return newer.scope === older.scope && mayCover(newer, older) && hasStarted
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

/** Number of steps back that are read of what replaced each other; `history` has them all. */
const STEPS_MOST = 3
/** Number of steps back for a question about the past, which may want the first version. */
const STEPS_INTO_PAST = 32

/**
 * Adds to entries the blocks that they and their versions superseded, as far as the one who remembered them said so and somebody
 * agreed: archived since, so that nothing else tells that there was another value. Newest first; a forgotten one of a chain
 * is passed over. One statement for each step back, none where no entry replaced anything.
 */
export async function addReplaced<T extends Ranked & { readonly entries: readonly Entry[] }>(
  tx: ReadTransaction,
  found: T,
): Promise<T> {
  const { entries, filter, asked } = found
  const added = new Map<string, RecalledVersion[]>()
  const seen = new Set(
    entries.flatMap(({ block, versions }) => [block.id, ...versions.map((each) => each.block.id)]),
  )
  let steps = entries.flatMap((entry) =>
    [entry.block, ...entry.versions.map(({ block }) => block)].map((by) => ({ entry, by })),
  )
  for (let step = 0; step < (asked?.past === undefined ? STEPS_MOST : STEPS_INTO_PAST); step++) {
    const ids = steps.flatMap(({ by: { supersedes } }) =>
      supersedes === undefined || seen.has(supersedes) ? [] : [supersedes],
    )
    if (ids.length === 0) break
    const blocks = new Map((await readBlocks(tx, [...new Set(ids)])).map((block) => [block.id, block]))
    steps = steps.flatMap(({ entry, by }) => {
      const block = blocks.get(by.supersedes ?? '')
      if (block === undefined || block.status !== 'archived' || seen.has(block.id)) return []
      seen.add(block.id)
      // Trust matters only where nobody decided that the one takes the place of the other.
      const mayStand = block.supersededBy === by.id || mayCover(entry.block, block)
      const isTold = block.archiveReason === 'superseded' && mayStand
      if (isTold && passesFilter(block, { ...filter, ids: undefined, active: undefined })) {
        const version = { block, why: 'superseded' as const }
        added.set(entry.block.id, [...(added.get(entry.block.id) ?? []), version])
      }
      return [{ entry, by: block }]
    })
  }
  const withAdded = (entry: Entry): Entry => ({
    ...entry,
    versions: [...entry.versions, ...(added.get(entry.block.id) ?? [])],
  })
  return { ...found, entries: entries.map(withAdded) }
}

/**
 * Returns which version a question wants among entries; undefined where told versions decide.
 *
 * @param first id of the first entry that is compared
 */
function pastWanted(
  past: PastAsked,
  first: string | undefined,
  {
    entries,
    blocks,
  }: { readonly entries: readonly Candidate[]; readonly blocks: ReadonlyMap<string, Block> },
): PastWanted | undefined {
  const told = new Set(entries.flatMap(({ facts, under }) => (under.length > 0 ? [facts.id] : [])))
  const isTold = (id: string) => told.has(id) || blocks.get(id)?.supersedes !== undefined
  if (typeof past === 'string') return first === undefined || isTold(first) ? undefined : past
  const until = endOfPast(past)
  return (id) => {
    const block = blocks.get(id)
    return block === undefined || isTold(id) || hasBegun(block, until)
  }
}

const endOfPast = ({ to }: Exclude<PastAsked, string>) => new Date(to - 1).toISOString()

/**
 * Puts the version that a question about the past asks for in the place of each entry: under it stand the later ones, newest first,
 * and then the earlier. An entry stays where none of its versions is of then, or may be shown in its place.
 */
export function turnToPast<T extends Asking & { readonly entries: readonly Entry[] }>(
  found: T,
  past: PastAsked,
): T {
  const { versionsMost } = RECALL
  const entries = found.entries.map((entry): Entry => {
    const turned = (entry.guaranteed ? undefined : turnedRound(past, entry, found)) ?? entry
    const { versions, moreVersions } = turned
    const more = moreVersions + Math.max(0, versions.length - versionsMost)
    return { ...turned, versions: versions.slice(0, versionsMost), moreVersions: more }
  })
  return { ...found, entries }
}

/** Returns the entry of a version of then; what it rested on may have ended since, which says nothing of then. */
function turnedRound(past: PastAsked, entry: Entry, asking: Asking): Entry | undefined {
  const { block: newest, versions, under } = entry
  const earlier = versions
    .filter(({ why }) => why !== 'proposed')
    .toSorted((a, b) => latestFirst(a.block, b.block))
  const wanted = versionOf(past, newest, earlier)
  if (wanted === undefined) return undefined
  const head = wanted.block
  // Trust matters only where nobody said that the newer takes its place.
  if (wanted.why !== 'superseded' && !mayCover(head, newest)) return undefined
  const others = [{ block: newest, why: 'later' as const }, ...earlier.filter((each) => each !== wanted)]
  const isLater = ({ block }: RecalledVersion) => latestFirst(block, head) < 0
  const found = under.find(({ id }) => id === head.id)?.candidate ?? { ...entry, facts: head }
  const { through: _through, passage: _passage, ...candidate } = found
  return {
    ...candidate,
    ...passageOf(candidate, head, asking),
    block: head,
    under,
    marks: [],
    outdated: [],
    moreVersions: 0,
    moved: { why: 'past', before: newest.id },
    versions: [
      ...others.filter(isLater).map(({ block }): RecalledVersion => ({ block, why: 'later' })),
      ...others.filter((each) => !isLater(each)),
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
  const until = endOfPast(past)
  if (hasBegun(newest, until)) return undefined
  return earlier.find(({ block }) => hasBegun(block, until))
}

/** Orders by when blocks began to hold, as they say, else as they were said; what had ended before it was said began before all. */
function latestFirst(one: Block, other: Block): number {
  const [first = '', second = ''] = [startOf(one), startOf(other)]
  if (first !== second) return first > second ? -1 : 1
  return isNewer(one, other) ? -1 : 1
}
