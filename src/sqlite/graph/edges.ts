import { type BlockPair, type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { EdgeWithDecay, Links, Strengths } from '../../ports/store/transaction.ts'
import type { Values } from '../connection/driver.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { columnsOf, EDGE, jsonList, jsonTable, PAIR, pairKey, sharedScope } from '../queries/rows.ts'

/** Strengths are kept in whole billionths. */
const BILLION = 1e9

const WANTED = 'IN (SELECT value FROM json_each(?1))'

/** Edges and open pairs with one layout; `kind` is NULL for an edge. */
const LINK_COLUMNS = `${EDGE.names.join(', ')}, NULL AS kind`
const PAIR_AS_LINK = `a, b, NULL, NULL, score, 0, 0, created_at, found_by, NULL, NULL, kind`
const KIND = EDGE.names.length

/** Joins are quicker than three lists of the same ids; what has both ends among them comes twice. */
const WANTED_ROWS = 'json_each(?1) AS wanted CROSS JOIN'
const SELECT_LINKS = statement(
  ({ isOwn }) => `
SELECT ${LINK_COLUMNS} FROM ${WANTED_ROWS} edges ON edges.from_id = wanted.value${isOwn('edges')}
UNION ALL
SELECT ${LINK_COLUMNS} FROM ${WANTED_ROWS} edges ON edges.to_id = wanted.value${isOwn('edges')}
UNION ALL
SELECT ${PAIR_AS_LINK} FROM ${WANTED_ROWS} pairs ON pairs.a = wanted.value WHERE resolved = 0${isOwn('pairs')}
UNION ALL
SELECT ${PAIR_AS_LINK} FROM ${WANTED_ROWS} pairs ON pairs.b = wanted.value WHERE resolved = 0${isOwn('pairs')}`,
)

const SELECT_DEGREES = statement(
  ({ isOwn, strengths }) => `SELECT blocks.id, coalesce(${strengths}.degree, 0) AS degree
FROM json_each(?1) AS wanted
CROSS JOIN blocks ON blocks.id = wanted.value${isOwn('blocks')}
LEFT JOIN ${strengths} ON ${strengths}.block_id = blocks.id
ORDER BY wanted.key`,
)

const WITH_DECAY = `SELECT ${columnsOf('edges', EDGE.names)},
  one.decay_lambda AS from_lambda, other.decay_lambda AS to_lambda
FROM edges
CROSS JOIN blocks AS one ON one.id = edges.from_id
CROSS JOIN blocks AS other ON other.id = edges.to_id`

/** `NOT IN` behind a `+` keeps the planner from walking the table by it. */
const SELECT_AROUND = statement(
  ({ isOwn }) => `SELECT * FROM (
  ${WITH_DECAY} WHERE edges.from_id ${WANTED}${isOwn('edges')}
  UNION ALL
  ${WITH_DECAY} WHERE edges.to_id ${WANTED} AND +edges.from_id NOT ${WANTED}${isOwn('edges')}
)
ORDER BY from_id, to_id`,
)

const SELECT_EDGE_PAGE = statement(
  ({ own }) => `SELECT ${EDGE.names.join(', ')} FROM edges
WHERE (from_id, to_id) > (?1, ?2)${own('edges')}
ORDER BY from_id, to_id LIMIT ?3`,
)

const SELECT_STRENGTHS = statement(
  ({ isOwn, strengths }) => `SELECT block_id AS id, strength
FROM ${strengths} WHERE block_id ${WANTED}${isOwn(strengths)}`,
)

const SELECT_STRONGEST = statement(
  ({ own, strengths }) => `SELECT * FROM (
  SELECT block_id AS id, strength
  FROM ${strengths} WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT ?1
)
UNION ALL
SELECT NULL, coalesce((SELECT strength FROM ${strengths}
  WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT 1 OFFSET ?2), 0)`,
)

const OVERWRITTEN = EDGE.names.filter((column) => column !== 'from_id' && column !== 'to_id')

/** Edges to blocks that do not exist are left out by the joins. `WHERE true` ends the joins for the parser. */
const SAVE_EDGES = statement(
  ({ isOwn }) => `INSERT INTO edges (${EDGE.names.join(', ')}, scope)
SELECT ${columnsOf('incoming', EDGE.names)}, ${sharedScope('one', 'other')}
FROM ${jsonTable(EDGE.names)} AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.from_id${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.to_id${isOwn('other')}
WHERE true
ORDER BY incoming.ordinal
ON CONFLICT (from_id, to_id) DO UPDATE
SET ${OVERWRITTEN.map((column) => `${column} = excluded.${column}`).join(', ')}`,
)

const REMOVE_EDGES = statement(
  ({ isOwn }) => `DELETE FROM edges
WHERE (from_id, to_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))${isOwn('edges')}
RETURNING ${EDGE.names.join(', ')}`,
)

/** An edge without an anchor has NULL there, which would equal nothing. */
const REMOVE_UNUSED = statement(
  ({ isOwn }) => `DELETE FROM edges
WHERE (from_id, to_id, weight, reinforcement_count, coalesce(last_active_at, '')) IN (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, coalesce(value ->> 4, '') FROM json_each(?1)
)${isOwn('edges')}
RETURNING ${EDGE.names.join(', ')}`,
)

/** CASE hides the other end from the planner, which would try each pair of ids instead of each edge. */
const REINFORCE_EDGES = statement(
  ({ isOwn }) => `UPDATE edges SET reinforcement_count = reinforcement_count + 1, last_active_at = ?2
WHERE from_id ${WANTED} AND CASE WHEN to_id ${WANTED} THEN 1 ELSE 0 END = 1${isOwn('edges')}`,
)

const REMOVE_EDGES_OF = `DELETE FROM edges WHERE from_id ${WANTED} OR to_id ${WANTED}`

/** Edges and open pairs around the blocks, strongest first. */
export function readLinks(connection: ScopedConnection, ids: readonly string[]): Links {
  const edges = new Map<string, Edge>()
  const pairs = new Map<string, BlockPair>()
  for (const row of connection.values(SELECT_LINKS, jsonList(ids))) {
    const key = pairKey(row[0] as string, row[1] as string)
    if (row[KIND] === null) edges.set(key, EDGE.decode(row))
    else pairs.set(key, pairInLink(row))
  }
  return {
    edges: [...edges.values()].sort(
      (one, other) => other.weight - one.weight || compare(one.from, other.from) || compare(one.to, other.to),
    ),
    pairs: [...pairs.values()].sort(
      (one, other) => other.score - one.score || compare(one.a, other.a) || compare(one.b, other.b),
    ),
  }
}

/** The order of SQLite's texts. */
function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Edges with an end among the blocks, with the decay of both. */
export function readEdgesAround(connection: ScopedConnection, ids: readonly string[]): EdgeWithDecay[] {
  if (ids.length === 0) return []
  return connection.values(SELECT_AROUND, jsonList(ids)).map(withDecay)
}

/** Edges after a pair of ends. */
export function readEdgePage(connection: ScopedConnection, after: Ends, limit: number): Edge[] {
  return connection.values(SELECT_EDGE_PAGE, ...after, Math.max(0, limit)).map(EDGE.decode)
}

/** How well blocks are joined, as the triggers on `edges` keep it. */
export function readStrengths(connection: ScopedConnection, ids: readonly string[]): Map<string, number> {
  const rows = connection.all<{ id: string; strength: number }>(SELECT_STRENGTHS, jsonList(ids))
  return new Map(rows.map((row) => [row.id, row.strength / BILLION]))
}

/** The best joined blocks and the strength at a rank. */
export function readStrongest(connection: ScopedConnection, limit: number, rank: number): Strengths {
  const rows = connection.all<{ id: string | null; strength: number }>(
    SELECT_STRONGEST,
    Math.max(0, limit),
    Math.max(0, rank - 1),
  )
  const atRank = (rows.pop()?.strength ?? 0) / BILLION
  return {
    strongest: rows.map(({ id, strength }) => ({ id: id as string, strength: strength / BILLION })),
    atRank,
  }
}

/** How many edges each existing block has. */
export function readDegrees(connection: ScopedConnection, ids: readonly string[]): Map<string, number> {
  const rows = connection.all<{ id: string; degree: number }>(SELECT_DEGREES, jsonList(ids))
  return new Map(rows.map((row) => [row.id, row.degree]))
}

/** Inserts or overwrites edges between existing blocks; the last one of a pair wins. */
export function saveEdges(connection: ScopedConnection, edges: readonly Edge[]): void {
  const saved = edges.filter((edge) => edge.from !== edge.to)
  if (saved.length === 0) return
  connection.run(SAVE_EDGES, JSON.stringify(saved.map((edge) => EDGE.encode(canonical(edge)))))
}

/** Removes edges by their ends; returns those that were there, in the order asked for. */
export function removeEdges(connection: ScopedConnection, pairs: readonly Ends[]): Edge[] {
  if (pairs.length === 0) return []
  const wanted = orderedPairs(pairs)
  return inOrderAsked(connection.values(REMOVE_EDGES, JSON.stringify(wanted)), wanted)
}

/** Removes the edges that are still as they were read, in the order given. */
export function removeUnusedEdges(connection: ScopedConnection, edges: readonly Edge[]): Edge[] {
  if (edges.length === 0) return []
  const wanted = edges.map(canonical)
  const values = wanted.map((edge) => [
    edge.from,
    edge.to,
    edge.weight,
    edge.reinforcementCount,
    edge.lastActiveAt ?? null,
  ])
  return inOrderAsked(connection.values(REMOVE_UNUSED, JSON.stringify(values)), wanted.map(endsOf))
}

/** Counts a joint use of every edge inside the set of blocks. */
export function reinforceEdgesAmong(
  connection: ScopedConnection,
  ids: readonly string[],
  hours: number,
): number {
  if (ids.length < 2) return 0
  return connection.run(REINFORCE_EDGES, jsonList(ids), hours)
}

/** Removes every edge with an end among the blocks. */
export function removeEdgesOf(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(REMOVE_EDGES_OF, jsonList(ids))
}

/** Each pair of different blocks once, its ends in canonical order. */
export function orderedPairs(pairs: readonly Ends[]): Ends[] {
  const unique = new Map<string, Ends>()
  for (const [one, other] of pairs) {
    if (one === other) continue
    const ends = orderedPair(one, other)
    unique.set(pairKey(...ends), ends)
  }
  return [...unique.values()]
}

function inOrderAsked(rows: readonly Values[], wanted: readonly Ends[]): Edge[] {
  const found = new Map(rows.map(EDGE.decode).map((edge) => [pairKey(edge.from, edge.to), edge]))
  return wanted.flatMap(([from, to]) => found.get(pairKey(from, to)) ?? [])
}

function endsOf({ from, to }: Edge): Ends {
  return [from, to]
}

/** The decay of both ends follows the columns of the edge. */
function withDecay(row: Values): EdgeWithDecay {
  const [fromLambda, toLambda] = row.slice(EDGE.names.length) as [number, number]
  return { edge: EDGE.decode(row), fromLambda, toLambda }
}

function canonical(edge: Edge): Edge {
  const [from, to] = orderedPair(edge.from, edge.to)
  return from === edge.from ? edge : { ...edge, from, to }
}

function pairInLink(row: Values): BlockPair {
  const { from: a, to: b, weight: score, createdAt, note: foundBy = null } = EDGE.decode(row)
  return PAIR.decode([a, b, row[KIND] as string, score, 0, createdAt, foundBy])
}
