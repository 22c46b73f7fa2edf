import type { BlockStatus } from '../block/block.ts'
import { defined } from '../block/text.ts'
import {
  type BlockPair,
  type Disconnection,
  type Edge,
  type Ends,
  endsOf,
  keyOf,
  orderedPair,
  type PendingConnection,
  type Proposal,
  type ProposalState,
  type StagedPair,
} from '../graph/edge.ts'
import { idsOfStatus } from './blocks.ts'
import type { UnlabelledPair } from './database.ts'
import { type RowOf, type Table, type View, viewOf, viewWithout } from './description.ts'
import {
  archivedEdges,
  blocks,
  disconnections,
  EDGE,
  edges,
  PAIR,
  pairs,
  pendingConnections,
  staging,
  unlabelledPairs,
} from './tables.ts'
import { proposals } from './tables-to-decide.ts'
import { keysOf, type ReadTransaction, sharedScope, type Transaction, takenId } from './transaction.ts'

/** An edge as it is stored. */
export type EdgeRow = RowOf<typeof edges>

const ENDS = ['from', 'to'] as const
const DISCONNECTION: View<Disconnection> = viewWithout(disconnections, ['scope'])
const DECAY = viewOf(blocks, ['id', 'decayLambda'])

/** Links are the edges and open pairs around some blocks. */
export interface Links {
  /** Edges with at least one end among the blocks, strongest stored weight first. */
  readonly edges: readonly Edge[]
  /** Unresolved pairs with at least one end among the blocks, greatest score first. */
  readonly pairs: readonly BlockPair[]
}

/** An edge decays by the rates of both of its blocks. */
export interface EdgeWithDecay {
  readonly edge: Edge
  readonly scope?: string
  readonly fromLambda: number
  readonly toLambda: number
}

/** Reads the edges and open pairs around blocks; if `kinds` is given, only the pairs of these kinds. */
export async function readLinks(
  { rows }: ReadTransaction,
  ids: readonly string[],
  kinds?: readonly BlockPair['kind'][],
): Promise<Links> {
  const where = kinds === undefined ? { resolved: false } : { resolved: false, kind: kinds }
  const [around, open] = await Promise.all([rows.touching(EDGE, ids), rows.touching(PAIR, ids, { where })])
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
  const around = await rows.touching(edges, ids)
  const ends = around.flatMap(({ from, to }) => [[from], [to]])
  const lambdas = new Map((await rows.get(DECAY, ends, 'unique')).map((each) => [each.id, each.decayLambda]))
  return around.map(({ scope, ...edge }) => ({
    edge,
    ...defined({ scope }),
    fromLambda: lambdas.get(edge.from) as number,
    toLambda: lambdas.get(edge.to) as number,
  }))
}

/**
 * Inserts or overwrites edges between existing blocks; of several edges of a pair the last one wins. A new edge of origin
 * `co_retrieval` removes its staged pair.
 *
 * @param stored the stored rows of these pairs; read if left out
 */
export async function saveEdges(
  tx: Transaction,
  given: readonly Edge[],
  stored?: readonly EdgeRow[],
): Promise<void> {
  const wanted: EdgeRow[] = await betweenBlocks(tx, given, ENDS)
  if (wanted.length === 0) return
  const before = stored ?? (await tx.stored(edges, wanted))
  const known = new Set(before.map(({ from, to }) => keyOf([from, to])))
  const made = wanted.filter(({ from, to }) => !known.has(keyOf([from, to])))
  await Promise.all([removePromoted(tx, made), tx.rows.put(edges, wanted, before)])
}

/** Removes the staged pairs that edges of origin `co_retrieval` join. */
export async function removePromoted(tx: Transaction, made: readonly EdgeRow[]): Promise<void> {
  const joined = made.filter(({ origin }) => origin === 'co_retrieval').map(({ from, to }) => [from, to])
  const counted = await tx.rows.get(staging, joined, 'unique')
  await tx.remove(staging, counted)
}

