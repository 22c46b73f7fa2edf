import { type Edge, type Ends, outcomeEdgeWeight, pairsAmong } from '../../domain/graph/edge.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Moment } from '../engine/session.ts'
import { type Displacement, Linker, newEdge } from './linker.ts'

/** The numbers of edges that a report made or changed, and the edges evicted for them. */
export interface OutcomeEdges {
  readonly created: number
  readonly reinforced: number
  /** Edges among blocks that misled, or with what did not help this time, made weaker. */
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
 * report does not last. Edges of those that misled together lose up to `outcomeMissDelta`. At most `outcomePairsPerCall`
 * pairs of each, four statements.
 */
export async function learnEdges(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { signals, agreementOf, doubted }: PairReports,
): Promise<OutcomeEdges> {
  const { memory, graph } = engine.settings
  const sorted = [...signals]
  const idsOf = (fits: (signal: number) => boolean) =>
    sorted.filter(([, signal]) => fits(signal)).map(([id]) => id)
  const helped = idsOf((signal) => signal > memory.outcomeReinforceThreshold)
  const misled = graph.outcomeMissDelta > 0 ? idsOf((signal) => signal < memory.penalizeThreshold) : []
  const good = pairsAmong(helped, memory.outcomePairsPerCall)
  const bad = pairsAmong(misled, memory.outcomePairsPerCall)
  const less = doubted.slice(0, memory.outcomePairsPerCall)
  const all = [...good, ...bad, ...less].flat()
  if (all.length === 0) return NO_OUTCOME_EDGES
  const linker = await Linker.open(engine, { tx, moment }, all, { heedDisconnections: true })
  const signalOf = ([from, to]: Ends) => Math.min(signals.get(from) ?? 0, signals.get(to) ?? 0)
  const weights = {
    scale: memory.outcomeEdgeFactor,
    delta: memory.edgeReinforceDelta,
    rule: graph.reinforceRule,
  }
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
  const weakened = new Set([
    ...weaken(linker, bad, { delta: graph.outcomeMissDelta, signalOf }),
    ...doubt(linker, less, (ends) => memory.outcomeEdgeFactor * agreementOf(ends)),
  ]).size
  const { displacements } = await linker.save(tx)
  return { ...total, weakened, displacements }
}

/** Lowers outcome edges to what reports agree on; returns which. */
function doubt(linker: Linker, pairs: readonly Ends[], mostOf: (ends: Ends) => number): string[] {
  const lowered: string[] = []
  for (const ends of pairs) {
    const edge = linker.between(...ends)
    const most = mostOf(ends)
    if (edge?.origin !== 'outcome' || edge.weight <= most) continue
    linker.replace({ ...edge, weight: most })
    lowered.push(nameOf(edge))
  }
  return lowered
}

/** An agent's word stands against its reports: its edges keep their weight. Returns which others lost some. */
function weaken(
  linker: Linker,
  pairs: readonly Ends[],
  { delta, signalOf }: { readonly delta: number; readonly signalOf: (ends: Ends) => number },
): string[] {
  const edges = pairs.flatMap((ends) => linker.between(...ends) ?? [])
  const automatic = edges.filter(({ origin }) => origin !== 'agent')
  for (const edge of automatic) {
    const loss = delta * (1 - signalOf([edge.from, edge.to]))
    linker.replace({ ...edge, weight: Math.max(0, edge.weight - loss) })
  }
  return automatic.map(nameOf)
}

function nameOf({ from, to }: Edge): string {
  return `${from} ${to}`
}

function used(edge: Edge, weight: number, { hours }: Moment): Edge {
  return { ...edge, weight, reinforcementCount: edge.reinforcementCount + 1, lastActiveAt: hours }
}
