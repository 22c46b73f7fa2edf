import { type BlockPair, type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import { type RowOf, viewOf } from '../../ports/store/description.ts'
import type { EdgeNote, EdgeWithDecay, Links } from '../../ports/store/transaction.ts'
import { blocks, edges, staging } from '../tables.ts'
import { type LookUp, sharedScope, type Transaction } from '../transaction.ts'
import { EDGE, NOTE, PAIR } from '../views.ts'

type EdgeRow = RowOf<typeof edges>

const DECAY = viewOf(blocks, ['id', 'decayLambda'])

/** Edges and open pairs around the blocks, strongest first; ties in the order of their ends. */
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

/** Edges with an end among the blocks, with the decay of both. */
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

/** Edges after a pair of ends. */
export function readEdgePage({ rows }: Transaction, after: Ends, limit: number): Promise<Edge[]> {
  return rows.scan(EDGE, { order: ['from', 'to'], after, limit })
}

/** The edges of greatest stored weight. */
export function readHeaviestEdges({ rows }: Transaction, limit: number): Promise<Edge[]> {
  return rows.scan(EDGE, { order: ['-weight', 'from', 'to'], limit })
}

/** The newest notes of edges. */
export async function readEdgeNotes({ rows }: Transaction, limit: number): Promise<EdgeNote[]> {
  const noted = await rows.scan(NOTE, {
    ...{ has: 'note', from: ['createdAt', ''], order: ['-createdAt', 'from', 'to'], limit },
  })
  return noted.map(({ from, to, note = '' }) => ({ from, to, note }))
}

/** How well blocks are joined. */
export async function readStrengths(
  { rows }: Transaction,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const joined = await rows.queries.strengths(ids)
  return new Map([...joined].map(([id, { strength }]) => [id, strength]))
}

/** How many edges each existing block has. */
export async function readDegrees(tx: Transaction, ids: readonly string[]): Promise<Map<string, number>> {
  const at = await tx.lookUp(ids)
  const joined = await tx.rows.queries.strengths(ids)
  const known = [...new Set(ids)].filter((id) => at(id) !== undefined)
  return new Map(known.map((id) => [id, joined.get(id)?.degree ?? 0]))
}

/**
 * Inserts or overwrites edges between existing blocks; the last one of a pair wins. A pair that came together often enough
 * needs no count any more.
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

/** Takes the pairs of edges that use made off the list of pairs that are counted. */
export async function removePromoted(tx: Transaction, made: readonly EdgeRow[]): Promise<void> {
  const joined = made.filter(({ origin }) => origin === 'co_retrieval').map(({ from, to }) => [from, to])
  const counted = await tx.rows.get(staging, joined, 'unique')
  await tx.remove(staging, counted)
}

/** Removes edges by their ends; returns those that were there, in the order asked for. */
export async function removeEdges({ rows }: Transaction, pairs: readonly Ends[]): Promise<Edge[]> {
  return (await rows.remove(edges, orderedPairs(pairs))).map(edgeOf)
}

/** Removes the edges that are still as they were read, in the order given. */
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

/** Counts a joint use of every edge inside the set of blocks. */
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
export function pairKey(from: string, to: string): string {
  return `${from}\n${to}`
}

/** Each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const different = pairs
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => orderedPair(one, other))
  return [...new Map(different.map((ends) => [pairKey(...ends), ends])).values()]
}

/** Those between two different blocks that exist, with ends in canonical order and the scope that both blocks have. */
export async function betweenBlocks<T extends { readonly from: string; readonly to: string }>(
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

/** Finds the blocks at the ends of pairs. */
export function lookUpEnds(tx: Transaction, pairs: readonly Ends[]): Promise<LookUp> {
  return tx.lookUp(pairs.flat())
}
