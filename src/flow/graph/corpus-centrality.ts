import type { Settings } from '../../config/settings.ts'
import { corpusCentrality } from '../../domain/score/formulas.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'

/** How central blocks are in the whole corpus, whatever else is looked at (W45). */
export interface Centrality {
  /** The best joined blocks, best first. */
  readonly strongest: readonly string[]
  /** 0..1, of a block with this sum of effective edge weights. */
  of(strength: number): number
}

/**
 * Reads where the corpus stands. One statement that walks an index as far as the `centralShare` of the blocks.
 *
 * @param active number of active blocks
 * @param limit how many of the best joined are named
 */
export async function readCentrality(
  tx: StoreReader,
  {
    graph,
    active,
    limit,
  }: { readonly graph: Settings['graph']; readonly active: number; readonly limit: number },
): Promise<Centrality> {
  const rank = Math.max(1, Math.ceil(graph.centralShare * active))
  const { strongest, atRank } = await tx.strongest(Math.max(1, limit), rank)
  // Where fewer blocks are joined than the share says, the best joined is the measure.
  const scale = atRank > 0 ? atRank : (strongest[0]?.strength ?? 0)
  return {
    strongest: strongest.slice(0, limit).map(({ id }) => id),
    of: (strength) => corpusCentrality(strength, scale),
  }
}
