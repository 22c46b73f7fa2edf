import type { Block } from '../../domain/block/block.ts'
import { type BlockPair, type Disconnection, type Edge, type Ends, orderedPair, type PendingConnection, type StagedPair } from '../../domain/graph/edge.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type {
  JudgementCounts,
  PendingJudgementFilter,
  Strengths,
  UnlabelledPair,
} from '../../ports/store/queries.ts'
import {
  blocks,
  disconnections,
  edges,
  pairs,
  pendingConnections,
  staging,
  unlabelledPairs,
} from '../tables.ts'
import { sharedScope, type Transaction } from '../transaction.ts'
import { DISCONNECTION, EDGE, NOTE, PAIR, PENDING } from '../views.ts'

type EdgeRow = RowOf<typeof edges>

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

/** The note of an edge, which is about both of its blocks. */
export interface EdgeNote {
  readonly from: string
  readonly to: string
  readonly note: string
}

/** Reads the edges and open pairs around blocks; only the pairs of some kinds, if they are given. */
export async function readLinks(
  { rows }: Transaction,
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

/**
 * Reads open pairs among the blocks and those that supersessions and near-duplicates join with them, directly or through
 * others, in (a, b) order. At most `limit` blocks are followed, the nearest first. Cost: their pairs.
 */
export function readGroupedPairs(
  { rows }: Transaction,
  ids: readonly string[],
  limit: number,
): Promise<BlockPair[]> {
  return rows.queries.groupedPairs(ids, limit)
}

/** Reads the `limit` strongest blocks, and the strength at the 1-based `rank`. Cost: an index as far as the rank. */
export function readStrongest({ rows }: Transaction, limit: number, rank: number): Promise<Strengths> {
  return rows.queries.strongest(limit, rank)
}

/** Reads edges with an end among the blocks and the decay of both ends, in (from, to) order. */
export async function readEdgesAround(
  { rows }: Transaction,
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

/** Reads edges after a pair of ends, in (from, to) order. */
export function readEdgePage({ rows }: Transaction, after: Ends, limit: number): Promise<Edge[]> {
  return rows.scan(EDGE, { order: ['from', 'to'], after, limit })
}

/** Reads the edges of greatest stored weight; ties in (from, to) order. Cost: all edges. */
export function readHeaviestEdges({ rows }: Transaction, limit: number): Promise<Edge[]> {
  return rows.scan(EDGE, { order: ['-weight', 'from', 'to'], limit })
}

/** Reads the notes of the newest edges that have one; ties in (from, to) order. */
export async function readEdgeNotes({ rows }: Transaction, limit: number): Promise<EdgeNote[]> {
  const noted = await rows.scan(NOTE, {
    ...{ has: 'note', from: ['createdAt', ''], order: ['-createdAt', 'from', 'to'], limit },
  })
  return noted.map(({ from, to, note = '' }) => ({ from, to, note }))
}

/**
 * Reads the sum of the effective weights (`effectiveEdgeWeight`) of the edges at each block, to nine decimals. Blocks without an
 * edge are left out. The sums are kept with every change of an edge, so the cost is one look a block.
 */
export async function readStrengths(
  { rows }: Transaction,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const joined = await rows.queries.strengths(ids)
  return new Map([...joined].map(([id, { strength }]) => [id, strength]))
}

/** Reads the number of edges at each block, 0 where there is none; unknown ids are left out. */
export async function readDegrees(tx: Transaction, ids: readonly string[]): Promise<Map<string, number>> {
  const at = await tx.lookUp(ids)
  const joined = await tx.rows.queries.strengths(ids)
  const known = [...new Set(ids)].filter((id) => at(id) !== undefined)
  return new Map(known.map((id) => [id, joined.get(id)?.degree ?? 0]))
}

/**
 * Inserts or overwrites edges between existing blocks; the last one of a pair wins. An edge of origin `co_retrieval` takes its
 * pair off the staged ones.
 */
export async function saveEdges(tx: Transaction, given: readonly Edge[]): Promise<void> {
  const wanted: EdgeRow[] = await betweenBlocks(tx, given)
  if (wanted.length === 0) return
  const before = await tx.rows.get(
    edges,
    wanted.map(({ from, to }) => [from, to]),
  )
  const known = new Set(before.map(({ from, to }) => pairKey(from, to)))
  await removePromoted(
    tx,
    wanted.filter(({ from, to }) => !known.has(pairKey(from, to))),
  )
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
  return (await rows.remove(edges, orderedPairs(pairs))).map(edgeOf)
}

/**
 * Removes the edges that still have the weight, count and anchor given, so that a use meanwhile saves one. Returns them in the
 * order given.
 */
export async function removeUnusedEdges(tx: Transaction, given: readonly Edge[]): Promise<Edge[]> {
  const wanted = new Map(given.map((edge) => [pairKey(...orderedPair(edge.from, edge.to)), edge]))
  const found = await tx.rows.get(
    edges,
    given.map(({ from, to }) => orderedPair(from, to)),
  )
  const unused = found.filter((edge) => {
    const then = wanted.get(pairKey(edge.from, edge.to))
    return (
      edge.weight === then?.weight &&
      edge.reinforcementCount === then.reinforcementCount &&
      edge.lastActiveAt === then.lastActiveAt
    )
  })
  return removeEdges(
    tx,
    unused.map(({ from, to }) => [from, to]),
  )
}

/** Adds one to the count of every edge with both ends among the blocks, and sets its anchor; returns how many. */
export async function reinforceEdgesAmong(
  { rows }: Transaction,
  ids: readonly string[],
  hours: number,
): Promise<number> {
  if (ids.length < 2) return 0
  const among = await rows.touching(edges, ids, { both: true })
  const used = among.map((edge) => ({
    ...edge,
    reinforcementCount: edge.reinforcementCount + 1,
    lastActiveAt: hours,
  }))
  await rows.put(edges, used, among)
  return used.length
}

function edgeOf({ scope: _scope, ...edge }: EdgeRow): Edge {
  return edge
}

/** One string for two ids, for maps. */
function pairKey(from: string, to: string): string {
  return `${from}\n${to}`
}

/** Each pair of different blocks once, its ends in canonical order. */
function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const different = pairs
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => orderedPair(one, other))
  return [...new Map(different.map((ends) => [pairKey(...ends), ends])).values()]
}

