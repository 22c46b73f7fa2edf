import { type Block, type BlockFacts, isIdentity, mayCover, type SourceClass } from '../block/block.ts'
import { isSameText } from '../block/text.ts'
import { hasBegun, hasEnded, holdsAt, isNewer, lastSaidAt, saidAt } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { type BlockPair, CONTRADICTS, keyOf, orderedPair, replacingPair } from '../graph/edge.ts'
import { passesFilter } from '../index/blocks.ts'
import type { PastAsked } from '../language/pack.ts'
import { confidenceOf } from '../outcome/formulas.ts'
import { type Links, readSettledPairs } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type Asked,
  type Asking,
  type Candidate,
  type Entry,
  type Moved,
  passageOf,
  type Ranked,
  RECALL,
  type ReadVersion,
  type Version,
} from './match.ts'
import {
  arrange,
  comesFirst,
  type Guess,
  LIMITS,
  PAIR_TEXT_MOST,
  pairScorer,
  pairText,
  textOf,
} from './pair-score.ts'

/**
 * A version that somebody told: a block remembered with `supersedes`, or a pair whose newer block takes the older's place, as the owner,
 * the host agent or a model said. Nothing else puts a block under another.
 */
interface Tie {
  readonly newer: string
  readonly older: string
  /** The class of the judge who read both blocks; absent if the newer block itself names the older. */
  readonly judge?: SourceClass
}

/** Values of `foundBy` that stand for a judge who read both blocks. */
const JUDGES: ReadonlySet<string | undefined> = new Set(['model', 'host', 'owner'])

/** Returns the version that a pair tells; undefined if nobody told anything. */
function tieOf({ a, b, kind, foundBy }: BlockPair, blocks: ReadonlyMap<string, Block>): Tie | undefined {
  const [one, other] = [blocks.get(a), blocks.get(b)]
  if (one?.supersedes === b) return { newer: a, older: b }
  if (other?.supersedes === a) return { newer: b, older: a }
  if (kind !== 'supersession' || !JUDGES.has(foundBy) || !one || !other) return undefined
  const judge = foundBy === 'owner' ? 'user' : 'agent'
  return isNewer(one, other) ? { newer: a, older: b, judge } : { newer: b, older: a, judge }
}

/** Returns true if a tie counts at a time: a block that has not begun or has ended takes no other's place. */
function countsAt(at: string, { newer, older, judge }: Tie, blocks: ReadonlyMap<string, Block>): boolean {
  const [first, second] = [blocks.get(newer), blocks.get(older)]
  if (first === undefined || second === undefined) return true
  if (first.scope !== second.scope || (!hasBegun(first, at) && hasBegun(second, at))) return false
  return !holdsAt(second, at) || holdsAt(first, at) || (judge === undefined && hasEnded(first, at))
}

/**
 * Groups blocks by told versions: each stands under the newest of its fact. No block stands under one that is trusted less: then both are
 * entries. `headOf` returns the block that another one stands under, or itself; `under` has the versions under a block, newest first. A
 * `fixed` block stands under none.
 */
function groupVersions(
  blocks: readonly BlockFacts[],
  ties: readonly Tie[],
  fixed: ReadonlySet<string> = new Set(),
) {
  const facts = new Map(blocks.map((each) => [each.id, each]))
  const versions = new Map<string, Version & { readonly by: string }>()
  const headOf = (id: string): string => {
    const version = versions.get(id)
    return version === undefined ? id : headOf(version.by)
  }
  const statedFirst = ties.toSorted((one, other) => Number(!!one.judge) - Number(!!other.judge))
  for (const { newer: newerId, older: olderId, judge } of statedFirst) {
    const [newer, older] = [facts.get(newerId), facts.get(olderId)]
    if (newer === undefined || older === undefined) continue
    const heads = [newer, older].map(({ id }) => facts.get(headOf(id))) as [BlockFacts, BlockFacts]
    const version =
      judge === undefined ? statedVersion(newer, older, heads) : judgedVersion(newer, older, heads, judge)
    if (version !== undefined && !fixed.has(version.id)) versions.set(version.id, version)
  }
  const below = [...versions.keys()].flatMap((id) => facts.get(id) ?? [])
  const newestFirst = below.sort((one, other) => (isNewer(one, other) ? -1 : 1))
  const under = newestFirst.flatMap(({ id }) => versions.get(id) ?? [])
  return { headOf, under: Map.groupBy(under, ({ id }) => headOf(id)) }
}

