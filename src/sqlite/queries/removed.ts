import { type Removal, type Removed, removedBetween, withRemoval } from '../../domain/block/removals.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'
import { readSequence } from './changes.ts'
import { readMeta, saveMeta } from './sessions.ts'
import { NEW_GENERATION, SELECT_GENERATION } from './vectors.ts'

/** Where `meta` keeps what was removed, as JSON. */
const REMOVED_KEY = 'removed_blocks'

/** Tells readers of changes that blocks are no more. */
export function noteRemoval(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(NEW_GENERATION)
  const removal = { generation: generationOf(connection), sequence: readSequence(connection), ids }
  saveMeta(connection, REMOVED_KEY, JSON.stringify(withRemoval(removalsIn(connection), removal)))
}

/** What was removed since a generation, when nothing else made a new one. */
export function readRemovedSince(connection: ScopedConnection, generation: number): Removed | undefined {
  return removedBetween(removalsIn(connection), generation, generationOf(connection))
}

function removalsIn(connection: ScopedConnection): Removal[] {
  return JSON.parse(readMeta(connection, REMOVED_KEY) ?? '[]')
}

function generationOf(connection: ScopedConnection): number {
  return (
    connection.get<{ generation: number | null }>(`SELECT ${SELECT_GENERATION} AS generation`)?.generation ??
    0
  )
}
