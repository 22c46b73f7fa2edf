import { type Ends, newEdge, pairsAmong } from '../../domain/graph/edge.ts'
import { outcomeEdgeWeight } from '../../domain/score/formulas.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { type Displacement, Linker } from './linker.ts'

/** The numbers of edges that a report made or changed, and the edges evicted for them. */
export interface OutcomeEdges {
  readonly created: number
  readonly reinforced: number
  /** Pairs left unjoined because no edge of a block at its degree cap could be evicted. */
  readonly skippedByCap: number
  /** Pairs left unjoined because one report joins no more. */
  readonly skippedByLimit: number
  /** Pairs left unjoined because an agent disconnected them lately. */
  readonly skippedAsDisconnected: number
  readonly displacements: readonly Displacement[]
}

/** A report that joined nothing. */
export const NO_OUTCOME_EDGES: OutcomeEdges = {
  created: 0,
  reinforced: 0,
  skippedByCap: 0,
  skippedByLimit: 0,
  skippedAsDisconnected: 0,
  displacements: [],
}

/**
 * Joins the blocks that one report says helped, whichever recalls returned them. A pair counts with the smaller of its two
 * signals; where it is joined already, its edge gains weight and keeps relation and origin. At most `outcomePairsPerCall`
 * pairs, four statements.
 */
export async function joinHelped(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  helped: readonly (readonly [id: string, signal: number])[],
): Promise<OutcomeEdges> {
  const { outcomePairsPerCall, outcomeEdgeFactor: scale, edgeReinforceDelta: delta } = engine.settings.memory
  const signals = new Map(helped)
  const all = (helped.length * (helped.length - 1)) / 2
  const pairs = pairsAmong([...signals.keys()], outcomePairsPerCall)
  if (pairs.length === 0) return { ...NO_OUTCOME_EDGES, skippedByLimit: all }
  const linker = await Linker.open(engine, { tx, moment }, pairs.flat(), { heedDisconnections: true })
  const total = { created: 0, reinforced: 0, skippedByCap: 0, skippedAsDisconnected: 0 }
  const signalOf = ([from, to]: Ends) => Math.min(signals.get(from) ?? 0, signals.get(to) ?? 0)
  for (const ends of pairs) {
    const before = linker.between(...ends)
    const weight = outcomeEdgeWeight(signalOf(ends), before?.weight, { scale, delta })
    if (before) {
      const reinforcementCount = before.reinforcementCount + 1
      linker.replace({ ...before, weight, reinforcementCount, lastActiveAt: moment.hours })
      total.reinforced++
      continue
    }
    const admission = linker.add(newEdge(ends, { relation: 'outcome', origin: 'outcome', weight }, moment))
    if (admission.admitted) total.created++
    else if (admission.because === 'no_room') total.skippedByCap++
    else total.skippedAsDisconnected++
  }
  const { displacements } = await linker.save(tx)
  return { ...total, skippedByLimit: all - pairs.length, displacements }
}
