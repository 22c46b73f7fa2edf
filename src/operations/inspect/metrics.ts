import * as z from 'zod'
import type { CountedDay } from '../../engine/counts.ts'
import type { Engine } from '../../engine/engine.ts'
import { EMPTY_WEEK, readWeeks, weekOf } from '../../graph/weeks.ts'
import type { ReadTransaction } from '../../store/transaction.ts'

/** The six metrics of the graph in a week, in an answer. */
export const graphWeek = z.object({
  week: z.string().describe('Its Monday, UTC'),
  edgesByUse: z.int().describe('Edges of today that use or an outcome made in it'),
  edgesBySimilarity: z.int().describe('Edges of today that similarity made in it'),
  edgesOtherwise: z.int().describe('Edges of today that an agent or a model made in it'),
  helped: z.int().describe('Recalled blocks that helped, by reports'),
  helpedAlongEdges: z.int().describe('Of these, how many an edge had brought'),
  lift: z.number().optional().describe('The share of those; absent if nothing helped'),
  staged: z.int().optional().describe('Pairs on their way to an edge, at its last curation or now'),
  promoted: z.int().describe('Pairs that became an edge of today'),
  pruned: z.int().describe('Edges that curations removed'),
  prunedShare: z.number().optional().describe('The share of the edges there were; absent without a curation'),
  connects: z.int().describe('Connections that agents or owners asked for'),
  sessions: z.int().describe('Sessions that began'),
  connectsPerSession: z.number().optional().describe('Absent if no session began'),
})

type Metrics = z.output<typeof graphWeek>

/** Sums the counts of days by week and adds those of the log; a week in which nothing was counted is in the list, too. */
export async function readMetrics(
  engine: Engine,
  tx: ReadTransaction,
  { days, counted, staged }: { days: readonly string[]; counted: readonly CountedDay[]; staged: number },
): Promise<Metrics[]> {
  const { weeks } = await readWeeks(engine, tx)
  const mondays = [...new Set(days.map(weekOf))]
  return mondays.map((week): Metrics => {
    const own = counted.filter(({ day }) => weekOf(day) === week)
    const sum = (of: Exclude<keyof CountedDay, 'day'>) => own.reduce((total, day) => total + day[of], 0)
    const { connects, helped, along, pruned, edges, staged: stagedThen } = weeks.get(week) ?? EMPTY_WEEK
    const stagedAt = week === mondays.at(-1) ? staged : stagedThen
    const sessions = sum('sessions')
    return {
      week,
      edgesByUse: sum('edgesByUse'),
      edgesBySimilarity: sum('edgesBySimilarity'),
      edgesOtherwise: sum('edgesOtherwise'),
      helped,
      helpedAlongEdges: along,
      ...(helped > 0 && { lift: along / helped }),
      ...(stagedAt !== undefined && { staged: stagedAt }),
      promoted: sum('promoted'),
      pruned,
      ...(edges !== undefined && { prunedShare: pruned / Math.max(1, edges + pruned) }),
      connects,
      sessions,
      ...(sessions > 0 && { connectsPerSession: connects / sessions }),
    }
  })
}

const COLUMNS: readonly [title: string, cell: (week: Metrics) => string][] = [
  ['week of', ({ week }) => week],
  ['use:similar:other', (each) => `${each.edgesByUse}:${each.edgesBySimilarity}:${each.edgesOtherwise}`],
  ['lift', ({ lift }) => percent(lift)],
  ['staged', ({ staged }) => String(staged ?? '-')],
  ['promoted', ({ promoted }) => String(promoted)],
  ['pruned', ({ pruned, prunedShare }) => `${pruned} ${percent(prunedShare)}`],
  ['connects/session', ({ connectsPerSession: rate }) => rate?.toFixed(1) ?? '-'],
]

function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${Math.round(100 * share)}%`
}

/** The weeks as a table of a terminal; weeks before the first in which anything was counted are left out. */
export function metricsLines(weeks: readonly Metrics[]): string[] {
  const first = weeks.findIndex(({ week: _, staged = 0, ...counts }) =>
    [staged, ...Object.values(counts)].some((each) => each !== undefined && each > 0),
  )
  if (first < 0) return []
  const shown = weeks.slice(first)
  const columns = COLUMNS.map(([title, cell]) => {
    const cells = [title, ...shown.map(cell)]
    const width = Math.max(...cells.map(({ length }) => length))
    return cells.map((each) => each.padEnd(width))
  })
  return ['', ...shown].map((_, row) =>
    columns
      .map((column) => column[row])
      .join('  ')
      .trimEnd(),
  )
}