type Heads = readonly [BlockFacts, BlockFacts]

/** Returns the head that goes under the other one if one block was remembered in the place of another; undefined if none may. */
function statedVersion(newer: BlockFacts, older: BlockFacts, [first, second]: Heads) {
  if (first === second) return undefined
  // A block that was last said before another is no later word, whatever it says of itself.
  const [head, loser] = lastSaidAt(first) < lastSaidAt(second) ? [second, first] : [first, second]
  if (![newer, older, head].every((each) => mayCover(each, loser))) return undefined
  const isProposal = loser === newer && !mayCover(newer, older)
  return { id: loser.id, why: isProposal ? 'proposed' : 'superseded', by: head.id } as const
}

/** Returns the older of two judged blocks as a version of the newer, if it stands under none and the judge may say so. */
function judgedVersion(newer: BlockFacts, older: BlockFacts, [head, own]: Heads, judge: SourceClass) {
  // A block of identity has only blocks of identity as versions.
  if (isIdentity(newer) && !isIdentity(older)) return undefined
  const isFree = own === older && head !== older
  const mayGo = mayCover(judge, older) && mayCover(newer, older)
  return isFree && mayGo ? ({ id: older.id, why: 'earlier', by: newer.id } as const) : undefined
}

/** Returns the ids of the blocks of an open pair that recall shows as entries until somebody decides. `at`: ISO-8601 UTC. */
export function shownMeanwhile(pair: BlockPair, blocks: readonly Block[], at: string): ReadonlySet<string> {
  const living = blocks.filter(({ status }) => status !== 'archived')
  const byId = new Map(living.map((block) => [block.id, block]))
  const tie = tieOf(pair, byId)
  const { headOf } = groupVersions(living, tie !== undefined && countsAt(at, tie, byId) ? [tie] : [])
  return new Set(living.flatMap(({ id }) => (headOf(id) === id ? [id] : [])))
}

/** Number of the best entries that are compared with each other. */
const COMPARED_MOST = 10

/** Two blocks that contradict each other, as a judge said who read both. */
interface Dispute {
  readonly one: string
  readonly other: string
}

/** A recall is grouped once told versions of one fact are one entry. */
export interface Grouped extends Ranked {
  /** The entries in their order, without guaranteed ones. */
  readonly entries: readonly Candidate[]
  /** The blocks read so far, by id. */
  readonly blocks: ReadonlyMap<string, Block>
  readonly disputes: readonly Dispute[]
  /** The time that the answer is for, or a future time that the question asks for, ISO-8601 UTC. */
  readonly heldAt: string
  /** Id of a block whose text is the question. */
  readonly verbatim: string | undefined
}

/**
 * Makes entries of candidates: told versions of one fact are one entry, in the best place of them all, even if the newest was not found
 * itself. Of two that contradict each other, or that propose to replace each other, the more trusted comes first, then the one believed
 * more. It waits once for what it reads, and again if versions lead to further blocks.
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
  const withVersions = (each: Candidate): Candidate => ({
    ...each,
    versions: (under.get(each.facts.id) ?? []).map(({ id, why }) => {
      const candidate = known.get(id)
      return { id, why, ...(candidate && { candidate }) }
    }),
  })
  const entries = new Map<string, Candidate>()
  for (const each of candidates) {
    const { id } = each.facts
    const head = headOf(id)
    if (always.has(head) || entries.has(head)) continue
    const unfound = { ...each, facts: told.beyond.get(head) ?? each.facts, isUnfound: true } as const
    const entry = withVersions(known.get(head) ?? unfound)
    entries.set(head, head === id ? entry : withMove(entry, 'version', id))
  }
  const disputes = disputesIn({ edges: found.edges, pairs: told.pairs })
  const verbatim = candidates.find(({ facts }) => isVerbatim(blocks.get(facts.id), asked))?.facts.id
  const entryOf = (id: string) => entries.get(headOf(id))
  const order = [...entries.values()]
  putBefore(order, entries.get(verbatim ?? ''), order[0], 'verbatim')
  const isAhead = (block: Block | undefined) => block !== undefined && !hasBegun(block, heldAt)
  for (const { newer, older } of told.ties.filter((tie) => isAhead(blocks.get(tie.newer))))
    putBefore(order, entryOf(older), entryOf(newer), 'holds')
  for (const { newer, older } of ties) putBetter(order, entryOf(older), entryOf(newer), false)
  for (const { one, other } of disputes) putBetter(order, entryOf(one), entryOf(other), true)
  return {
    ...found,
    guaranteed: guaranteed.map(withVersions),
    entries: order,
    blocks,
    disputes,
    heldAt,
    verbatim,
  }
}

/** Returns the stated contradictions among edges and open pairs, each once, without those that only a rule found. */
export function disputesIn({ edges, pairs }: Links): Dispute[] {
  const found = [
    ...edges
      .filter(({ relation }) => relation === CONTRADICTS)
      .map(({ from, to }) => ({ one: from, other: to })),
    ...pairs
      .filter(({ kind, foundBy }) => kind === 'contradiction' && !foundBy?.startsWith('rule:'))
      .map(({ a, b }) => ({ one: a, other: b })),
  ]
  return [...new Map(found.map((dispute) => [keyOf([dispute.one, dispute.other]), dispute])).values()]
}