/** Removes edges by their ends and returns the removed ones, in the order asked for. */
export async function removeEdges({ rows }: Transaction, pairs: readonly Ends[]): Promise<Edge[]> {
  const removed = await rows.remove(edges, orderedPairs(pairs))
  return removed.map(({ scope: _scope, ...edge }) => edge)
}

/** Adds one use at `hours` to every edge with both ends among the blocks; returns the number of these edges. */
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

/** Returns each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const different = pairs.filter(([one, other]) => one !== other).map((ends) => orderedPair(...ends))
  return [...new Map(different.map((ends) => [keyOf(ends), ends])).values()]
}

/** Returns the rows that join two different existing blocks, with ends in canonical order and the scope that both blocks have. */
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

/** These options say how pairs are counted. */
interface StageOptions {
  /** Short text for the question or session in which the pairs came together. */
  readonly mark: string
  /** Marks that stand for the same question or session; only `mark` unless given. */
  readonly sameAs?: readonly string[] | undefined
  /** The count from which a pair is returned. */
  readonly threshold: number
  /** The greatest number of staged pairs that are kept. */
  readonly limit: number
  /** Active hours; a pair that was disconnected later is not counted. */
  readonly disconnectedSince: number
}

const JOINED = viewOf(edges, ['from', 'to'])
const STAGED = viewOf(staging, ['arrival', 'from', 'to', 'count'])

/** Reads staged pairs counted at least `atLeast` times, the most counted first, then the oldest; with `among` only between these blocks. */
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

/** The greatest number of marks that a pair keeps, the newest; a pair with more marks is long due to be joined. */
const MARKS_KEPT = 16

/**
 * Counts each pair once more unless one of `sameAs` counted it already, an edge joins it, or it was disconnected lately. Returns the
 * pairs whose count is now at or above `threshold`. If more than `limit` pairs are staged, the call drops those with the lowest counts,
 * oldest first, and returns none; the next call returns them, so that a call never both drops and joins.
 */
export async function stagePairs(
  tx: Transaction,
  pairs: readonly Ends[],
  { mark, sameAs = [mark], threshold, limit, disconnectedSince }: StageOptions,
): Promise<Ends[]> {
  const { open, at } = await openPairs(tx, orderedPairs(pairs), disconnectedSince)
  if (open.length === 0) return []
  const [before, held] = await Promise.all([tx.rows.get(staging, open, 'unique'), tx.rows.count(staging)])
  const counts = new Map(before.map(({ from, to, count }) => [keyOf([from, to]), count]))
  const fresh = open.filter((ends) => !counts.has(keyOf(ends)))
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
  const over = held + fresh.length - Math.max(0, limit)
  if (over > 0) {
    const least = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0], limit: over })
    await tx.remove(staging, least)
    return []
  }
  for (const { from, to, count } of counted) counts.set(keyOf([from, to]), count)
  return open.filter((ends) => (counts.get(keyOf(ends)) ?? 0) >= threshold)
}

/** Returns the pairs of existing blocks that have no edge and were not disconnected after `since`, and the look-up of their blocks. */
async function openPairs(tx: Transaction, wanted: readonly Ends[], since: number) {
  const [at, joined, apart] = await Promise.all([
    tx.lookUp(wanted.flat()),
    tx.rows.get(JOINED, wanted),
    tx.rows.get(disconnections, wanted),
  ])
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const late = apart.filter(({ at: hours }) => hours > since)
  const closed = new Set([...joined, ...late].map(({ from, to }) => keyOf([from, to])))
  return { open: known.filter((ends) => !closed.has(keyOf(ends))), at }
}

/** Removes staged pairs that an edge joins, or that have an end that is not active; returns their number. */
export async function removeStaleStaging(tx: Transaction): Promise<number> {
  const all = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0] })
  const ends = all.map(({ from, to }): Ends => [from, to])
  const joined = new Set((await tx.rows.get(JOINED, ends)).map(({ from, to }) => keyOf([from, to])))
  const active = await idsOfStatus(tx.whole, ends.flat(), ['active'])
  const isStale = ({ from, to }: StagedPair) =>
    joined.has(keyOf([from, to])) || !active.has(from) || !active.has(to)
  return (await tx.remove(staging, all.filter(isStale))).length
}