/** Returns the edges between two different blocks that exist, with ends in canonical order and the scope that both blocks have. */
async function betweenBlocks<T extends { readonly from: string; readonly to: string }>(
  tx: Transaction,
  given: readonly T[],
): Promise<(T & { readonly scope?: string })[]> {
  const at = await tx.lookUp(given.flatMap(({ from, to }) => [from, to]))
  const known = given.filter(({ from, to }) => from !== to && at(from) !== undefined && at(to) !== undefined)
  return known.map((each) => {
    const [from, to] = orderedPair(each.from, each.to)
    return { ...each, from, to, ...sharedScope(at(from), at(to)) }
  })
}

type PairRow = RowOf<typeof pairs>

/**
 * Reads unresolved pairs, of one kind if it is given, oldest first. Cost: that of the limit.
 *
 * @param behind begins after this pair, resolved or not; the answer is undefined if there is no such pair
 */
export async function readOpenPairs(
  { rows }: Transaction,
  limit: number,
  behind?: Ends,
  kind?: BlockPair['kind'],
): Promise<BlockPair[] | undefined> {
  const [last] = behind === undefined ? [] : await rows.get(pairs, [orderedPair(...behind)], 'unique')
  if (behind !== undefined && last === undefined) return undefined
  const where = kind === undefined ? { resolved: false } : { resolved: false, kind }
  return rows.scan(PAIR, { where, order: ['arrival'], from: ['arrival', (last?.arrival ?? -1) + 1], limit })
}

/** Returns the pairs among the given that somebody has decided about. Cost: one look a block. */
export async function readSettledPairs({ rows }: Transaction, given: readonly Ends[]): Promise<BlockPair[]> {
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
  const at = await tx.lookUp(given.flatMap(({ a, b }) => [a, b]))
  const wanted = given
    .filter(({ a, b }) => a !== b && at(a) !== undefined && at(b) !== undefined)
    .map((pair) => {
      const [a, b] = orderedPair(pair.a, pair.b)
      return { ...pair, a, b, ...sharedScope(at(a), at(b)) }
    })
  const stored = await tx.rows.get(
    pairs,
    wanted.map(({ a, b }) => [a, b]),
    'unique',
  )
  const known = new Map<string, BlockPair & Partial<PairRow>>(
    stored.map((row) => [pairKey(row.a, row.b), row]),
  )
  const changed = new Set<string>()
  for (const pair of wanted) {
    const key = pairKey(pair.a, pair.b)
    const was = known.get(key)
    if (was !== undefined && !saysMore(pair, was) && !(reopens && was.resolved)) continue
    known.set(key, was?.arrival === undefined ? pair : { ...pair, arrival: was.arrival })
    changed.add(key)
  }
  const written = [...known].flatMap(([key, pair]) => (changed.has(key) ? [pair] : []))
  await tx.rows.insert(
    pairs,
    written.filter(({ arrival }) => arrival === undefined),
  )
  await tx.rows.put(pairs, written.filter(isStored), stored)
}

const RANK: Readonly<Record<BlockPair['kind'], number>> = {
  near_duplicate: 0,
  perhaps_newer: 1,
  supersession: 2,
  contradiction: 3,
}

