import type { BlockStatus } from '../block/block.ts'
import { defined } from '../block/text.ts'
import {
  type BlockPair,
  type Disconnection,
  type Edge,
  type Ends,
  orderedPair,
  type PendingConnection,
  type Proposal,
  type ProposalState,
  type StagedPair,
} from '../graph/edge.ts'
import type { UnlabelledPair } from './database.ts'
import { type RowOf, type Table, viewOf } from './description.ts'
import {
  archivedEdges,
  blocks,
  DISCONNECTION,
  disconnections,
  EDGE,
  edges,
  PAIR,
  pairs,
  pendingConnections,
  proposals,
  staging,
  unlabelledPairs,
} from './tables.ts'
import { keysOf, type ReadTransaction, sharedScope, type Transaction, takenId } from './transaction.ts'

type EdgeRow = RowOf<typeof edges>

const ENDS = ['from', 'to'] as const
const DECAY = viewOf(blocks, ['id', 'decayLambda'])

/** The edges and pairs around some blocks. */
export interface Links {
  /** Edges with at least one end among the blocks, strongest stored weight first. */
  readonly edges: readonly Edge[]
  /** Unresolved pairs with at least one end among the blocks, greatest score first. */
  readonly pairs: readonly BlockPair[]
}

/** An edge with what its decay needs of both ends. */
export interface EdgeWithDecay {
  readonly edge: Edge
  readonly fromLambda: number
  readonly toLambda: number
}

/** Reads the edges and open pairs around blocks; only the pairs of some kinds, if they are given. */
export async function readLinks(
  { rows }: ReadTransaction,
  ids: readonly string[],
  kinds?: readonly BlockPair['kind'][],
): Promise<Links> {
  const around = await rows.touching(EDGE, ids)
  const where = kinds === undefined ? { resolved: false } : { resolved: false, kind: kinds }
  const open = await rows.touching(PAIR, ids, { where })
  return {
    edges: around.sort((one, other) => other.weight - one.weight),
    pairs: open.toSorted((one, other) => other.score - one.score),
  }
}

/** Reads edges with an end among the blocks and the decay of both ends, in (from, to) order. */
export async function readEdgesAround(
  { rows }: ReadTransaction,
  ids: readonly string[],
): Promise<EdgeWithDecay[]> {
  const around = await rows.touching(EDGE, ids)
  const ends = around.flatMap(({ from, to }) => [[from], [to]])
  const lambdas = new Map((await rows.get(DECAY, ends, 'unique')).map((each) => [each.id, each.decayLambda]))
  return around.map((edge) => ({
    edge,
    fromLambda: lambdas.get(edge.from) as number,
    toLambda: lambdas.get(edge.to) as number,
  }))
}

/**
 * Inserts or overwrites edges between existing blocks; the last one of a pair wins. An edge of origin `co_retrieval` takes its
 * pair off the staged ones.
 */
export async function saveEdges(tx: Transaction, given: readonly Edge[]): Promise<void> {
  const wanted: EdgeRow[] = await betweenBlocks(tx, given, ENDS)
  if (wanted.length === 0) return
  const before = await tx.stored(edges, wanted)
  const known = new Set(before.map(({ from, to }) => pairKey(from, to)))
  const made = wanted.filter(({ from, to }) => !known.has(pairKey(from, to)))
  await removePromoted(tx, made)
  await tx.rows.put(edges, wanted, before)
}

/** Removes from the staged pairs those that edges of origin `co_retrieval` join. */
export async function removePromoted(tx: Transaction, made: readonly EdgeRow[]): Promise<void> {
  const joined = made.filter(({ origin }) => origin === 'co_retrieval').map(({ from, to }) => [from, to])
  const counted = await tx.rows.get(staging, joined, 'unique')
  await tx.remove(staging, counted)
}

