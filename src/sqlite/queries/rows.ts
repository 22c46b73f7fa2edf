import type { Block } from '../../domain/block/block.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import { type Codec, codecOf } from '../../store/codec.ts'
import { blocks, edges, pairs } from '../../store/tables.ts'

/** In the `scope` of a row that belongs to none. */
export const NO_SCOPE = ''

const { arrival: _arrival, sequence: _sequence, textKey: _textKey, ...fields } = blocks.columns

/** Between blocks and their rows. */
export const BLOCK: Codec<Block> = codecOf(blocks, Object.keys(fields) as (keyof typeof fields)[])

/** Between edges and their rows; which scope they are of is the store's. */
export const EDGE: Codec<Edge> = codecOf(edges, [
  ...(['from', 'to', 'relation', 'origin', 'weight', 'reinforcementCount'] as const),
  ...(['lastActiveAt', 'createdAt', 'note', 'declaredBy', 'previousOrigin'] as const),
])

const PAIR_ROW = codecOf(pairs, ['a', 'b', 'kind', 'score', 'resolved', 'createdAt', 'foundBy'])

/** Name of `similarity` in files up to version 9. Rows keep it: an undo compares them with what it noted. */
const FOUND_BY_OF_OLD = 'likeness'

/** Between pairs and their rows. */
export const PAIR: Codec<BlockPair> = {
  ...PAIR_ROW,
  decode: (values) => {
    const pair = PAIR_ROW.decode(values)
    return pair.foundBy === FOUND_BY_OF_OLD ? { ...pair, foundBy: 'similarity' } : pair
  },
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