/** Returns the ids of the blocks that contradict a block. */
export function opponentsOf(id: string, disputes: readonly Dispute[]): string[] {
  return disputes.flatMap(({ one, other }) => (one === id ? [other] : other === id ? [one] : []))
}

function isVerbatim(block: Block | undefined, asked: Asked | undefined): boolean {
  if (block === undefined || asked === undefined) return false
  // Formatting adds at most a few characters.
  return Math.abs(block.content.length - asked.text.length) <= 40 && isSameText(block.content, asked.text)
}

/** Puts an entry before another one if it stands behind that one. */
function putBefore(
  order: Candidate[],
  first: Candidate | undefined,
  behind: Candidate | undefined,
  why: Moved['why'],
): void {
  if (first === undefined || behind === undefined) return
  const [from, to] = [first, behind].map((each) =>
    order.findIndex(({ facts }) => facts.id === each.facts.id),
  ) as [number, number]
  if (from <= to) return
  const [entry] = order.splice(from, 1) as [Candidate]
  order.splice(to, 0, withMove(entry, why, behind.facts.id))
}

function withMove(entry: Candidate, why: Moved['why'], before: string): Candidate {
  return { ...entry, moves: [...entry.moves, { why, before }] }
}

/** Puts the more trusted of two entries first; if they contradict each other and are trusted alike, the one believed more. */
function putBetter(
  order: Candidate[],
  one: Candidate | undefined,
  other: Candidate | undefined,
  isDispute: boolean,
): void {
  if (one === undefined || other === undefined) return
  const difference = isDispute ? confidenceOf(one.facts) - confidenceOf(other.facts) : 0
  if (!mayCover(other.facts, one.facts)) putBefore(order, one, other, 'trusted')
  else if (!mayCover(one.facts, other.facts)) putBefore(order, other, one, 'trusted')
  else if (difference > 0) putBefore(order, one, other, 'believed')
  else if (difference < 0) putBefore(order, other, one, 'believed')
}

/**
 * Reads the told versions of the blocks found, and beyond the candidates, so that the newest of a chain is known whichever was found.
 * `beyond` has versions that were not found and pass the filter, `blocks` the best candidates and the ends of all ties.
 */
async function readTold({ index }: Engine, tx: ReadTransaction, found: Ranked) {
  const { candidates, guaranteed, filter, around } = found
  const known = new Set([...candidates, ...guaranteed].map(({ facts }) => facts.id))
  const leadsOn = ({ a, b, kind }: BlockPair) => kind === 'supersession' && known.has(a) !== known.has(b)
  const walk = (from: ReadonlySet<string>) =>
    tx.queries.groupedPairs([...from], from.size + RECALL.versionsReach)
  const best = [...candidates.slice(0, COMPARED_MOST), ...guaranteed]
  const disputes = disputesIn(found).flatMap(({ one, other }) => [one, other])
  const versions = found.pairs.filter(leadsOn).flatMap(({ a, b }) => [a, b])
  const former = [...around.blocks.values()].flatMap(({ supersedes }) => supersedes ?? [])
  const [proposed, near] = await Promise.all([
    proposedPairs(index, tx, [...known]),
    versions.length > 0 ? walk(known) : found.pairs,
    around.look(best, [...versions, ...disputes, ...former]),
  ])
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const walked = from.size > known.size ? await walk(from) : near
  const pairs = [...walked.filter(({ kind }) => kind === 'supersession'), ...proposed]
  const beyond = pairs
    .flatMap(({ a, b }) => [a, b])
    .filter((id) => !known.has(id))
    .flatMap((id) => index.get(id) ?? [])
    .filter((facts) => passesFilter(facts, filter))
  const isHere = new Set([...known, ...beyond.map(({ id }) => id)])
  const among = pairs.filter(({ a, b }) => isHere.has(a) && isHere.has(b))
  const ends = new Set([...best.map(({ facts }) => facts.id), ...among.flatMap(({ a, b }) => [a, b])])
  await around.look([], [...ends])
  const blocks = new Map([...around.blocks].filter(([id]) => ends.has(id)))
  return {
    ties: among.flatMap((pair) => tieOf(pair, blocks) ?? []),
    beyond: new Map(beyond.map((facts) => [facts.id, facts])),
    blocks,
    pairs: [...found.pairs, ...pairs],
  }
}