/** Removes edges by their ends; returns those that were there, in the order asked for. */
export async function removeEdges({ rows }: Transaction, pairs: readonly Ends[]): Promise<Edge[]> {
  const removed = await rows.remove(edges, orderedPairs(pairs))
  return removed.map(({ scope: _scope, ...edge }) => edge)
}

/** Adds one to the count of every edge with both ends among the blocks, and sets its anchor; returns how many. */
export async function reinforceEdgesAmong(
  { rows }: Transaction,
  ids: readonly string[],
  hours: number,
): Promise<number> {
  if (ids.length < 2) return 0
  const among = await rows.touching(edges, ids, { both: true })
  const used = among.map(({ reinforcementCount, ...edge }) => {
    return { ...edge, reinforcementCount: reinforcementCount + 1, lastActiveAt: hours }
  })
  await rows.put(edges, used, among)
  return used.length
}

/** One string for two ids, for maps. */
function pairKey(from: string, to: string): string {
  return `${from}\n${to}`
}

/** Each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const different = pairs.filter(([one, other]) => one !== other).map((ends) => orderedPair(...ends))
  return [...new Map(different.map((ends) => [pairKey(...ends), ends])).values()]
}

/** Returns what joins two different blocks that exist, with ends in canonical order and the scope that both blocks have. */
async function betweenBlocks<End extends string, T extends Readonly<Record<End, string>>>(
  tx: Transaction,
  given: readonly T[],
  [one, other]: readonly [End, End],
): Promise<(T & { readonly scope?: string })[]> {
  const at = await tx.lookUp(given.flatMap((each) => [each[one], each[other]]))
  return given.flatMap((each) => {
    const [from, to] = orderedPair(each[one], each[other])
    if (from === to || at(from) === undefined || at(to) === undefined) return []
    return [{ ...each, [one]: from, [other]: to, ...sharedScope(at(from), at(to)) }]
  })
}

/** How pairs are counted. */
interface StageOptions {
  /** Short text for the question or session in which the pairs came together. */
  readonly mark: string
  /** Marks that stand for the same question or session; `mark` alone unless given. */
  readonly sameAs?: readonly string[] | undefined
  /** Count from which a pair is returned. */
  readonly threshold: number
  /** Most pairs that are kept. */
  readonly limit: number
  /** Active hours; a pair disconnected later is not counted. */
  readonly disconnectedSince: number
}

const JOINED = viewOf(edges, ['from', 'to'])
const STAGED = viewOf(staging, ['arrival', 'from', 'to', 'count'])
const STATUS = viewOf(blocks, ['id', 'status'])

/** Reads staged pairs that were counted often enough, the most counted first, then the oldest; `among`: with both ends among these. */
export async function readStagedPairs(
  { rows }: ReadTransaction,
  {
    atLeast,
    limit,
    among,
  }: { readonly atLeast: number; readonly limit: number; readonly among?: readonly string[] },
): Promise<StagedPair[]> {
  const found =
    among === undefined
      ? await rows.scan(STAGED, { order: ['-count', 'arrival'], from: ['count', atLeast], limit })
      : (await rows.touching(STAGED, among, { both: true }))
          .filter(({ count }) => count >= atLeast)
          .sort((one, other) => other.count - one.count || one.arrival - other.arrival)
          .slice(0, Math.max(0, limit))
  return found.map(({ from, to, count }) => ({ from, to, count }))
}

/** Marks that a pair keeps, the newest; one that counts so often is long due. */
const MARKS_KEPT = 16

/**
 * Counts each pair once more unless one of `sameAs` counted it already, an edge joins it, or it was disconnected lately. Returns
 * the pairs whose count is now at or above `threshold`. Beyond `limit` rows the lowest counts, oldest first, are dropped; that
 * call returns none, and the next one does, so that a call never both drops and joins.
 */
