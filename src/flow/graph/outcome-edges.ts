import { type Edge, type Ends, GRAPH, outcomeEdgeWeight, pairsAmong } from '../../domain/graph/edge.ts'
import { BELIEF } from '../../domain/score/experience.ts'
import type { Engine, Moment } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Displacement, Linker, newEdge } from './linker.ts'

/** The numbers of edges that a report made or changed, and the edges evicted for them. */
export interface OutcomeEdges {
  readonly created: number
  readonly reinforced: number
  /** Edges with what did not help this time, made weaker. */
  readonly weakened: number
  /** Pairs left unjoined because no edge of a block at its degree cap could be evicted. */
  readonly skippedByCap: number
  /** Pairs left unjoined because an agent disconnected them lately. */
  readonly skippedAsDisconnected: number
  readonly displacements: readonly Displacement[]
}

/** A report that joined nothing. */
export const NO_OUTCOME_EDGES: OutcomeEdges = {
  created: 0,
  reinforced: 0,
  weakened: 0,
  skippedByCap: 0,
  skippedAsDisconnected: 0,
  displacements: [],
}

/** Returns both counts added, and all evicted edges. */
export function withEdges(one: OutcomeEdges, other: OutcomeEdges): OutcomeEdges {
  return {
    created: one.created + other.created,
    reinforced: one.reinforced + other.reinforced,
    weakened: one.weakened + other.weakened,
    skippedByCap: one.skippedByCap + other.skippedByCap,
    skippedAsDisconnected: one.skippedAsDisconnected + other.skippedAsDisconnected,
    displacements: [...one.displacements, ...other.displacements],
  }
}

/** The reports about pairs. */
export interface PairReports {
  /** Of the blocks by id; a pair counts with the smaller of its two signals. */
  readonly signals: ReadonlyMap<string, number>
  /** How far all reports agree that both ends helped together, 0..1. */
  readonly agreementOf: (ends: Ends) => number
  /** Pairs that were reported to have helped on this question before, one of which now did not. */
  readonly doubted: readonly Ends[]
}

/**
 * Changes edges after a report about single blocks. Blocks that helped together are joined, or their edge
 * gains weight and keeps relation and origin; an outcome edge weighs no more than reports agree on, so that one false
 * report does not last. At most `GRAPH.outcomePairs` pairs of each, four statements.
 */
export async function learnEdges(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { signals, agreementOf, doubted }: PairReports,
): Promise<OutcomeEdges> {
  const helped = [...signals].filter(([, signal]) => signal > BELIEF.usefulAbove)
  const good = pairsAmong(
    helped.map(([id]) => id),
    GRAPH.outcomePairs,
  )
  const less = doubted.slice(0, GRAPH.outcomePairs)
  const all = [...good, ...less].flat()
  if (all.length === 0) return NO_OUTCOME_EDGES
  const linker = await Linker.open(engine, { tx, moment }, all, { heedDisconnections: true })
  const signalOf = ([from, to]: Ends) => Math.min(signals.get(from) ?? 0, signals.get(to) ?? 0)
  const weights = { scale: GRAPH.outcomeWeight, delta: GRAPH.edgeStep }
  const total = { created: 0, reinforced: 0, skippedByCap: 0, skippedAsDisconnected: 0 }
  for (const ends of good) {
    const before = linker.between(...ends)
    const weight = outcomeEdgeWeight(signalOf(ends), before?.weight, weights)
    if (before) {
      linker.replace(used(before, weight, moment))
      total.reinforced++
      continue
    }
    const agreed = weight * agreementOf(ends)
    const admission = linker.add(
      newEdge(ends, { relation: 'outcome', origin: 'outcome', weight: agreed }, moment),
    )
    if (admission.admitted) total.created++
    else if (admission.because === 'no_room') total.skippedByCap++
    else total.skippedAsDisconnected++
  }
  const weakened = doubt(linker, less, (ends) => GRAPH.outcomeWeight * agreementOf(ends))
  const { displacements } = await linker.save(tx)
  return { ...total, weakened, displacements }
}

/** Lowers outcome edges to what reports agree on; returns how many. */
function doubt(linker: Linker, pairs: readonly Ends[], mostOf: (ends: Ends) => number): number {
  let lowered = 0
  for (const ends of pairs) {
    const edge = linker.between(...ends)
    const most = mostOf(ends)
    if (edge?.origin !== 'outcome' || edge.weight <= most) continue
    linker.replace({ ...edge, weight: most })
    lowered++
  }
  return lowered
}

function used(edge: Edge, weight: number, { hours }: Moment): Edge {
  return { ...edge, weight, reinforcementCount: edge.reinforcementCount + 1, lastActiveAt: hours }
}