/**
 * Returns pairs of a waiting block and the block that it is to replace, through whole chains around the blocks found: their dream will note
 * them. Runs one statement, none if no block waits.
 */
async function proposedPairs(
  index: Engine['index'],
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || ids.length === 0) return []
  const replacing = await tx.queries.replacing(ids, ids.length + RECALL.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }) =>
    status === 'inbox' && supersedes ? [replacingPair({ id }, { id: supersedes }, createdAt)] : [],
  )
}

/** Number of steps that are read back along replaced blocks; a question about the past may want the first version. */
const STEPS = { back: 3, past: 32 }

/**
 * Adds to entries the archived blocks that they and their versions replaced, if the replacement was stated and accepted; otherwise nothing
 * tells that there was another value. The newest comes first; a forgotten block of a chain is passed over. Runs one statement for each step
 * back, none if no entry replaced anything.
 */
export async function addReplaced<T extends Ranked & { readonly entries: readonly Entry[] }>(
  found: T,
): Promise<T> {
  const { entries, filter, asked, around } = found
  const added = new Map<Entry, ReadVersion[]>()
  let steps = entries.flatMap((entry) => [entry, ...entry.versions].map(({ block: by }) => ({ entry, by })))
  const seen = new Set(steps.map(({ by }) => by.id))
  for (let left = asked?.past === undefined ? STEPS.back : STEPS.past; left > 0; left--) {
    const ids = steps.flatMap(({ by: { supersedes: id = '' } }) => (id === '' || seen.has(id) ? [] : [id]))
    if (ids.length === 0) break
    await around.look([], [...new Set(ids)])
    steps = steps.flatMap(({ entry, by }) => {
      const block = around.blocks.get(by.supersedes ?? '')
      if (block === undefined || block.status !== 'archived' || seen.has(block.id)) return []
      seen.add(block.id)
      // Trust matters only if nobody decided that one block takes the place of the other.
      const mayStand = block.supersededBy === by.id || mayCover(entry.block, block)
      const isTold = block.archiveReason === 'superseded' && mayStand
      if (isTold && passesFilter(block, { ...filter, ids: undefined, active: undefined }))
        added.set(entry, [...(added.get(entry) ?? []), { id: block.id, block, why: 'superseded' }])
      return [{ entry, by: block }]
    })
  }
  const withAdded = (entry: Entry): Entry => ({
    ...entry,
    versions: [...entry.versions, ...(added.get(entry) ?? [])],
  })
  return { ...found, entries: entries.map(withAdded) }
}

/** A recall is ordered once the number of its entries is known. */
export interface Ordered extends Grouped {
  readonly size: number
  /** The caller or the owner set the size. */
  readonly isLimit: boolean
}

/**
 * Orders entries by the pair score: the newer of two likely versions of one fact comes first, or the version that a question about the past
 * wants. Runs a statement if likely versions are not among the first blocks that were looked at.
 */