export async function stagePairs(
  tx: Transaction,
  pairs: readonly Ends[],
  { mark, sameAs = [mark], threshold, limit, disconnectedSince }: StageOptions,
): Promise<Ends[]> {
  const { open, at } = await openPairs(tx, orderedPairs(pairs), disconnectedSince)
  if (open.length === 0) return []
  const before = await tx.rows.get(staging, open, 'unique')
  const counts = new Map(before.map(({ from, to, count }) => [pairKey(from, to), count]))
  const fresh = open.filter((ends) => !counts.has(pairKey(...ends)))
  const again = before.filter(({ sessions }) => !sessions.some((each) => sameAs.includes(each)))
  const counted = [
    ...fresh.map(([from, to]) => {
      return { from, to, count: 1, sessions: [mark], ...sharedScope(at(from), at(to)) }
    }),
    ...again.map(({ count, sessions, ...each }) => {
      return { ...each, count: count + 1, sessions: [...sessions, mark].slice(-MARKS_KEPT) }
    }),
  ]
  await tx.save(staging, counted, before)
  const over = (await tx.rows.count(staging)) - Math.max(0, limit)
  if (over > 0) {
    const least = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0], limit: over })
    await tx.remove(staging, least)
    return []
  }
  for (const { from, to, count } of counted) counts.set(pairKey(from, to), count)
  return open.filter((ends) => (counts.get(pairKey(...ends)) ?? 0) >= threshold)
}

/** Pairs of existing blocks that no edge joins and nobody disconnected later than `since`, and what is known of their ends. */
async function openPairs(tx: Transaction, wanted: readonly Ends[], since: number) {
  const at = await tx.lookUp(wanted.flat())
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const joined = await tx.rows.get(JOINED, known)
  const apart = (await tx.rows.get(disconnections, known)).filter(({ at: hours }) => hours > since)
  const closed = new Set([...joined, ...apart].map(({ from, to }) => pairKey(from, to)))
  return { open: known.filter((ends) => !closed.has(pairKey(...ends))), at }
}

/** Removes staged pairs that an edge joins by now or with an end that is not active; returns how many. */
export async function removeStaleStaging(tx: Transaction): Promise<number> {
  const all = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0] })
  const ends = all.map(({ from, to }): Ends => [from, to])
  const joined = new Set((await tx.rows.get(JOINED, ends)).map(({ from, to }) => pairKey(from, to)))
  const known = await tx.whole.blocks(STATUS, ends.flat())
  const active = new Set(known.filter(({ status }) => status === 'active').map(({ id }) => id))
  const isStale = ({ from, to }: StagedPair) =>
    joined.has(pairKey(from, to)) || !active.has(from) || !active.has(to)
  return (await tx.remove(staging, all.filter(isStale))).length
}

type PendingRow = RowOf<typeof pendingConnections>

/**
 * Inserts connections between existing blocks at the end of the list, each pair of blocks once. A request in the other direction
 * is the same one: the row is overwritten and keeps its direction and its place.
 */
export async function savePendingConnections(
  tx: Transaction,
  given: readonly PendingConnection[],
): Promise<void> {
  const at = await tx.lookUp(given.flatMap(({ source, target }) => [source, target]))
  const keyOf = ({ source, target }: PendingConnection) => pairKey(...orderedPair(source, target))
  const stored = await rowsEitherWay(
    tx,
    given.map(({ source, target }) => [source, target]),
  )
  const known = new Map<string, PendingConnection>(stored.map((row) => [keyOf(row), row]))
  for (const each of given) {
    const [one, other] = [at(each.source), at(each.target)]
    if (one === other || one === undefined || other === undefined) continue
    const { source, target } = known.get(keyOf(each)) ?? each
    known.set(keyOf(each), { ...each, source, target, ...sharedScope(one, other) })
  }
  await tx.save(pendingConnections, [...known.values()], stored)
}

/** Removes connections from the list, whatever their direction; returns those that waited, oldest first. */
export async function removePendingConnections(
  tx: Transaction,
  pairs: readonly Ends[],
): Promise<PendingConnection[]> {
  const found = await rowsEitherWay(tx, pairs)
  const oldestFirst = found.toSorted((one, other) => one.id - other.id)
  const gone = await tx.remove(pendingConnections, oldestFirst)
  return gone.map(({ id: _id, scope: _scope, ...connection }) => connection)
}