/** True if a pair replaces one that is known: it is a stronger kind. A contradiction also reopens a resolved pair. */
function saysMore(pair: BlockPair, known: BlockPair): boolean {
  if (pair.kind === 'contradiction') return true
  return !known.resolved && RANK[pair.kind] > RANK[known.kind]
}

function isStored(pair: BlockPair & Partial<PairRow>): pair is PairRow {
  return pair.arrival !== undefined
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

/** Reads blocks to judge: the pending first, then never judged, then judged longest ago; ties by arrival. */
export function readPendingJudgements(
  { rows }: Transaction,
  filter: PendingJudgementFilter,
): Promise<Block[]> {
  return rows.queries.pendingJudgements(filter)
}

/** Counts the active blocks that need a judgement. */
export function readJudgementCounts({ rows }: Transaction, judgedBefore: string): Promise<JudgementCounts> {
  return rows.queries.judgementCounts(judgedBefore)
}

/** Reads pairs of active blocks that wait for a label, oldest first. */
export function readUnlabelledPairs({ rows }: Transaction, limit: number): Promise<UnlabelledPair[]> {
  return rows.queries.unlabelledPairs(limit)
}

/** Appends pairs of existing blocks to those that wait for a label, unless they wait already. Beyond `keep` the oldest are dropped. */
export async function queueUnlabelled(
  tx: Transaction,
  given: readonly UnlabelledPair[],
  keep: number,
): Promise<void> {
  const cosines = new Map<string, number>()
  for (const { from, to, cosine } of given) {
    const key = from < to ? pairKey(from, to) : pairKey(to, from)
    cosines.set(key, cosines.get(key) ?? cosine)
  }
  const wanted = orderedPairs(given.map(({ from, to }) => [from, to]))
  if (wanted.length === 0) return
  const at = await tx.lookUp(wanted.flat())
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const listed = await tx.rows.get(unlabelledPairs, known, 'unique')
  const isListed = new Set(listed.map(({ from, to }) => pairKey(from, to)))
  const fresh = known.filter((ends) => !isListed.has(pairKey(...ends)))
  await tx.rows.insert(
    unlabelledPairs,
    fresh.map(([from, to]) => ({
      ...{ from, to, cosine: cosines.get(pairKey(from, to)) as number },
      ...sharedScope(at(from), at(to)),
    })),
  )
  await tx.rows.trim(unlabelledPairs, { order: ['arrival'], keep })
}

/** Removes pairs from those that wait for a label, in any order of their ends. */
export async function removeUnlabelled(tx: Transaction, ends: readonly Ends[]): Promise<void> {
  const listed = await tx.rows.get(unlabelledPairs, orderedPairs(ends), 'unique')
  await tx.remove(unlabelledPairs, listed)
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

/** The staged pairs that are wanted. */
interface StagedFilter {
  readonly atLeast: number
  readonly limit: number
  /** Ids of both ends; all pairs when left out. */
  readonly among?: readonly string[]
}

const STAGED = viewOf(staging, ['arrival', 'from', 'to', 'count'])
const STATUS = viewOf(blocks, ['id', 'status'])

/** Reads staged pairs that were counted often enough, the most counted first, then the oldest. */
export async function readStagedPairs(
  { rows }: Transaction,
  { atLeast, limit, among }: StagedFilter,
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
  options: StageOptions,
): Promise<Ends[]> {
  const { open, at } = await openPairs(tx, orderedPairs(pairs), options.disconnectedSince)
  if (open.length === 0) return []
  const before = await tx.rows.get(staging, open, 'unique')
  const known = new Map(before.map((each) => [pairKey(each.from, each.to), each]))
  const fresh = open.filter((ends) => !known.has(pairKey(...ends)))
  const { mark, sameAs = [mark] } = options
  const again = before.filter(({ sessions }) => !sessions.some((each) => sameAs.includes(each)))
  await tx.rows.insert(
    staging,
    fresh.map(([from, to]) => ({
      ...{ from, to, count: 1, sessions: [mark] },
      ...sharedScope(at(from), at(to)),
    })),
  )
  await tx.rows.put(
    staging,
    again.map((each) => ({
      ...each,
      count: each.count + 1,
      sessions: [...each.sessions, mark].slice(-MARKS_KEPT),
    })),
    before,
  )
  const over = (await tx.rows.count(staging)) - Math.max(0, options.limit)
  if (over > 0) {
    const least = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0], limit: over })
    await tx.remove(staging, least)
    return []
  }
  const counted = new Set(again.map(({ from, to }) => pairKey(from, to)))
  const countOf = (key: string) => (known.get(key)?.count ?? 1) + (counted.has(key) ? 1 : 0)
  return open.filter((ends) => countOf(pairKey(...ends)) >= options.threshold)
}

