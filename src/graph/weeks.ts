import { dayOf } from '../engine/counts.ts'
import { type Engine, ownKey } from '../engine/engine.ts'
import type { OperationRecord } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'

/** A week of the graph counts what the log says of a week; docs/graph.md defines each number. */
export interface GraphWeek {
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

/** Weeks that are kept: some two years. */
const WEEKS_KEPT = 106
/** Largest number of entries of one operation that are counted at once; no log keeps more. */
const ENTRIES_MOST = 50_000
const DAY_MS = 86_400_000
/** Key of `meta` for the weeks up to an entry of the log, as JSON: trimming the log loses no count. */
const WEEKS_KEY = 'graph_weeks'

/** The weeks by their Monday, as far as the entry `upTo`. */
interface CountedWeeks {
  readonly upTo: number
  readonly weeks: ReadonlyMap<string, GraphWeek>
}

/** Returns the Monday that a UTC day or an ISO-8601 instant belongs to, as a day. */
export function weekOf(at: string): string {
  const midnight = Date.parse(at.slice(0, 10))
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7
  return dayOf(new Date(midnight - sinceMonday * DAY_MS).toISOString())
}

/** Reads the kept weeks, and adds the entries of the log since. Five statements. */
export async function readWeeks(engine: Pick<Engine, 'scope'>, tx: ReadTransaction): Promise<CountedWeeks> {
  const kept = JSON.parse((await readMeta(tx, ownKey(engine, WEEKS_KEY))) ?? '{}')
  const weeks = new Map<string, GraphWeek>(Object.entries(kept.weeks ?? {}))
  const after: number = kept.upTo ?? 0
  const read = (operation: string) => tx.queries.operations({ operation, after, limit: ENTRIES_MOST })
  const entries = (await Promise.all(['connect', 'outcome', 'settle', 'prune'].map(read))).flat()
  for (const entry of entries) {
    const week = weekOf(entry.at)
    const sum = weeks.get(week) ?? EMPTY_WEEK
    const { connects, helped, along, pruned } = countsOf(entry)
    weeks.set(week, {
      ...sum,
      connects: sum.connects + connects,
      helped: sum.helped + helped,
      along: sum.along + along,
      pruned: sum.pruned + pruned,
    })
  }
  return { upTo: entries.reduce((last, { id }) => Math.max(last, id), after), weeks }
}

/** Returns what one entry counts; a connection that only a curation admitted is counted when it was asked for. */
function countsOf({ operation, before }: OperationRecord): GraphWeek {
  const { ends, edges, helped, along } = (before ?? {}) as {
    readonly [list in 'ends' | 'edges']?: readonly unknown[]
  } & { readonly [count in 'helped' | 'along']?: number }
  return {
    connects: operation === 'connect' ? (ends?.length ?? 0) : 0,
    helped: helped ?? 0,
    along: along ?? 0,
    pruned: operation === 'prune' ? (edges?.length ?? 0) : 0,
  }
}

/** Keeps the weeks at the end of a curation, which may trim the log afterwards. */
export async function keepWeeks(engine: Pick<Engine, 'scope'>, tx: Transaction, at: string): Promise<void> {
  const { upTo, weeks } = await readWeeks(engine, tx)
  const { edges, stagedPairs: staged } = await tx.queries.counts()
  const now = { ...(weeks.get(weekOf(at)) ?? EMPTY_WEEK), edges, staged }
  const all = [...weeks]
    .filter(([week]) => week !== weekOf(at))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const kept = Object.fromEntries([...all, [weekOf(at), now] as const].slice(-WEEKS_KEPT))
  await saveMeta(tx, ownKey(engine, WEEKS_KEY), JSON.stringify({ upTo, weeks: kept }))
}