function rowsEitherWay({ rows }: Transaction, pairs: readonly Ends[]): Promise<PendingRow[]> {
  const ends = pairs.flatMap((pair) => [pair, pair.toReversed()])
  return rows.get(pendingConnections, ends, 'unique')
}

/** Reads disconnections later than `since` with both ends among the blocks, in (from, to) order. */
export async function readDisconnections(
  { rows }: ReadTransaction,
  ids: readonly string[],
  since: number,
): Promise<Disconnection[]> {
  const among = await rows.touching(DISCONNECTION, ids, { both: true })
  return among.filter(({ at }) => at > since)
}

/** Inserts or overwrites disconnections of existing blocks by pair. */
export async function saveDisconnections(tx: Transaction, apart: readonly Disconnection[]): Promise<void> {
  await tx.rows.put(disconnections, await betweenBlocks(tx, apart, ENDS))
}

/** Removes disconnections not later than `since`, in active hours; returns how many. */
export async function trimDisconnections(tx: Transaction, since: number): Promise<number> {
  const old = await tx.rows.scan(DISCONNECTION, { until: ['at', since], order: ['at'] })
  return (await tx.remove(disconnections, old)).length
}

/** The tables that join blocks. Their rows go when a block is archived; of pairs only the open ones. */
const JOINING: readonly Table[] = [edges, pairs, staging, pendingConnections, unlabelledPairs]

/** The edges and open pairs that an archived block had. */
export type ArchivedEdges = RowOf<typeof archivedEdges>

/**
 * Removes all edges and open pairs of blocks, across scopes, and keeps them for `takeArchivedEdges`; removes staged and pending ones.
 * An edge between two of the blocks is kept with both. A block archived twice keeps what was kept first.
 */
export async function archiveEdgesOf(
  own: Transaction,
  given: readonly { readonly id: string; readonly previousStatus: BlockStatus }[],
): Promise<void> {
  const at = await own.lookUp(given.map(({ id }) => id))
  const statuses = new Map(given.map(({ id, previousStatus }) => [id, previousStatus]))
  const ids = [...statuses.keys()].filter((id) => at(id) !== undefined)
  if (ids.length === 0) return
  const tx = own.whole
  const links = await readLinks(tx, ids)
  const before = await tx.rows.get(archivedEdges, keysOf(ids))
  const earlier = new Map(before.map((each) => [each.blockId, each]))
  const archived = ids.map((blockId): ArchivedEdges => {
    const was = earlier.get(blockId)
    return {
      blockId,
      previousStatus: was?.previousStatus ?? (statuses.get(blockId) as BlockStatus),
      edges: [...(was?.edges ?? []), ...links.edges.filter((edge) => endsOf(edge).includes(blockId))],
      pairs: [...(was?.pairs ?? []), ...links.pairs.filter((pair) => blocksOf(pair).includes(blockId))],
    }
  })
  await tx.rows.put(archivedEdges, archived, before)
  for (const table of JOINING) {
    const where = table.columns.resolved === undefined ? {} : { resolved: false }
    await tx.remove(table, await tx.rows.touching(table, ids, { where }))
  }
}

/** Adds edges to those archived with their ends, so that they come back with the last of them. */
export async function addArchivedEdges(own: Transaction, given: readonly Edge[]): Promise<void> {
  const at = await visible(own, given.flatMap(endsOf))
  const kept = given.filter((edge) => endsOf(edge).every(at))
  const rows = own.whole.rows
  const before = await rows.get(archivedEdges, keysOf(kept.flatMap(endsOf)))
  const after = before.map((row): ArchivedEdges => {
    const added = kept.filter((edge) => endsOf(edge).includes(row.blockId))
    return { ...row, edges: [...row.edges, ...added] }
  })
  await rows.put(archivedEdges, after, before)
}

