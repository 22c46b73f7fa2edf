import type { Block } from '../domain/block/block.ts'
import type { BlockPair, Disconnection, Edge, PendingConnection } from '../domain/graph/edge.ts'
import { type View, viewOf } from '../ports/store/description.ts'
import { blocks, disconnections, edges, pairs, pendingConnections } from './tables.ts'

const { arrival: _arrival, sequence: _sequence, textKey: _textKey, ...fields } = blocks.columns

/** Blocks as the flow knows them. */
export const BLOCK: View<Block> = viewOf(blocks, Object.keys(fields) as (keyof typeof fields)[])

/** Edges; which scope they are of is the store's. */
export const EDGE: View<Edge> = viewOf(edges, [
  ...(['from', 'to', 'relation', 'origin', 'weight', 'reinforcementCount'] as const),
  ...([
    'lastActiveAt',
    'createdAt',
    'note',
    'declaredBy',
    'previousOrigin',
    'validFrom',
    'validUntil',
  ] as const),
])

/** The notes of edges about their blocks. */
export const NOTE = viewOf(edges, ['from', 'to', 'note'])

/** Pairs as they are stored. */
export const PAIR: View<BlockPair> = viewOf(pairs, [
  ...(['a', 'b', 'kind', 'score', 'resolved', 'createdAt', 'foundBy'] as const),
])

/** Connections that wait. */
export const PENDING: View<PendingConnection> = viewOf(pendingConnections, [
  ...(['source', 'target', 'relation', 'weight', 'note', 'requestedAt', 'attempts'] as const),
  ...(['validFrom', 'validUntil'] as const),
])

/** Disconnections. */
export const DISCONNECTION: View<Disconnection> = viewOf(disconnections, ['from', 'to', 'at', 'reason'])
