import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { type CountedDay, dayOf, NOTHING_DONE } from '../../engine/counts.ts'
import { type Engine, llmTokens } from '../../engine/engine.ts'
import { EMPTY_WEEK, readWeeks, weekOf } from '../../graph/weeks.ts'
import type { Counts } from '../../store/database.ts'
import { readSettledPredictions } from '../../store/predictions.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import * as schemas from '../schemas.ts'

/** Counts of a day, in an answer. */
export const countedDay = z.object({
  day: z.string().describe('A UTC day, such as 2026-03-01'),
  takenIn: z.int().describe('Blocks that were new'),
  recalled: z.int().describe('Recalls that were recorded'),
  reported: z.int().describe('Reports of outcomes'),
  archived: z.int().describe('Blocks archived, duplicates among them'),
})

/** The result of a dream, in an answer. */
export const dreamRecord = z.object({
  seconds: z.number().describe('Without the curation that it began'),
  promoted: z.int().describe('Blocks that became active'),
  joined: z.int().describe('Blocks that said what was known'),
  linked: z.int().describe('Edges made'),
  flagged: z.int().describe('Pairs to decide about'),
  judged: z.int().describe('Blocks judged by a model or the host'),
  refused: z.int().describe('Pairs that a model or the host called unrelated'),
  pending: z.int().describe('Blocks that a model was to judge and did not'),
})

/** The last dream, in an answer. */
export const lastDream = dreamRecord.extend({
  operationId: z.int().describe('Number of its entry; undo takes the whole dream back by it'),
  run: z.string().describe('What history calls its entries by'),
  at: z.string().describe('When it ended'),
  actor: schemas.actor,
  archived: z.int().describe('Faded blocks archived by the curation that it found due'),
  tokens: schemas.tokenUsage.optional().describe('The usage of models for it'),
})

/** Reads what was done on the last days, and the metrics of their weeks, oldest first, none left out. */
export async function readActivity(
  engine: Engine,
  tx: ReadTransaction,
  { days, facts }: { readonly days: number; readonly facts: Promise<{ readonly counts: Counts }> },
) {
  const wanted = lastDays(engine.clock.now(), days)
  const counted = await tx.queries.days(weekOf(wanted[0] ?? ''))
  const staged = (await facts).counts.stagedPairs
  const known = new Map(counted.map((each) => [each.day, each]))
  const activity = wanted.map((day) => countedDay.parse(known.get(day) ?? { day, ...NOTHING_DONE }))
  return { activity, weeks: await readMetrics(engine, tx, { days: wanted, counted, staged }) }
}

/** Returns the line of a terminal about the last dream. */
export function lastDreamLine(dream: z.output<typeof lastDream>): string {
  const { operationId, at, actor, seconds, refused, pending, archived, tokens } = dream
  const parts = [
    `${dream.promoted} promoted`,
    `${dream.joined} joined`,
    `${count(dream.linked, 'edge')} made`,
    `${count(dream.flagged, 'pair')} flagged`,
    refused > 0 && `${refused} called unrelated`,
    pending > 0 && `${pending} not judged`,
    archived > 0 && `${archived} archived`,
    tokens !== undefined && `${llmTokens(tokens)} tokens`,
  ]
  const words = parts.filter(Boolean).join(', ')
  return `last dream (${operationId}) by ${actor} at ${at.slice(0, 19)}Z, ${seconds.toFixed(1)} s: ${words}`
}

/** Lines of a terminal about days: those on which nothing was done are left out. */
export function activityLines(days: readonly z.output<typeof countedDay>[]): string[] {
  return days.flatMap(({ day, takenIn, recalled, reported, archived }) =>
    takenIn + recalled + reported + archived === 0
      ? []
      : [`${day}  ${takenIn} taken in, ${recalled} recalled, ${reported} reported, ${archived} archived`],
  )
}

const DAY_MS = 86_400_000

/** Returns UTC days, oldest first; the last is that of `now`, in milliseconds since 1970. */
function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, at) =>
    dayOf(new Date(now - (days - 1 - at) * DAY_MS).toISOString()),
  )
}

/** The six metrics of the graph in a week, in an answer. */
export const graphWeek = z.object({
  week: z.string().describe('Its Monday, UTC'),
  edgesByUse: z.int().describe('Edges of today that use or an outcome made in it'),
  edgesBySimilarity: z.int().describe('Edges of today that similarity made in it'),
  edgesOtherwise: z.int().describe('Edges of today that an agent or a model made in it'),
  helped: z.int().describe('Recalled blocks that helped, by reports'),
  helpedAlongEdges: z.int().describe('How many of them an edge had brought'),
  lift: z.number().optional().describe('Share of the helped that an edge had brought'),
  staged: z.int().optional().describe('Pairs on their way to an edge, at its last curation or now'),
  promoted: z.int().describe('Pairs that became an edge of today'),
  pruned: z.int().describe('Edges that curations removed'),
  prunedShare: z.number().optional().describe('Share of the pruned among the edges there were'),
  connects: z.int().describe('Connections that agents or owners asked for'),
  sessions: z.int().describe('Sessions that began'),
  connectsPerSession: z.number().optional().describe('Absent if no session began'),
})

type Metrics = z.output<typeof graphWeek>

/** Sums the counts of days by week and adds those of the log; weeks without counts are included. */
async function readMetrics(
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

/** Returns lines of a terminal about weeks. Weeks in which no session began are left out. */
export function metricsLines(weeks: readonly Metrics[]): string[] {
  const percent = (share?: number) => (share === undefined ? '-' : `${Math.round(100 * share)} %`)
  return weeks
    .filter(({ sessions }) => sessions > 0)
    .map(
      ({ connectsPerSession: connects = 0, ...each }) =>
        `week of ${each.week}  edges ${each.edgesByUse} by use, ${each.edgesBySimilarity} by similarity, ${each.edgesOtherwise} stated; lift ${percent(each.lift)}; ${each.staged ?? '-'} staged, ${each.promoted} promoted; ${percent(each.prunedShare)} pruned; ${connects.toFixed(1)} connects a session`,
    )
}

/** The schema of how good the settled predictions of a memory were, the newest 1,000. */
export const calibrated = z.object({
  settled: z.int().describe('Predictions that came true or did not; the newest 1,000'),
  brier: z.number().describe('Their mean squared error: 0 is best, .25 is always .5'),
})

type Calibration = z.output<typeof calibrated>

/** Reads how good the settled predictions were; undefined if there are none. */
export async function readCalibration(tx: ReadTransaction): Promise<Calibration | undefined> {
  const told = await readSettledPredictions(tx)
  const errors = told.map(({ probability, cameTrue }) => (probability - Number(cameTrue === true)) ** 2)
  const settled = errors.length
  return settled === 0 ? undefined : { settled, brier: errors.reduce((sum, each) => sum + each, 0) / settled }
}
