import { type Edge, type Ends, pairsAmong } from '../../domain/graph/edge.ts'
import { outcomeEdgeWeight } from '../../domain/graph/edge-weight.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Moment } from '../engine/session.ts'
import { type Displacement, Linker, newEdge } from './linker.ts'

export interface OutcomeEdges {
  readonly created: number
  readonly reinforced: number
  /** Edges among blocks that misled, made weaker. */
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

/**
 * Changes edges after a report about single blocks. Blocks that helped together are joined, or their edge
 * gains weight and keeps relation and origin; edges of those that misled together lose up to
 * `outcomeMissDelta`. At most `outcomePairsPerCall` pairs of each, four statements.
 *
 * @param signals of the blocks by id; a pair counts with the smaller of its two signals
 */
export async function learnEdges(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  signals: ReadonlyMap<string, number>,
): Promise<OutcomeEdges> {
  const { memory, graph } = engine.settings
  const sorted = [...signals]
  const idsOf = (fits: (signal: number) => boolean) =>
    sorted.filter(([, signal]) => fits(signal)).map(([id]) => id)
  const helped = idsOf((signal) => signal > memory.outcomeReinforceThreshold)
  const misled = graph.outcomeMissDelta > 0 ? idsOf((signal) => signal < memory.penalizeThreshold) : []
  const good = pairsAmong(helped, memory.outcomePairsPerCall)
  const bad = pairsAmong(misled, memory.outcomePairsPerCall)
  if (good.length + bad.length === 0) return NO_OUTCOME_EDGES
  const linker = await Linker.open(engine, { tx, moment }, [...good, ...bad].flat(), {
    heedDisconnections: true,
  })
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
    const admission = linker.add(newEdge(ends, { relation: 'outcome', origin: 'outcome', weight }, moment))
    if (admission.admitted) total.created++
    else if (admission.because === 'no_room') total.skippedByCap++
    else total.skippedAsDisconnected++
  }
  const weakened = weaken(linker, bad, { delta: graph.outcomeMissDelta, signalOf })
  const { displacements } = await linker.save(tx)
  return { ...total, weakened, displacements }
}

/** An agent's word stands against its reports: its edges keep their weight. */
function weaken(
  linker: Linker,
  pairs: readonly Ends[],
  { delta, signalOf }: { readonly delta: number; readonly signalOf: (ends: Ends) => number },
): number {
  const edges = pairs.flatMap((ends) => linker.between(...ends) ?? [])
  const automatic = edges.filter(({ origin }) => origin !== 'agent')
  for (const edge of automatic) {
    const loss = delta * (1 - signalOf([edge.from, edge.to]))
    linker.replace({ ...edge, weight: Math.max(0, edge.weight - loss) })
  }
  return automatic.length
}

function used(edge: Edge, weight: number, { hours }: Moment): Edge {
  return { ...edge, weight, reinforcementCount: edge.reinforcementCount + 1, lastActiveAt: hours }
}
