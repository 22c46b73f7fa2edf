import type { Block, BlockFacts } from '../../domain/block/block.ts'
import { mayCover } from '../../domain/block/source-class.ts'
import { hasBegun, holdsAt, isNewer, lastSaidAt, saidAt } from '../../domain/block/validity/validity.ts'
import { type BlockPair, CONTRADICTS, orderedPair } from '../../domain/graph/edge.ts'
import { confidenceOf } from '../../domain/score/formulas.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { PAIR_TEXT_MOST, type PairText, pairScorer, pairText } from '../../domain/versions/pair-score.ts'
import {
  arrange,
  countsAt,
  type Guess,
  groupVersions,
  LIMITS,
  type RecalledVersion,
  type Tie,
  tieOf,
} from '../../domain/versions/versions.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import { passesFilter } from '../../search/index/blocks.ts'
import type { Analysis } from '../../search/question.ts'
import type { Engine } from '../engine/engine.ts'
import { type Asked, type Candidate, type Entry, type Moved, RECALL } from './match.ts'
import { pastWanted } from './past.ts'
import type { Ranked } from './rank.ts'

/** Number of the best entries that are compared with each other. */
const COMPARED_MOST = 10

/** Two blocks that contradict each other, as somebody said who read both. */
export interface Dispute {
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
export async function groupTold(engine: Engine, tx: StoreReader, found: Ranked): Promise<Grouped> {
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
    preferenceOf(verbatim === undefined ? undefined : entries.get(verbatim), best, 'verbatim'),
    ...told.ties
      .filter(isAhead)
      .map(({ newer, older }) => preferenceOf(entryOf(older), entryOf(newer), 'holds')),
    ...ties.map(({ newer, older }) => moreTrusted(entryOf(older), entryOf(newer))),
    ...disputes.map(
      ({ one, other }) =>
        moreTrusted(entryOf(one), entryOf(other)) ?? moreBelieved(entryOf(one), entryOf(other)),
    ),
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

function preferenceOf(
  first: Candidate | undefined,
  behind: Candidate | undefined,
  why: Moved['why'],
): Preference | undefined {
  if (first === undefined || behind === undefined || first === behind) return undefined
  return { first: first.facts.id, moved: { why, before: behind.facts.id } }
}

function moreTrusted(one: Candidate | undefined, other: Candidate | undefined): Preference | undefined {
  if (one === undefined || other === undefined) return undefined
  if (!mayCover(other.facts, one.facts)) return preferenceOf(one, other, 'trusted')
  return mayCover(one.facts, other.facts) ? undefined : preferenceOf(other, one, 'trusted')
}

function moreBelieved(one: Candidate | undefined, other: Candidate | undefined): Preference | undefined {
  if (one === undefined || other === undefined) return undefined
  const difference = confidenceOf(one.facts) - confidenceOf(other.facts)
  if (difference === 0) return undefined
  return difference > 0 ? preferenceOf(one, other, 'believed') : preferenceOf(other, one, 'believed')
}

/** Puts entries before others, one preference after the other. */
function inOrder(
  entries: readonly Candidate[],
  preferences: readonly (Preference | undefined)[],
): readonly Candidate[] {
  return preferences.reduce((order, preference) => {
    if (preference === undefined) return order
    const { first, moved } = preference
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
async function readTold(engine: Engine, tx: StoreReader, found: Ranked): Promise<ToldVersions> {
  const { index } = engine
  const { candidates, guaranteed, filter } = found
  const known = new Set([...candidates, ...guaranteed].map(({ facts }) => facts.id))
  const proposed = await proposedPairs(engine, tx, [...known])
  const leadsOn = ({ a, b, kind }: BlockPair) => kind === 'supersession' && known.has(a) !== known.has(b)
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const walked = isWalk ? await tx.groupedPairs([...from], from.size + RECALL.versionsReach) : found.pairs
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
  const blocks = new Map((await tx.blocks(ends)).map((block) => [block.id, block]))
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
  tx: StoreReader,
  ids: readonly string[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || ids.length === 0) return []
  const replacing = await tx.replacing(ids, ids.length + RECALL.versionsReach)
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
export async function newerFirst(engine: Engine, tx: StoreReader, found: Sized): Promise<Sized> {
  const { entries, size, isLimit, asked, disputes, verbatim } = found
  const { newerFirst: least } = engine.settings.recall
  if (asked === undefined || least >= NEVER) return found
  const compared = comparable(found)
  const later = laterThan(compared, found.heldAt)
  const best = Math.max(1e-6, ...entries.map(({ match }) => match?.rank ?? 0))
  const guesses = guessAmong(engine, compared, { ...found, asked, later, best })
  const settled = guesses.length === 0 ? [] : await tx.settledPairs(guesses.map(endsOf))
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
  tx: StoreReader,
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
    const blocks = new Map((await tx.blocks([...new Set(ids)])).map((block) => [block.id, block]))
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