type PendingRow = RowOf<typeof pendingConnections>

/**
 * Inserts connections between existing blocks at the end of the list, each pair of blocks once. A request in the other direction
 * counts as the same connection: its row is overwritten and keeps its direction and its place.
 */
export async function savePendingConnections(
  tx: Transaction,
  given: readonly PendingConnection[],
): Promise<void> {
  const at = await tx.lookUp(given.flatMap(({ source, target }) => [source, target]))
  const placeOf = ({ source, target }: PendingConnection) => keyOf([source, target])
  const stored = await rowsEitherWay(
    tx,
    given.map(({ source, target }) => [source, target]),
  )
  const known = new Map<string, PendingConnection>(stored.map((row) => [placeOf(row), row]))
  for (const each of given) {
    const [one, other] = [at(each.source), at(each.target)]
    if (one === other || one === undefined || other === undefined) continue
    const { source, target } = known.get(placeOf(each)) ?? each
    known.set(placeOf(each), { ...each, source, target, ...sharedScope(one, other) })
  }
  await tx.save(pendingConnections, [...known.values()], stored)
}

/** Removes connections from the list, in either direction; returns the removed ones, oldest first. */
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

/** Inserts disconnections of existing blocks, or overwrites the one of the same pair. */
export async function saveDisconnections(tx: Transaction, apart: readonly Disconnection[]): Promise<void> {
  await tx.rows.put(disconnections, await betweenBlocks(tx, apart, ENDS))
}

/** Removes disconnections that are not later than `since`, in active hours; returns their number. */
export async function trimDisconnections(tx: Transaction, since: number): Promise<number> {
  const old = await tx.rows.scan(DISCONNECTION, { until: ['at', since], order: ['at'] })
  return (await tx.remove(disconnections, old)).length
}

/** The tables whose rows join blocks and go when a block is archived; of `pairs` only the open ones go. */
const JOINING: readonly Table[] = [edges, pairs, staging, pendingConnections, unlabelledPairs]

/** Archived edges are the edges and open pairs that a block had when it was archived. */
export type ArchivedEdges = RowOf<typeof archivedEdges>

/**
 * Removes all edges and open pairs of blocks, across scopes, and keeps them for `takeArchivedEdges`; also removes staged pairs, waiting
 * connections and unlabelled pairs. Both blocks keep an edge between them. A block archived twice keeps its first status and all edges.
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

/** Adds edges to the archived edges of their archived blocks, so that they come back with the last of these blocks. */
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

/** Removes and returns the archived edges and pairs of a block; those outside the view's scope are removed, but not returned. */
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

function blocksOf({ a, b }: BlockPair): string[] {
  return [a, b]
}

/** Returns a test that is true for the ids the transaction may see; over the whole store for all ids, without a statement. */
async function visible(tx: Transaction, ids: readonly string[]): Promise<(id: string) => boolean> {
  if (tx.scope === undefined) return () => true
  const at = await tx.lookUp(ids)
  return (id) => at(id) !== undefined
}

type ProposalRow = RowOf<typeof proposals>

/** The kinds of pairs, the strongest statement first. */
const PAIR_KINDS = ['contradiction', 'supersession', 'perhaps_newer', 'near_duplicate'] as const

/** The numbers of proposals and pairs that wait for a decision. */
type DecisionCounts = Readonly<Record<'proposal' | (typeof PAIR_KINDS)[number], number>>

/** Reads proposals by their ids, in the order of the ids. */
export async function readProposals({ rows }: ReadTransaction, ids: readonly string[]): Promise<Proposal[]> {
  return (await rows.get(proposals, keysOf(ids), 'unique')).map(proposalOf)
}

/** Reads proposals of one state behind a place, oldest first, each with its `place`. Cost: the rows of the page. */
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

