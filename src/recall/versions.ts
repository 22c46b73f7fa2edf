import type { Block, BlockFacts } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { isIdentity, mayCover, type SourceClass } from '../block/source-class.ts'
import { hasBegun, hasEnded, holdsAt, isNewer, lastSaidAt } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { type BlockPair, CONTRADICTS, orderedPair } from '../graph/edge.ts'
import { passesFilter } from '../index/blocks.ts'
import { confidenceOf } from '../outcome/formulas.ts'
import { readBlocks } from '../store/blocks.ts'
import type { Links } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type Asked,
  type Candidate,
  type Entry,
  type Moved,
  RECALL,
  type RecalledVersion,
  type Version,
} from './match.ts'
import type { Ranked } from './rank.ts'

/**
 * Versions that somebody told: a block that was remembered with `supersedes`, or a pair of which the owner, the host agent or a
 * model said that the newer takes the older's place. Nothing else puts a block under another.
 */
interface Tie {
  /** The block that takes the place of the other. */
  readonly newer: string
  readonly older: string
  /** `stated` by the one who remembered the newer, or `judged` by somebody who read both. */
  readonly how: 'stated' | 'judged'
  /** The class of the judge. */
  readonly by?: SourceClass
}

/** Finders of pairs who read both blocks. */
const JUDGES: ReadonlySet<string | undefined> = new Set(['model', 'host', 'owner'])

/** Returns what a pair tells about versions; undefined where nobody told anything. */
function tieOf({ a, b, kind, foundBy }: BlockPair, blocks: ReadonlyMap<string, Block>): Tie | undefined {
  if (blocks.get(a)?.supersedes === b) return { newer: a, older: b, how: 'stated' }
  if (blocks.get(b)?.supersedes === a) return { newer: b, older: a, how: 'stated' }
  const [one, other] = [blocks.get(a), blocks.get(b)]
  if (kind !== 'supersession' || !JUDGES.has(foundBy) || !one || !other) return undefined
  const by = foundBy === 'owner' ? 'user' : 'agent'
  const ends = isNewer(one, other) ? { newer: a, older: b } : { newer: b, older: a }
  return { ...ends, how: 'judged', by }
}

/** Returns true if a tie says something at a time: nothing that has not begun or has ended takes another's place. */
function countsAt(at: string, { newer, older, how }: Tie, blocks: ReadonlyMap<string, Block>): boolean {
  const [first, second] = [blocks.get(newer), blocks.get(older)]
  if (first === undefined || second === undefined) return true
  if (first.scope !== second.scope) return false
  if (!hasBegun(first, at) && hasBegun(second, at)) return false
  return !holdsAt(second, at) || holdsAt(first, at) || (how === 'stated' && hasEnded(first, at))
}

/**
 * Groups blocks by what was told: each stands under the newest of its fact, and nothing under what is trusted less: then both are entries.
 * `headOf` gives the block that another one stands under, or itself; `under` has the versions under a block, newest first.
 *
 * @param fixed blocks that stand under none
 */
function groupVersions(
  blocks: readonly BlockFacts[],
  ties: readonly Tie[],
  fixed: ReadonlySet<string> = new Set(),
) {
  const facts = new Map(blocks.map((each) => [each.id, each]))
  const versions = new Map<string, Version>()
  const headOf = (id: string): string => {
    const version = versions.get(id)
    return version === undefined ? id : headOf(version.by)
  }
  for (const tie of ties.toSorted(
    (one, other) => Number(one.how === 'judged') - Number(other.how === 'judged'),
  )) {
    const [newer, older] = [facts.get(tie.newer), facts.get(tie.older)]
    if (newer === undefined || older === undefined) continue
    const heads = [facts.get(headOf(newer.id)), facts.get(headOf(older.id))] as [BlockFacts, BlockFacts]
    const version =
      tie.how === 'stated' ? statedVersion(newer, older, heads) : judgedVersion(newer, older, heads, tie.by)
    if (version !== undefined && !fixed.has(version.id)) versions.set(version.id, version)
  }
  const below = [...versions.keys()].flatMap((id) => facts.get(id) ?? [])
  const newestFirst = below.sort((one, other) => (isNewer(one, other) ? -1 : 1))
  const under = newestFirst.flatMap(({ id }) => versions.get(id) ?? [])
  return { headOf, under: Map.groupBy(under, ({ id }) => headOf(id)) }
}

/** The heads of the groups of two blocks, the newer one's first. */
type Heads = readonly [BlockFacts, BlockFacts]

