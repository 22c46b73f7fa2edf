import type { Block } from '../../domain/block/block.ts'
import { holdsAt } from '../../domain/block/validity/validity.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import type { RowOf } from '../../ports/store/description.ts'
import { archivedEdges, blocks, edges, occurrences, pairs } from '../tables.ts'
import { leaveOccurrences } from './occurrences-then.ts'
import { keyText, type RowsThen } from './rows-then.ts'

type BlockRow = RowOf<typeof blocks>

/**
 * Leaves of the rows what was true at a time: blocks that held then, those among them that were superseded since, and the
 * edges that held between them. What was forgotten or faded stays away. An edge without dates holds as long as both of its
 * blocks do.
 */
export function leaveTrue(then: RowsThen, at: string): void {
  const rows = then.of(blocks)
  leaveOccurrences(then, (occurrence) => occurrence.at <= at)
  const saidBy = Map.groupBy(then.of(occurrences).values(), ({ blockId }) => blockId)
  for (const [key, known] of rows) {
    const row = asSaidBy(known, saidBy.get(known.id) ?? [])
    if (!wasTrue(row, at)) rows.delete(key)
    else rows.set(key, row.status === 'archived' ? backAgain(then, row) : row)
  }
  joinAgain(then, () => true)
  const joined = then.of(edges)
  for (const [key, edge] of joined) if (!edgeHeld(edge, at)) joined.delete(key)
}

/** A block as the earliest of its occurrences dates it, of which the one remembered first need not be the first. */
function asSaidBy(block: BlockRow, said: readonly RowOf<typeof occurrences>[]): BlockRow {
  const occurredAt = said.reduce((first, { at }) => (at < first ? at : first), block.occurredAt)
  return occurredAt === block.occurredAt ? block : { ...block, occurredAt }
}

function wasTrue(row: BlockRow, at: string): boolean {
  return (row.status !== 'archived' || row.archiveReason === 'superseded') && holdsAt(row, at)
}

/** As it was before it was archived. */
export function backAgain(then: RowsThen, row: BlockRow): BlockRow {
  const { archiveReason: _reason, archivedAt: _at, ...block } = row
  const kept = then.of(archivedEdges).get(JSON.stringify([row.id]))
  return { ...block, status: kept?.previousStatus ?? 'active' } satisfies Partial<Block>
}

/** Brings back what blocks that are back were joined by when they were archived, where both live. */
export function joinAgain(then: RowsThen, isBack: (id: string) => boolean): void {
  const living = [...then.of(blocks).values()].filter(({ status }) => status !== 'archived')
  const scopes = new Map(living.map(({ id, scope = '' }) => [id, scope]))
  const sharedScope = (one: string, other: string) => {
    const scope = scopes.get(one)
    return scope && scope === scopes.get(other) ? { scope } : {}
  }
  const kept = then.of(archivedEdges)
  const areHere = (one: string, other: string) => scopes.has(one) && scopes.has(other)
  const addPair = pairAdder(then)
  for (const [key, archived] of kept) {
    if (!isBack(archived.blockId)) continue
    for (const edge of archived.edges)
      if (areHere(edge.from, edge.to)) addEdge(then, { ...edge, ...sharedScope(edge.from, edge.to) })
    for (const pair of archived.pairs)
      if (areHere(pair.a, pair.b)) addPair({ ...pair, ...sharedScope(pair.a, pair.b) })
    kept.delete(key)
  }
}

function addEdge(then: RowsThen, edge: Edge): void {
  const key = keyText(edges, edge)
  if (!then.of(edges).has(key)) then.of(edges).set(key, edge)
}

/** Adds pairs that are not there, behind the others. */
function pairAdder(then: RowsThen): (pair: BlockPair) => void {
  const rows = then.of(pairs)
  const known = new Set([...rows.values()].map(({ a, b }) => `${a} ${b}`))
  let last = [...rows.values()].reduce((most, { arrival }) => Math.max(most, arrival), 0)
  return (pair) => {
    const ends = `${pair.a} ${pair.b}`
    if (known.has(ends)) return
    known.add(ends)
    last += 1
    rows.set(JSON.stringify([last]), { ...pair, arrival: last })
  }
}

function edgeHeld({ validFrom = '', validUntil }: Edge, at: string): boolean {
  return validFrom <= at && (validUntil === undefined || at < validUntil)
}
