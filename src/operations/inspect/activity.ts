import * as z from 'zod'
import { count } from '../../block/text.ts'
import { dayOf, NOTHING_DONE } from '../../engine/counts.ts'
import { type Engine, llmTokens } from '../../engine/engine.ts'
import { weekOf } from '../../graph/weeks.ts'
import type { Counts } from '../../store/database.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import * as schemas from '../schemas.ts'
import { readMetrics } from './metrics.ts'

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

/** The result of a dream in words. */
function dreamWords({
  promoted,
  joined,
  linked,
  flagged,
  refused,
  pending,
}: z.output<typeof dreamRecord>): string {
  return [
    `${promoted} promoted`,
    `${joined} joined`,
    `${count(linked, 'edge')} made`,
    `${count(flagged, 'pair')} flagged`,
    ...(refused > 0 ? [`${refused} called unrelated`] : []),
    ...(pending > 0 ? [`${pending} not judged`] : []),
  ].join(', ')
}

/** The line of a terminal about the last dream. */
export function lastDreamLine(dream: z.output<typeof lastDream>): string {
  const { operationId, at, actor, seconds, archived, tokens } = dream
  const more = [
    ...(archived > 0 ? [`${archived} archived`] : []),
    ...(tokens === undefined ? [] : [`${llmTokens(tokens)} tokens`]),
  ].map((each) => `, ${each}`)
  return `last dream (${operationId}) by ${actor} at ${at.slice(0, 19)}Z, ${seconds.toFixed(1)} s: ${dreamWords(dream)}${more.join('')}`
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
