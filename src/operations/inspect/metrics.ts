import * as z from 'zod'
import { defined } from '../../block/text.ts'
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
  helpedAlongEdges: z.int().describe('How many of them an edge had brought'),
  lift: z
    .number()
    .optional()
    .describe('Share of the helped that an edge had brought; absent if nothing helped'),
  staged: z.int().optional().describe('Pairs on their way to an edge, at its last curation or now'),
  promoted: z.int().describe('Pairs that became an edge of today'),
  pruned: z.int().describe('Edges that curations removed'),
  prunedShare: z
    .number()
    .optional()
    .describe('Share of the pruned among the edges there were; absent without a curation'),
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
  return mondays.map((week) => {
    const own = counted.filter(({ day }) => weekOf(day) === week)
    const sum = (of: 'edgesByUse' | 'edgesBySimilarity' | 'edgesOtherwise' | 'promoted' | 'sessions') =>
      own.reduce((total, day) => total + day[of], 0)
    const log = weeks.get(week) ?? EMPTY_WEEK
    const { connects, helped, along: helpedAlongEdges, pruned } = log
    const sessions = sum('sessions')
    return {
      ...{ week, helped, helpedAlongEdges, pruned, connects, sessions },
      edgesByUse: sum('edgesByUse'),
      edgesBySimilarity: sum('edgesBySimilarity'),
      edgesOtherwise: sum('edgesOtherwise'),
      promoted: sum('promoted'),
      ...defined({
        lift: helped === 0 ? undefined : helpedAlongEdges / helped,
        staged: week === mondays.at(-1) ? staged : log.staged,
        prunedShare: log.edges === undefined ? undefined : pruned / Math.max(1, log.edges + pruned),
        connectsPerSession: sessions === 0 ? undefined : connects / sessions,
      }),
    }
  })
}

/** Lines of a terminal about weeks; those in which no session began are left out, like days on which nothing was done. */
export function metricsLines(weeks: readonly Metrics[]): string[] {
  const percent = (share?: number) => (share === undefined ? '-' : `${Math.round(100 * share)} %`)
  return weeks
    .filter(({ sessions }) => sessions > 0)
    .map(
      ({ connectsPerSession: connects = 0, ...each }) =>
        `week of ${each.week}  edges ${each.edgesByUse} by use, ${each.edgesBySimilarity} by similarity, ${each.edgesOtherwise} stated; lift ${percent(each.lift)}; ${each.staged ?? '-'} staged, ${each.promoted} promoted; ${percent(each.prunedShare)} pruned; ${connects.toFixed(1)} connects a session`,
    )
}
