import { type Edge, GRAPH } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/text.ts'
import type { Counts } from '../../ports/store/transaction.ts'
import { AUTO, type CallContext, CURATE, type Engine, nextTurn, ownKey } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { trimChanges, trimLog, trimSessions } from '../engine/upkeep.ts'
import { type AdmittedPending, admitPending, promoteStaged } from '../graph/joins.ts'
import { fadeBlocks } from './fade-blocks.ts'
import { type FadedEdges, fadeEdges } from './fade-edges.ts'
import { type KeptIdentity, keepIdentity } from './keep-identity.ts'

const LAST_CURATE_KEY = 'last_curate_at'

/** The result of a curation, and the counts after it. */
export interface CurateResult {
  readonly edges: FadedEdges
  /** Ids of faded blocks; `restore` brings each back. */
  readonly archived: readonly string[]
  readonly pending: AdmittedPending
  /** Pairs that use had brought together often enough and that the degree cap allowed now. */
  readonly promoted: number
  /** Edges evicted for admitted connections and promoted pairs. */
  readonly displaced: readonly Edge[]
  readonly kept: KeptIdentity
  readonly counts: Counts
  readonly stagingDropped: number
  readonly logTrimmed: number
  readonly sessionsTrimmed: number
}

/**
 * Rest: what faded goes, what waited is joined, what carries stays fresh, lists stay short. In this order: archive,
 * prune, decay, admit, promote, count, reinforce. No model. Not one transaction but many small ones, each whole, so that
 * nobody waits long for the lock, and turns for the others between them; the one with curate's own entry makes all durable. Curating again goes on where a
 * killed one stopped.
 */
export async function curate(engine: Engine, call: CallContext): Promise<CurateResult> {
  const context: CallContext = { ...call, run: engine.ids.random() }
  const { store } = engine
  const { hours } = engine.session.moment(await store.read((tx) => tx.clock()))
  const { archived, lambdas } = await fadeBlocks(engine, context, hours)
  await nextTurn()
  const edges = await fadeEdges(engine, context, { hours, lambdas })
  await nextTurn()
  const pending = await admitPending(engine, context)
  await nextTurn()
  const { promoted, displacements } = await promoteStaged(engine, context)
  await nextTurn()
  const kept = await keepIdentity(engine, context, { hours, active: lambdas.size })
  await nextTurn()
  const stagingDropped = await mutate(engine, context, async ({ tx, moment, log }) => {
    const dropped = await tx.removeStaleStaging()
    await tx.trimDisconnections(moment.hours - GRAPH.disconnectHours)
    await tx.saveMeta(ownKey(engine, LAST_CURATE_KEY), String(moment.hours))
    await log({
      operation: 'curate',
      blockIds: archived,
      summary: `${count(edges.pruned + edges.decayed, 'edge')} removed, ${count(archived.length, 'block')} archived, ${count(pending.admitted + promoted.length, 'edge')} made`,
    })
    return dropped
  })
  await nextTurn()
  const logTrimmed = await trimLog(engine)
  const sessionsTrimmed = await trimSessions(engine)
  await trimChanges(engine)
  return {
    edges,
    archived,
    pending,
    promoted: promoted.length,
    displaced: [...pending.displacements, ...displacements].map(({ edge }) => edge),
    kept,
    counts: await store.read((tx) => tx.counts()),
    stagingDropped,
    logTrimmed,
    sessionsTrimmed,
  }
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
  // What curates the whole store curates its scopes, too.
  const keys = new Set([ownKey(engine, LAST_CURATE_KEY), LAST_CURATE_KEY])
  const times = await engine.store.read((tx) => Promise.all([...keys].map((key) => tx.meta(key))))
  const last = Math.max(...times.map((time) => Number(time ?? 0)))
  if (hours - last < engine.settings.memory.curateIntervalHours) return undefined
  return curate(engine, { ...context, actor: context.actor === AUTO ? AUTO : CURATE })
}
