import type { ArchiveReason, Block, BlockStatus } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import type { BlockPair, Edge, EdgeOrigin } from '../../domain/graph/edge.ts'
import type { Values } from '../connection/driver.ts'

/** In the `scope` of a row that belongs to none. */
export const NO_SCOPE = ''

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** The columns of `blocks` that are fields of `Block`, in the order of `blockOf` and `blockValues`. */
export const BLOCK_COLUMNS = [
  'id',
  'content',
  'summary',
  'cue',
  'category',
  'tags',
  'source',
  'status',
  'archive_reason',
  'superseded_by',
  'created_at',
  'occurred_at',
  'session',
  'position',
  'alignment',
  'successes',
  'failures',
  'reinforcement_count',
  'last_reinforced_at',
  'last_useful_at',
  'decay_lambda',
  'token_count',
  'scope',
  'scored_at',
  'judgement_pending',
  'supersedes',
  'source_class',
] as const

/** The block whose `BLOCK_COLUMNS` come first in a row. By place, because rows with names cost several times more. */
export function blockOf(values: Values): Block {
  const block: Mutable<Block> = {
    id: values[0] as string,
    content: values[1] as string,
    category: values[4] as string,
    tags: values[5] === '[]' ? [] : (JSON.parse(values[5] as string) as string[]),
    status: values[7] as BlockStatus,
    createdAt: values[10] as string,
    occurredAt: values[11] as string,
    session: values[12] as string,
    position: values[13] as number,
    successes: values[15] as number,
    failures: values[16] as number,
    reinforcementCount: values[17] as number,
    lastReinforcedAt: values[18] as number,
    lastUsefulAt: values[19] as number,
    decayLambda: values[20] as number,
    tokenCount: values[21] as number,
    sourceClass: values[26] as SourceClass,
  }
  if (values[2] !== null) block.summary = values[2] as string
  if (values[3] !== null) block.cue = values[3] as string
  if (values[6] !== null) block.source = values[6] as string
  if (values[8] !== null) block.archiveReason = values[8] as ArchiveReason
  if (values[9] !== null) block.supersededBy = values[9] as string
  if (values[14] !== null) block.alignment = values[14] as number
  if (values[22] !== NO_SCOPE) block.scope = values[22] as string
  if (values[23] !== null) block.scoredAt = values[23] as string
  if (values[24] === 1) block.judgementPending = true
  if (values[25] !== null) block.supersedes = values[25] as string
  return block
}

/** Returns the values of a block for `BLOCK_COLUMNS`. */
export function blockValues(block: Block): (string | number | null)[] {
  return [
    block.id,
    block.content,
    block.summary ?? null,
    block.cue ?? null,
    block.category,
    JSON.stringify(block.tags),
    block.source ?? null,
    block.status,
    block.archiveReason ?? null,
    block.supersededBy ?? null,
    block.createdAt,
    block.occurredAt,
    block.session,
    block.position,
    block.alignment ?? null,
    block.successes,
    block.failures,
    block.reinforcementCount,
    block.lastReinforcedAt,
    block.lastUsefulAt,
    block.decayLambda,
    block.tokenCount,
    block.scope ?? NO_SCOPE,
    block.scoredAt ?? null,
    block.judgementPending ? 1 : 0,
    block.supersedes ?? null,
    block.sourceClass,
  ]
}

/** The columns of `edges`, in the order of `edgeOf` and `edgeValues`. */
export const EDGE_COLUMNS = [
  'from_id',
  'to_id',
  'relation',
  'origin',
  'weight',
  'reinforcement_count',
  'last_active_at',
  'created_at',
  'note',
  'declared_by',
  'previous_origin',
] as const

/** The edge whose `EDGE_COLUMNS` come first in a row. By place, as with blocks. */
export function edgeOf(values: Values): Edge {
  const edge: Mutable<Edge> = {
    from: values[0] as string,
    to: values[1] as string,
    relation: values[2] as string,
    origin: values[3] as EdgeOrigin,
    weight: values[4] as number,
    reinforcementCount: values[5] as number,
    createdAt: values[7] as string,
  }
  if (values[6] !== null) edge.lastActiveAt = values[6] as number
  if (values[8] !== null) edge.note = values[8] as string
  if (values[9] !== null) edge.declaredBy = values[9] as string
  if (values[10] !== null) edge.previousOrigin = values[10] as EdgeOrigin
  return edge
}

/** Returns the values of an edge for `EDGE_COLUMNS`. */
export function edgeValues(edge: Edge): (string | number | null)[] {
  return [
    edge.from,
    edge.to,
    edge.relation,
    edge.origin,
    edge.weight,
    edge.reinforcementCount,
    edge.lastActiveAt ?? null,
    edge.createdAt,
    edge.note ?? null,
    edge.declaredBy ?? null,
    edge.previousOrigin ?? null,
  ]
}

/** A row of `pairs`. */
export interface PairRow {
  readonly a: string
  readonly b: string
  readonly kind: BlockPair['kind']
  readonly score: number
  readonly found_by: string | null
  readonly resolved: number
  readonly created_at: string
}

/** Name of `similarity` in files up to version 9. Rows keep it: an undo compares them with what it noted. */
const FOUND_BY_OF_OLD = 'likeness'

/** The pair a row holds. */
export function pairOf(row: PairRow): BlockPair {
  return {
    a: row.a,
    b: row.b,
    kind: row.kind,
    score: row.score,
    ...(row.found_by === null
      ? {}
      : { foundBy: row.found_by === FOUND_BY_OF_OLD ? 'similarity' : row.found_by }),
    resolved: row.resolved === 1,
    createdAt: row.created_at,
  }
}

/** Prefixes each column with a table's name. */
export function columnsOf(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${table}.${column}`).join(', ')
}

/** Reads the arrays of one bound JSON parameter as a table with these columns. */
export function jsonTable(columns: readonly string[], parameter = '?1'): string {
  const selected = columns.map((column, index) => `value ->> ${index} AS ${column}`).join(', ')
  return `(SELECT ${selected}, key AS ordinal FROM json_each(${parameter}))`
}

/** Each value once, at its first place, as one bound parameter for `json_each`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)])
}

/** The scope two blocks have in common, none when they differ. */
export function sharedScope(one: string, other: string): string {
  return `CASE WHEN ${one}.scope = ${other}.scope THEN ${one}.scope ELSE '${NO_SCOPE}' END`
}

/** One string for a pair of ids, for maps. */
export function pairKey(from: string, to: string): string {
  return JSON.stringify([from, to])
}