export async function newerFirst(engine: Engine, tx: ReadTransaction, found: Ordered): Promise<Ordered> {
  const { entries, size, isLimit, asked, disputes, verbatim, around } = found
  const { newerFirst: least } = engine.settings.recall
  // No score reaches 100, so that this setting switches the order off.
  if (asked === undefined || least >= 100) return found
  const compared = comparable(found)
  const places = placesInTime(compared, found.heldAt)
  const guesses = guessAmong(engine, compared, { found, asked, places })
  const ends = guesses.map(({ older, newer }) => orderedPair(older, newer))
  const unread = ends.filter((pair) => !pair.every((id) => around.first.has(id)))
  const settled = await readSettledPairs(tx, unread)
  const isDecided = new Set([
    ...[...around.settled, ...settled].map(({ a, b }) => keyOf([a, b])),
    ...disputes.map(({ one, other }) => keyOf([one, other])),
  ])
  const open = guesses.filter(
    ({ older, newer }) => older !== verbatim && !isDecided.has(keyOf([older, newer])),
  )
  const byId = new Map(entries.map((entry) => [entry.facts.id, entry]))
  const { order, marks, moved } = arrange([...byId.keys()], open, {
    ...{ size, isLimit, newerFirst: least },
    placeOf: (id) => places.get(id) ?? 0,
    past: asked.past && pastChoice(asked.past, compared[0]?.block.id, found),
  })
  const why = asked.past === undefined ? 'newer' : 'past'
  const chosen = order.map((id): Candidate => {
    const before = moved.get(id)
    byId.delete(id)
    const entry = entries.find(({ facts }) => facts.id === id) as Candidate
    return {
      ...(before === undefined ? entry : withMove(entry, why, before)),
      marks: marks.flatMap(({ newer, older }) => (newer === id ? [{ kind: 'newer', of: older }] : [])),
    }
  })
  return { ...found, entries: [...chosen, ...byId.values()], size: chosen.length }
}

/** A candidate whose block is read. */
type Read = Candidate & { readonly block: Block }

/** Returns the best entries for which the score was made: short notes without a named speaker that match by themselves. */
function comparable({ entries, blocks }: Ordered): Read[] {
  return entries.slice(0, COMPARED_MOST).flatMap((entry) => {
    const block = blocks.get(entry.facts.id)
    const isNote = block?.source === undefined && (block?.content.length ?? 0) <= PAIR_TEXT_MOST
    return block !== undefined && isNote && entry.match !== undefined ? [{ ...entry, block }] : []
  })
}

/** Returns the places of blocks in time: first those that hold no more, then those that hold. */
function placesInTime(compared: readonly Read[], at: string): ReadonlyMap<string, number> {
  const byAge = compared
    .map(({ block }) => block)
    .sort(
      (one, other) => Number(holdsAt(one, at)) - Number(holdsAt(other, at)) || (newer(one, other) ? 1 : -1),
    )
  return new Map(byAge.map(({ id }, place) => [id, place]))
}

/** Returns true if the first of two blocks is the newer version, by the time from which it holds, or else was last said. */
function newer(one: Block, other: Block): boolean {
  const [begun, otherBegun] = [one, other].map((block) => block.validFrom ?? lastSaidAt(block))
  return begun === otherBegun ? isNewer(one, other) : (begun ?? '') > (otherBegun ?? '')
}

/** Scores the pairs of entries whose newer block may come before the older, or be added beside it. */
function guessAmong(
  { index, analysis, settings }: Engine,
  compared: readonly Read[],
  { found, asked, places }: { found: Ordered; asked: Asked; places: ReadonlyMap<string, number> },
): Guess[] {
  const best = Math.max(1e-6, ...found.entries.map(({ match }) => match?.rank ?? 0))
  const notes = compared.map(({ block, match }) => ({
    text: textOf(analysis, block.content),
    at: places.get(block.id) ?? 0,
    rank: (match?.rank ?? 0) / best,
    asked: match?.cosine ?? Number.NaN,
  }))
  const cosines = compared.map((one, place) =>
    compared.slice(0, place).map((other) => index.similarity(one.block.id, other.block.id)),
  )
  const cosineOf = (one: number, other: number) => cosines[Math.max(one, other)]?.[Math.min(one, other)]
  const score = pairScorer({
    notes,
    question: pairText(asked.text, analysis.language.terms),
    cosine: cosineOf,
    size: index.size,
    idf: (term) => index.idf(term),
  })
  const { heldAt: at } = found
  return compared.slice(0, asked.past === undefined ? found.size : compared.length).flatMap((older, i) =>
    compared.flatMap((newer, j): Guess[] => {
      const [one, other] = [notes[i], notes[j]]
      if (!one || !other || other.at <= one.at || hasBadReports(newer.terms)) return []
      if (!mayFollow(newer.block, older.block, at)) return []
      const z = score(i, j)
      const isAgain = saidAt(newer.block) < lastSaidAt(older.block)
      if (z < LIMITS.past && !isAgain) return []
      const hasEnded = !holdsAt(older.block, at) && holdsAt(newer.block, at)
      const facts = { z, cosine: cosineOf(i, j) ?? -1, apart: other.rank - one.rank, isAgain, hasEnded }
      const isStrong = comesFirst(facts, settings.recall.newerFirst)
      return [{ older: older.block.id, newer: newer.block.id, z, isStrong }]
    }),
  )
}