/** Counts the proposals and pairs that wait for a decision. Cost: entries of indexes. */
export async function readDecisionCounts({ rows }: ReadTransaction): Promise<DecisionCounts> {
  const counted = await Promise.all([
    rows.count(proposals, { state: 'open' }),
    ...PAIR_KINDS.map((kind) => rows.count(pairs, { resolved: false, kind })),
  ])
  return Object.fromEntries(['proposal', ...PAIR_KINDS].map((kind, i) => [kind, counted[i]])) as never
}

/** Inserts proposals, without a scope of their own in that of the view, or changes the known ones, which keep their scope. */
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

/** Removes proposals by their ids. */
export async function removeProposals(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.remove(proposals, await tx.rows.get(proposals, keysOf(ids), 'unique'))
}

function proposalOf({ arrival: _arrival, ...proposal }: ProposalRow): Proposal {
  return proposal
}

/**
 * Reads unresolved pairs, only those of `kind` if it is given, oldest first. Cost: the rows up to the limit.
 *
 * @param behind the pair after which the answer begins, resolved or not; if there is no such pair, the answer is undefined
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

/** Returns those of the given pairs that somebody has decided about. Cost: one look a block. */
export async function readSettledPairs(
  { rows }: ReadTransaction,
  given: readonly Ends[],
): Promise<BlockPair[]> {
  if (given.length === 0) return []
  const settled = await rows.touching(PAIR, given.flat(), { both: true, where: { resolved: true } })
  const asked = new Set(orderedPairs(given).map((ends) => keyOf(ends)))
  return settled.filter(({ a, b }) => asked.has(keyOf([a, b])))
}

/**
 * Inserts pairs of existing blocks that are not known, or that replace a known pair of a weaker kind; with `reopens` they also replace
 * resolved pairs.
 */
export async function savePairs(
  tx: Transaction,
  given: readonly BlockPair[],
  { reopens = false }: { readonly reopens?: boolean } = {},
): Promise<void> {
  const wanted = await betweenBlocks(tx, given, ['a', 'b'])
  const stored = await tx.stored(pairs, wanted)
  const known = new Map<string, BlockPair>(stored.map((row) => [keyOf([row.a, row.b]), row]))
  const changed = new Map<string, BlockPair>()
  for (const pair of wanted) {
    const key = keyOf([pair.a, pair.b])
    const was = changed.get(key) ?? known.get(key)
    if (was === undefined || saysMore(pair, was) || (reopens && was.resolved)) changed.set(key, pair)
  }
  await tx.save(pairs, [...changed.values()], stored)
}

/** Returns true if a pair replaces a known one: its kind is stronger. A contradiction also replaces a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  const [rank, other] = [pair.kind, known.kind].map((kind) => PAIR_KINDS.indexOf(kind))
  return pair.kind === 'contradiction' || (!known.resolved && Number(rank) < Number(other))
}

/** Marks open pairs as resolved, only those of `kinds` if it is given; returns their number. */
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

/** Appends pairs of existing blocks to the pairs that wait for a label, each once. Drops the oldest beyond `keep`. */
export async function queueUnlabelled(
  tx: Transaction,
  given: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const known = await betweenBlocks(tx, given, ['from', 'to'])
  if (known.length === 0) return
  const wanted = new Map(known.toReversed().map((pair) => [keyOf([pair.from, pair.to]), pair]))
  const listed = await tx.stored(unlabelledPairs, known)
  for (const { from, to } of listed) wanted.delete(keyOf([from, to]))
  await tx.rows.insert(unlabelledPairs, [...wanted.values()].toReversed())
  await tx.rows.trim(unlabelledPairs, { order: ['arrival'], keep })
}

/** Removes pairs from the pairs that wait for a label, in any order of their ends. */
export async function removeUnlabelled(tx: Transaction, ends: readonly Ends[]): Promise<void> {
  const listed = await tx.rows.get(unlabelledPairs, orderedPairs(ends), 'unique')
  await tx.remove(unlabelledPairs, listed)
}