/** Returns which of two heads goes under the other where one block was remembered in the place of another; undefined if none may. */
function statedVersion(newer: BlockFacts, older: BlockFacts, [first, second]: Heads): Version | undefined {
  if (first === second) return undefined
  // What was said before is no later word, whatever it says of itself.
  const [head, loser] = lastSaidAt(first) < lastSaidAt(second) ? [second, first] : [first, second]
  if (![newer, older, head].every((each) => mayCover(each, loser))) return undefined
  const isProposal = loser === newer && !mayCover(newer, older)
  return { id: loser.id, why: isProposal ? 'proposed' : 'superseded', by: head.id }
}

/** Returns the older of two judged blocks as a version of the newer, if it stands under none and the judge may say so. */
function judgedVersion(
  newer: BlockFacts,
  older: BlockFacts,
  [head, own]: Heads,
  by: SourceClass = 'user',
): Version | undefined {
  // A block about who the agent is has only such blocks as versions.
  if (isIdentity(newer) && !isIdentity(older)) return undefined
  const isFree = own === older && head !== older
  const mayGo = mayCover(by, older) && mayCover(newer, older)
  return isFree && mayGo ? { id: older.id, why: 'earlier', by: newer.id } : undefined
}

/**
 * Returns the ids of those blocks of an open pair that recall shows as entries until somebody decides: only a told version stands
 * under the other.
 *
 * @param at ISO-8601 UTC
 */
export function shownMeanwhile(pair: BlockPair, blocks: readonly Block[], at: string): ReadonlySet<string> {
  const living = blocks.filter(({ status }) => status !== 'archived')
  const byId = new Map(living.map((block) => [block.id, block]))
  const tie = tieOf(pair, byId)
  const { headOf } = groupVersions(living, tie !== undefined && countsAt(at, tie, byId) ? [tie] : [])
  return new Set(living.flatMap(({ id }) => (headOf(id) === id ? [id] : [])))
}

/** Number of the best entries that are compared with each other. */
export const COMPARED_MOST = 10

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
  const entryOf = (id: string) => entries.get(headOf(id))
  const order = [...entries.values()]
  putBefore(order, entries.get(verbatim ?? ''), order[0], 'verbatim')
  for (const { newer, older } of told.ties.filter((tie) => isAhead(blocks.get(tie.newer), heldAt)))
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

/** Returns one key for both orders of two ids. */
export const keyOf = (one: string, other: string) => orderedPair(one, other).join(' ')

const isAhead = (block: Block | undefined, at: string) => block !== undefined && !hasBegun(block, at)

/** Formatting adds at most this many characters to a text that is the question. */
const FORMATTING_MOST = 40

function isVerbatim(block: Block | undefined, asked: Asked | undefined): boolean {
  if (block === undefined || asked === undefined) return false
  const difference = Math.abs(block.content.length - asked.text.length)
  return difference <= FORMATTING_MOST && isSameText(block.content, asked.text)
}

/** Puts an entry before another one if it stands behind it. */
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
  order.splice(to, 0, { ...entry, moved: { why, before: behind.facts.id } })
}

/** Puts the more trusted of two entries first, else, of two that contradict each other, the one believed more. */
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
 * Reads what was told of the blocks found, beyond the candidates too, so that the newest of a chain is known whichever was found:
 * `beyond` are the versions that were not found and pass the filter, `blocks` the best candidates and the ends of all ties.
 */
async function readTold({ index }: Engine, tx: ReadTransaction, found: Ranked) {
  const { candidates, guaranteed, filter } = found
  const known = new Set([...candidates, ...guaranteed].map(({ facts }) => facts.id))
  const proposed = await proposedPairs(index, tx, [...known])
  const leadsOn = ({ a, b, kind }: BlockPair) => kind === 'supersession' && known.has(a) !== known.has(b)
  const from = new Set([...known, ...proposed.flatMap(({ a, b }) => [a, b])])
  const isWalk = found.pairs.some(leadsOn) || from.size > known.size
  const walked = isWalk
    ? await tx.queries.groupedPairs([...from], from.size + RECALL.versionsReach)
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
  index: Engine['index'],
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly BlockPair[]> {
  if (index.size === index.active || ids.length === 0) return []
  const replacing = await tx.queries.replacing(ids, ids.length + RECALL.versionsReach)
  return replacing.flatMap(({ id, status, supersedes, createdAt }): BlockPair[] => {
    if (status !== 'inbox' || supersedes === undefined) return []
    const [a, b] = orderedPair(id, supersedes)
    return [{ a, b, kind: 'supersession', score: 1, resolved: false, createdAt }]
  })
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