/** Removes and returns the archived edges and pairs of a block; those that a view does not see are removed only. */
export async function takeArchivedEdges(
  own: Transaction,
  blockId: string,
): Promise<ArchivedEdges | undefined> {
  if (!(await visible(own, [blockId]))(blockId)) return undefined
  const [archived] = await own.whole.rows.remove(archivedEdges, [[blockId]])
  if (archived === undefined) return undefined
  const at = await visible(own, [...archived.edges.flatMap(endsOf), ...archived.pairs.flatMap(blocksOf)])
  return {
    ...archived,
    edges: archived.edges.filter((edge) => endsOf(edge).every(at)),
    pairs: archived.pairs.filter((pair) => blocksOf(pair).every(at)),
  }
}

function endsOf({ from, to }: Edge): string[] {
  return [from, to]
}

function blocksOf({ a, b }: BlockPair): string[] {
  return [a, b]
}

/** Which of the ids the transaction may see; over the whole store all, and no statement. */
async function visible(tx: Transaction, ids: readonly string[]): Promise<(id: string) => boolean> {
  if (tx.scope === undefined) return () => true
  const at = await tx.lookUp(ids)
  return (id) => at(id) !== undefined
}

type ProposalRow = RowOf<typeof proposals>

/** The kinds of pairs, the one that says most first. */
const PAIR_KINDS = ['contradiction', 'supersession', 'perhaps_newer', 'near_duplicate'] as const

/** The numbers of what somebody is to decide about. */
type DecisionCounts = Readonly<Record<'proposal' | (typeof PAIR_KINDS)[number], number>>

/** Reads proposals by their ids, in their order. */
export async function readProposals({ rows }: ReadTransaction, ids: readonly string[]): Promise<Proposal[]> {
  return (await rows.get(proposals, keysOf(ids), 'unique')).map(proposalOf)
}

/** Reads proposals of one state behind a place, oldest first, each with its `place`. Cost: that of the limit. */
export async function readProposalPage(
  { rows }: ReadTransaction,
  { state, after = 0, limit }: { state: ProposalState; after?: number | undefined; limit: number },
) {
  const page = await rows.scan(proposals, {
    where: { state },
    from: ['arrival', after + 1],
    order: ['arrival'],
    limit,
  })
  return page.map((row) => ({ ...proposalOf(row), place: row.arrival }))
}

/** Counts what somebody is to decide about. Cost: entries of indexes. */
export async function readDecisionCounts({ rows }: ReadTransaction): Promise<DecisionCounts> {
  const counts = { proposal: await rows.count(proposals, { state: 'open' }) } as Record<
    keyof DecisionCounts,
    number
  >
  for (const kind of PAIR_KINDS) counts[kind] = await rows.count(pairs, { resolved: false, kind })
  return counts
}

/** Inserts proposals, in the scope of the view where they name none, or changes those that are there, whose scope stays. */
export async function saveProposals(tx: Transaction, saved: readonly Proposal[]): Promise<void> {
  const before = await tx.whole.stored(proposals, saved)
  const foreign = before.find(({ scope }) => tx.scope !== undefined && scope !== tx.scope)
  if (foreign !== undefined) throw takenId('a proposal', foreign.id)
  const scopes = new Map(before.map(({ id, scope }) => [id, scope]))
  const last = [...new Map(saved.map((proposal) => [proposal.id, proposal])).values()]
  const rows = last.map(({ scope: given = tx.scope, ...proposal }) => ({
    ...proposal,
    ...defined({ scope: scopes.has(proposal.id) ? scopes.get(proposal.id) : given }),
  }))
  await tx.save(proposals, rows, before)
}

function proposalOf({ arrival: _arrival, ...proposal }: ProposalRow): Proposal {
  return proposal
}

/**
 * Reads unresolved pairs, of one kind if it is given, oldest first. Cost: that of the limit.
 *
 * @param behind begins after this pair, resolved or not; the answer is undefined if there is no such pair
 */
