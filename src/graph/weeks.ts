import { dayOf } from '../engine/counts.ts'
import { type Engine, ownKey } from '../engine/engine.ts'
import type { Counts } from '../store/database.ts'
import { type ReportableRecall, readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A week of the graph has the counts that the log gives of it (docs/graph.md). */
interface GraphWeek {
  readonly connects: number
  /** Number of blocks that helped after a recall had returned them. */
  readonly helped: number
  /** Number of those blocks that came along an edge. */
  readonly along: number
  readonly pruned: number
  /** Numbers of staged pairs and of edges after the last curation of the week; absent without one. */
  readonly staged?: number
  readonly edges?: number
}

export const EMPTY_WEEK: GraphWeek = { connects: 0, helped: 0, along: 0, pruned: 0 }

/** Number of weeks that are kept: some two years. */
const WEEKS_KEPT = 106
/** Largest number of entries of one operation that are counted at once; no log keeps more. */
const ENTRIES_MOST = 50_000
const DAY_MS = 86_400_000
/** Key of `meta` for the weeks up to an entry of the log, as JSON, so that trimming the log loses no count. */
const WEEKS_KEY = 'graph_weeks'

/** The fields of the log's entries that are counted. */
type Told = Record<'ends' | 'edges', readonly unknown[]> & Record<'helped' | 'along', number>

/** Returns the Monday that a UTC day or an ISO-8601 instant belongs to, as a day. */
export function weekOf(at: string): string {
  const midnight = Date.parse(at.slice(0, 10))
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7
  return dayOf(new Date(midnight - sinceMonday * DAY_MS).toISOString())
}

/** Returns the weeks by their Monday: the kept counts and those of later entries, up to the entry `upTo`. Runs five statements. */
export async function readWeeks(engine: Pick<Engine, 'scope'>, tx: ReadTransaction) {
  const kept = JSON.parse((await readMeta(tx, ownKey(engine, WEEKS_KEY))) ?? '{"upTo":0}')
  const weeks = new Map<string, GraphWeek>(Object.entries(kept.weeks ?? {}))
  let upTo: number = kept.upTo
  const read = (operation: string) =>
    tx.queries.operations({ operation, after: kept.upTo, limit: ENTRIES_MOST })
  const entries = await Promise.all(['connect', 'outcome', 'settle', 'prune'].map(read))
  for (const { id, at, operation, before } of entries.flat()) {
    const { ends = [], edges = [], helped = 0, along = 0 } = (before ?? {}) as Partial<Told>
    const sum = weeks.get(weekOf(at)) ?? EMPTY_WEEK
    weeks.set(weekOf(at), {
      ...sum,
      connects: sum.connects + (operation === 'connect' ? ends.length : 0),
      helped: sum.helped + helped,
      along: sum.along + along,
      pruned: sum.pruned + (operation === 'prune' ? edges.length : 0),
    })
    upTo = Math.max(upTo, id)
  }
  return { upTo, weeks }
}

/** Counts for the entry of a report the helped blocks that a recall had returned, and those of them that came along an edge. */
export function recalledAmong(
  helped: readonly (readonly [id: string, signal: number])[],
  asked: readonly { readonly recall: Pick<ReportableRecall, 'blockIds' | 'before'> | undefined }[],
): Partial<Record<'helped' | 'along', number>> {
  const recalls = helped.flatMap(([id]) => {
    const by = asked.find(({ recall }) => recall?.blockIds.includes(id))?.recall
    return by === undefined ? [] : [{ id, before: by.before as { along?: readonly string[] } | undefined }]
  })
  const along = recalls.filter(({ id, before }) => before?.along?.includes(id)).length
  return recalls.length === 0 ? {} : { helped: recalls.length, along }
}

/** Keeps the weeks at the end of a curation, which may trim the log afterwards. Writes nothing but them, in a transaction of their own. */
export async function keepWeeks(
  engine: Pick<Engine, 'scope' | 'store'>,
  { edges, stagedPairs: staged }: Pick<Counts, 'edges' | 'stagedPairs'>,
  at: string,
): Promise<void> {
  const { upTo, weeks } = await engine.store.read((tx) => readWeeks(engine, tx))
  weeks.set(weekOf(at), { ...(weeks.get(weekOf(at)) ?? EMPTY_WEEK), edges, staged })
  const newest = JSON.stringify({ upTo, weeks: Object.fromEntries([...weeks].sort().slice(-WEEKS_KEPT)) })
  await engine.store.write((tx) => saveMeta(tx, ownKey(engine, WEEKS_KEY), newest), { durable: false })
}
