import type { Settings } from '../config/settings.ts'
import { type Edge, orderedPair } from '../domain/edge.ts'
import { outcomeEdgeWeight } from '../domain/edge-strength.ts'
import type { StoreWriter } from '../ports/store.ts'
import type { Moment } from './session.ts'

export type Pair = readonly [from: string, to: string]

export interface OutcomeEdges {
  readonly created: number
  readonly reinforced: number
  /** Pairs left unjoined because an end has as many edges as it may have. */
  readonly skippedByCap: number
}

/** The first pairs among the ids, at most `limit`, in canonical order; earlier ids are joined first. */
export function pairsAmong(ids: readonly string[], limit = Number.POSITIVE_INFINITY): Pair[] {
  const pairs: Pair[] = []
  for (const [at, id] of ids.entries())
    for (const earlier of ids.slice(0, at)) {
      if (pairs.length >= limit) return pairs
      pairs.push(orderedPair(earlier, id))
    }
  return pairs
}

/**
 * Joins blocks that helped together: new edges as far as both ends have room, existing ones gain weight and use and
 * keep relation and origin. Three statements whatever the number of blocks.
 *
 * @param signals of the useful blocks by id; a pair counts with the smaller of its two
 */
export async function joinUseful(
  tx: StoreWriter,
  signals: ReadonlyMap<string, number>,
  { memory, moment }: { readonly memory: Settings['memory']; readonly moment: Moment },
): Promise<OutcomeEdges> {
  const pairs = pairsAmong([...signals.keys()], memory.outcomePairsPerCall)
  if (pairs.length === 0) return { created: 0, reinforced: 0, skippedByCap: 0 }
  const ids = [...new Set(pairs.flat())]
  const existing = new Map((await tx.links(ids)).edges.map((edge) => [key(edge.from, edge.to), edge]))
  const room = await roomAt(tx, ids, memory.edgeDegreeCap)
  const joined: Edge[] = []
  let created = 0
  for (const [from, to] of pairs) {
    const before = existing.get(key(from, to))
    const signal = Math.min(signals.get(from) ?? 0, signals.get(to) ?? 0)
    if (before === undefined && !take(room, from, to)) continue
    if (before === undefined) created++
    const ends = before ?? newEdge(from, to, moment)
    joined.push(
      strengthened(ends, before, outcomeEdgeWeight(signal, before?.weight, weights(memory)), moment),
    )
  }
  await tx.saveEdges(joined)
  return { created, reinforced: joined.length - created, skippedByCap: pairs.length - joined.length }
}

function newEdge(from: string, to: string, { at, hours }: Moment): Edge {
  return {
    from,
    to,
    relation: 'outcome',
    origin: 'outcome',
    weight: 0,
    reinforcementCount: 0,
    lastActiveAt: hours,
    createdAt: at,
  }
}

function strengthened(edge: Edge, before: Edge | undefined, weight: number, { hours }: Moment): Edge {
  const uses = before === undefined ? 0 : 1
  return { ...edge, weight, reinforcementCount: edge.reinforcementCount + uses, lastActiveAt: hours }
}

async function roomAt(tx: StoreWriter, ids: readonly string[], cap: number): Promise<Map<string, number>> {
  const degrees = await tx.degrees(ids)
  return new Map(ids.map((id) => [id, cap - (degrees.get(id) ?? 0)]))
}

/** Takes one place at both ends, or none. */
function take(room: Map<string, number>, from: string, to: string): boolean {
  const left = [room.get(from) ?? 0, room.get(to) ?? 0]
  if (left.some((places) => places <= 0)) return false
  for (const id of [from, to]) room.set(id, (room.get(id) ?? 0) - 1)
  return true
}

function weights(memory: Settings['memory']) {
  return { scale: memory.outcomeEdgeFactor, delta: memory.edgeReinforceDelta }
}

function key(from: string, to: string): string {
  return `${from} ${to}`
}