export async function readOpenPairs(
  { rows }: ReadTransaction,
  limit: number,
  behind?: Ends,
  kind?: BlockPair['kind'],
): Promise<BlockPair[] | undefined> {
  const [last] = behind ? await rows.get(pairs, [orderedPair(...behind)], 'unique') : []
  if (behind !== undefined && last === undefined) return undefined
  const where = kind === undefined ? { resolved: false } : { resolved: false, kind }
  return rows.scan(PAIR, { where, order: ['arrival'], from: ['arrival', (last?.arrival ?? -1) + 1], limit })
}

/** Returns the pairs among the given that somebody has decided about. Cost: one look a block. */
export async function readSettledPairs(
  { rows }: ReadTransaction,
  given: readonly Ends[],
): Promise<BlockPair[]> {
  if (given.length === 0) return []
  const settled = await rows.touching(PAIR, given.flat(), { both: true, where: { resolved: true } })
  const asked = new Set(orderedPairs(given).map((ends) => pairKey(...ends)))
  return settled.filter(({ a, b }) => asked.has(pairKey(a, b)))
}

/**
 * Inserts the pairs of existing blocks that are not there yet, or that say more than the one that is there; with `reopens` also in
 * place of resolved ones.
 */
export async function savePairs(
  tx: Transaction,
  given: readonly BlockPair[],
  { reopens = false }: { readonly reopens?: boolean } = {},
): Promise<void> {
  const wanted = await betweenBlocks(tx, given, ['a', 'b'])
  const stored = await tx.stored(pairs, wanted)
  const known = new Map<string, BlockPair>(stored.map((row) => [pairKey(row.a, row.b), row]))
  const changed = new Map<string, BlockPair>()
  for (const pair of wanted) {
    const key = pairKey(pair.a, pair.b)
    const was = changed.get(key) ?? known.get(key)
    if (was === undefined || saysMore(pair, was) || (reopens && was.resolved)) changed.set(key, pair)
  }
  await tx.save(pairs, [...changed.values()], stored)
}

/** Returns whether a pair replaces one that is known: it is a stronger kind. A contradiction also reopens a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  const [rank, other] = [pair.kind, known.kind].map((kind) => PAIR_KINDS.indexOf(kind))
  return pair.kind === 'contradiction' || (!known.resolved && Number(rank) < Number(other))
}

/** Marks open pairs as resolved, of some kinds if they are given; returns how many. */
export async function resolvePairs(
  { rows }: Transaction,
  ends: readonly Ends[],
  kinds?: readonly BlockPair['kind'][],
): Promise<number> {
  const stored = await rows.get(pairs, orderedPairs(ends), 'unique')
  const open = stored.filter(({ kind, resolved }) => !resolved && kinds?.includes(kind) !== false)
  await rows.put(
    pairs,
    open.map((pair) => ({ ...pair, resolved: true })),
    open,
  )
  return open.length
}

/** Appends pairs of existing blocks to those that wait for a label, unless they wait already. Beyond `keep` the oldest are dropped. */
export async function queueUnlabelled(
  tx: Transaction,
  given: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const known = await betweenBlocks(tx, given, ['from', 'to'])
  if (known.length === 0) return
  const wanted = new Map(known.toReversed().map((pair) => [pairKey(pair.from, pair.to), pair]))
  const listed = await tx.stored(unlabelledPairs, known)
  for (const { from, to } of listed) wanted.delete(pairKey(from, to))
  await tx.rows.insert(unlabelledPairs, [...wanted.values()].toReversed())
  await tx.rows.trim(unlabelledPairs, { order: ['arrival'], keep })
}

/** Removes pairs from those that wait for a label, in any order of their ends. */
export async function removeUnlabelled(tx: Transaction, ends: readonly Ends[]): Promise<void> {
  const listed = await tx.rows.get(unlabelledPairs, orderedPairs(ends), 'unique')
  await tx.remove(unlabelledPairs, listed)
}