/** Pairs of existing blocks that no edge joins and nobody disconnected later than `since`, and what is known of their ends. */
async function openPairs(tx: Transaction, wanted: readonly Ends[], since: number) {
  const at = await tx.lookUp(wanted.flat())
  const known = wanted.filter(([from, to]) => at(from) !== undefined && at(to) !== undefined)
  const joined = await tx.rows.get(viewOf(edges, ['from', 'to']), known)
  const apart = (await tx.rows.get(disconnections, known)).filter(({ at: hours }) => hours > since)
  const closed = new Set([...joined, ...apart].map(({ from, to }) => pairKey(from, to)))
  return { open: known.filter((ends) => !closed.has(pairKey(...ends))), at }
}

/** Removes staged pairs that an edge joins by now or with an end that is not active; returns how many. */
export async function removeStaleStaging(tx: Transaction): Promise<number> {
  const all = await tx.rows.scan(STAGED, { order: ['count', 'arrival'], from: ['count', 0] })
  const ends = all.map(({ from, to }) => [from, to])
  const joined = await tx.rows.get(viewOf(edges, ['from', 'to']), ends)
  const isJoined = new Set(joined.map(({ from, to }) => pairKey(from, to)))
  const known = await tx.whole.blocks(STATUS, ends.flat())
  const isActive = new Set(known.filter(({ status }) => status === 'active').map(({ id }) => id))
  const stale = all.filter(
    ({ from, to }) => isJoined.has(pairKey(from, to)) || !isActive.has(from) || !isActive.has(to),
  )
  await tx.remove(staging, stale)
  return stale.length
}

type PendingRow = RowOf<typeof pendingConnections>

/** Reads connections that wait because of the degree cap, oldest first. */
export function readPendingConnections({ rows }: Transaction, limit: number): Promise<PendingConnection[]> {
  return rows.scan(PENDING, { order: ['id'], from: ['id', 0], limit })
}

/**
 * Inserts connections between existing blocks at the end of the list, each pair of blocks once. A request in the other direction
 * is the same one: the row is overwritten and keeps its direction and its place.
 */
export async function savePendingConnections(
  tx: Transaction,
  given: readonly PendingConnection[],
): Promise<void> {
  const at = await tx.lookUp(given.flatMap(({ source, target }) => [source, target]))
  const stored = await rowsEitherWay(
    tx,
    given.map(({ source, target }) => [source, target]),
  )
  const wanted = new Map<string, PendingConnection & Partial<PendingRow>>(
    stored.map((row) => [pairKey(...orderedPair(row.source, row.target)), row]),
  )
  const changed = new Set<string>()
  for (const each of given) {
    const { source, target } = each
    if (source === target || at(source) === undefined || at(target) === undefined) continue
    const key = pairKey(...orderedPair(source, target))
    const was = wanted.get(key) ?? each
    wanted.set(key, {
      ...{ ...each, source: was.source, target: was.target },
      ...('id' in was ? { id: was.id as number } : {}),
      ...sharedScope(at(source), at(target)),
    })
    changed.add(key)
  }
  const written = [...wanted].flatMap(([key, each]) => (changed.has(key) ? [each] : []))
  await tx.rows.insert(
    pendingConnections,
    written.filter(({ id }) => id === undefined),
  )
  await tx.rows.put(pendingConnections, written.filter(isListed), stored)
}

function isListed(connection: PendingConnection & Partial<PendingRow>): connection is PendingRow {
  return connection.id !== undefined
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
  return rows.get(
    pendingConnections,
    pairs.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
    'unique',
  )
}

/** Reads disconnections later than `since` with both ends among the blocks, in (from, to) order. */
export async function readDisconnections(
  { rows }: Transaction,
  ids: readonly string[],
  since: number,
): Promise<Disconnection[]> {
  const among = await rows.touching(DISCONNECTION, ids, { both: true })
  return among.filter(({ at }) => at > since)
}

/** Inserts or overwrites disconnections of existing blocks by pair. */
export async function saveDisconnections(tx: Transaction, apart: readonly Disconnection[]): Promise<void> {
  await tx.rows.put(disconnections, await betweenBlocks(tx, apart))
}

/** Removes the notes that pairs were disconnected. */
export async function removeDisconnections({ rows }: Transaction, pairs: readonly Ends[]): Promise<void> {
  await rows.remove(disconnections, orderedPairs(pairs))
}

/** Removes disconnections not later than `since`, in active hours; returns how many. */
export async function trimDisconnections(tx: Transaction, since: number): Promise<number> {
  const old = await tx.rows.scan(viewOf(disconnections, ['from', 'to']), {
    until: ['at', since],
    order: ['at'],
  })
  await tx.remove(disconnections, old)
  return old.length
}
