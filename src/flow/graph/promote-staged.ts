import { similarityThresholdsOf } from '../../config/match-calibration.ts'
import { type Edge, type Ends, newEdge } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/text.ts'
import { activeAmong } from '../blocks/look-up.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { type Displacement, Linker, type LinkerOptions } from './linker.ts'

/** Pairs looked at in one transaction. */
const BATCH = 100

/** The edges made of staged pairs, and the edges evicted for them. */
export interface PromotedPairs {
  readonly promoted: readonly Edge[]
  readonly displacements: readonly Displacement[]
}

/**
 * Joins pairs that came together often enough, as far as the degree cap allows it or another edge can be
 * evicted. The others stay staged. Two statements, three when an edge is evicted.
 *
 * @param options.heedDisconnections false for pairs just counted: those disconnected lately never are
 */
export async function joinStaged(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  pairs: readonly Ends[],
  options: LinkerOptions,
): Promise<PromotedPairs> {
  if (pairs.length === 0) return { promoted: [], displacements: [] }
  const linker = await Linker.open(engine, { tx, moment }, pairs.flat(), options)
  // The heaviest first, so that none evicts another and is then evicted itself.
  const weightOf = coRetrievalWeights(engine)
  const edges = pairs
    .map((ends) =>
      newEdge(ends, { relation: 'co_occurs', origin: 'co_retrieval', weight: weightOf(ends) }, moment),
    )
    .sort((a, b) => b.weight - a.weight)
  for (const edge of edges) if (!linker.between(edge.from, edge.to)) linker.add(edge)
  const { added, displacements } = await linker.save(tx)
  return { promoted: added, displacements }
}

/**
 * Returns the weight of a pair that came together, 0..1. Similar blocks come together because they are
 * similar, which says little; blocks far apart in meaning come together because they are needed together.
 */
export function coRetrievalWeights({ settings, index, embedder }: Engine): (ends: Ends) => number {
  const { coRetrievalWeight, coRetrievalApartWeight } = settings.memory
  const { apartCosine } = similarityThresholdsOf(settings, embedder.model)
  return (ends) => {
    const cosine = index.similarity(...ends)
    return cosine !== undefined && cosine < apartCosine ? coRetrievalApartWeight : coRetrievalWeight
  }
}

/** The same for all pairs that are due and that the degree cap kept unjoined before. */
export async function promoteStaged(engine: Engine, context: CallContext): Promise<PromotedPairs> {
  const { coRetrievalThreshold, coRetrievalStagingMax } = engine.settings.memory
  const due = await engine.store.read((tx) =>
    tx.stagedPairs({ atLeast: coRetrievalThreshold, limit: coRetrievalStagingMax }),
  )
  // How far apart they are is known to the index alone.
  if (due.length > 0) await engine.store.read((tx) => engine.index.refresh(tx))
  const promoted: Edge[] = []
  const displacements: Displacement[] = []
  for (let at = 0; at < due.length; at += BATCH) {
    const pairs = due.slice(at, at + BATCH).map(({ from, to }): Ends => [from, to])
    const work = async (mutation: Mutation): Promise<PromotedPairs> => {
      const active = await activeAmong(mutation.tx, [...new Set(pairs.flat())])
      const living = pairs.filter((ends) => ends.every((id) => active.has(id)))
      const result = await joinStaged(engine, mutation, living, { heedDisconnections: true })
      if (result.promoted.length > 0) await mutation.log(promotionEntry(result))
      return result
    }
    const joined = await mutate(engine, context, work, { durable: false })
    promoted.push(...joined.promoted)
    displacements.push(...joined.displacements)
  }
  return { promoted, displacements }
}

function promotionEntry({ promoted, displacements }: PromotedPairs) {
  return {
    operation: 'promote_pairs',
    blockIds: [...new Set(promoted.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(promoted.length, 'pair')} joined by use`,
    before: { displacements },
  }
}
