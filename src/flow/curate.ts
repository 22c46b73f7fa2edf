import type { CallContext, Engine } from './engine.ts'
import { fadeBlocks } from './fade-blocks.ts'
import { fadeEdges } from './fade-edges.ts'
import { keepIdentity } from './keep-identity.ts'
import { type Mutation, mutate } from './mutate.ts'

const LAST_CURATE_KEY = 'last_curate_at'

/** The graph after curation. */
interface GraphCounts {
  readonly edges: number
  readonly byRelation: Readonly<Record<string, number>>
  readonly byOrigin: Readonly<Record<string, number>>
  /** Active blocks without any edge. */
  readonly isolated: number
}

export interface CurateResult {
  readonly edgesPruned: number
  readonly edgesDecayed: number
  /** Ids of faded blocks; `restore` brings each back. */
  readonly archived: readonly string[]
  readonly reinforced: number
  readonly constitutionalReinforced: number
  readonly totalEdgesAfter: number
  readonly graph: GraphCounts
  readonly stagingDropped: number
  readonly logTrimmed: number
}

/** Rest: what faded goes, what carries stays fresh, lists stay short. One transaction, no model. */
export function curate(engine: Engine, context: CallContext): Promise<CurateResult> {
  return mutate(engine, context, (mutation) => curateWithin(engine, mutation))
}

/**
 * Curates when the last time is longer ago than the interval; for dream. In a memory never curated the interval counts
 * from its first hour.
 *
 * @param hours the memory's time now
 */
export async function curateIfDue(
  engine: Engine,
  context: CallContext,
  hours: number,
): Promise<CurateResult | undefined> {
  const last = Number((await engine.store.read((tx) => tx.meta(LAST_CURATE_KEY))) ?? 0)
  if (hours - last < engine.settings.memory.curateIntervalHours) return undefined
  return curate(engine, { ...context, actor: 'curate' })
}

async function curateWithin(engine: Engine, { tx, moment, log }: Mutation): Promise<CurateResult> {
  const { settings } = engine
  const edges = await fadeEdges(tx, settings.memory, moment.hours)
  const archived = await fadeBlocks(tx, settings, moment.hours)
  const kept = await keepIdentity(tx, settings, moment.hours)
  const stagingDropped = await tx.removeStaleStaging()
  await tx.saveMeta(LAST_CURATE_KEY, String(moment.hours))
  await log({
    operation: 'curate',
    blockIds: archived,
    summary: `${edges.pruned + edges.decayed} edges removed, ${archived.length} blocks archived`,
  })
  const logTrimmed = await tx.trimLog(settings.memory.keepOperations)
  const counts = await tx.counts()
  return {
    edgesPruned: edges.pruned,
    edgesDecayed: edges.decayed,
    archived,
    reinforced: kept.others,
    constitutionalReinforced: kept.constitutional,
    totalEdgesAfter: counts.edges,
    graph: {
      edges: counts.edges,
      byRelation: counts.edgesByRelation,
      byOrigin: counts.edgesByOrigin,
      isolated: counts.isolated,
    },
    stagingDropped,
    logTrimmed,
  }
}