/** Returns true if reports lowered a score; they count more than the date of a block. */
function hasBadReports(terms: Candidate['terms']): boolean {
  const reported = terms.filter(({ name }) => name === 'belief' || name === 'asked')
  return reported.reduce((sum, { amount }) => sum + amount, 0) < 0
}

/** Returns true if a block may come before another one. Without a given beginning its dates are not tested: a clock may be set back. */
function mayFollow(newer: Block, older: Block, at: string): boolean {
  const hasStarted = newer.validFrom === undefined || hasBegun(newer, at)
  return newer.scope === older.scope && mayCover(newer, older) && hasStarted
}

/**
 * Returns a function that chooses the version that a question wants from the ids of one fact, newest first. Returns undefined if the told
 * versions of the first entry decide.
 */
function pastChoice(past: PastAsked, first: string | undefined, { entries, blocks }: Ordered) {
  const told = new Set(entries.flatMap(({ facts, versions }) => (versions.length > 0 ? [facts.id] : [])))
  const isTold = (id: string) => told.has(id) || blocks.get(id)?.supersedes !== undefined
  if (typeof past === 'string' && (first === undefined || isTold(first))) return undefined
  return (ids: readonly string[]) =>
    versionOfPast(past, ids, (id) => (isTold(id) ? undefined : blocks.get(id)))
}

/** Returns the version that a question about the past wants, from those of one fact, newest first; an unknown block counts as begun. */
function versionOfPast<T>(
  past: PastAsked,
  newestFirst: readonly T[],
  blockOf: (each: T) => Block | undefined,
): T | undefined {
  if (typeof past === 'string') return past === 'first' ? newestFirst.at(-1) : newestFirst[1]
  const until = new Date(past.to - 1).toISOString()
  return newestFirst.find((each) => {
    const block = blockOf(each)
    return block === undefined || hasBegun(block, until)
  })
}

/**
 * Puts the version that a question about the past asks for in the place of each entry. The later versions stand under it, newest first, and
 * then the earlier. An entry stays if none of its versions is of that time or may be shown in its place.
 */
export function turnToPast<T extends Asking & { readonly entries: readonly Entry[] }>(found: T): T {
  const past = found.asked?.past
  if (past === undefined) return found
  const turned = (entry: Entry) => (entry.guaranteed ? undefined : turnedRound(past, entry, found)) ?? entry
  return { ...found, entries: found.entries.map(turned) }
}

/** Returns the entry of the version of that time. Its outdated grounds are left out: they may have ended since. */
function turnedRound(past: PastAsked, entry: Entry, asking: Asking): Entry | undefined {
  const { block: newest, versions } = entry
  const [proposed, told] = [true, false].map((is) =>
    versions.filter(({ why }) => (why === 'proposed') === is),
  )
  const earlier = (told ?? []).toSorted((a, b) => (newer(a.block, b.block) ? -1 : 1))
  const others: ReadVersion[] = [{ id: newest.id, block: newest, why: 'later' }, ...earlier]
  const wanted = versionOfPast(past, others, ({ block }) => block)
  // Trust matters only if nobody said that the newer block takes the older's place.
  const mayStand = wanted && (wanted.why === 'superseded' || mayCover(wanted.block, newest))
  if (!mayStand || wanted.id === newest.id) return undefined
  const { block } = wanted
  const { passage: _passage, ...candidate } = wanted.candidate ?? { ...entry, facts: block }
  return {
    ...candidate,
    ...passageOf(candidate, block, asking),
    block,
    marks: [],
    outdated: [],
    moves: [...candidate.moves, { why: 'past', before: newest.id }],
    versions: [
      ...others
        .filter((each) => newer(each.block, block))
        .map((each) => ({ ...each, why: 'later' }) as const),
      ...others.filter((each) => each !== wanted && !newer(each.block, block)),
      ...(proposed ?? []),
    ],
  }
}
