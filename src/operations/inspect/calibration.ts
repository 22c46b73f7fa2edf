import * as z from 'zod'
import { count } from '../../block/text.ts'
import { findDue } from '../../outcome/predictions.ts'
import { countOpenPredictions, readSettledPredictions } from '../../store/predictions.ts'
import type { ReadTransaction } from '../../store/transaction.ts'

/** The schema of how good the predictions of a memory were. */
export const predictions = z.object({
  open: z.int().describe('Not settled yet'),
  due: z.int().describe('Of these, past their day: decisions lists them'),
  settled: z.int(),
  brier: z.number().optional().describe('Mean squared error of the settled: 0 is best, .25 is always .5'),
  calibration: z
    .array(
      z.object({
        said: z.number().describe('Mean probability that was said'),
        cameTrue: z.number().describe('Share that came true'),
        n: z.int(),
      }),
    )
    .readonly()
    .describe('The settled in five bins of probability, without empty ones'),
})

type Predictions = z.output<typeof predictions>

/** More that wait are not counted. */
const DUE_MOST = 1_000

/** With the few predictions of a memory, more bins would hold chance. */
const BINS = 5

/** Reads how many predictions there are and how good the settled ones were; undefined if there are none. */
export async function readCalibration(tx: ReadTransaction, at: string): Promise<Predictions | undefined> {
  const [open, due, settled] = await Promise.all([
    countOpenPredictions(tx),
    findDue(tx, at, DUE_MOST),
    readSettledPredictions(tx),
  ])
  if (open + settled.length === 0) return undefined
  const told = settled.map(({ probability, cameTrue }) => ({ said: probability, came: Number(cameTrue) }))
  // Without rounding, .6 would fall into the bin below it.
  const bins = Map.groupBy(told, ({ said }) => Math.floor(Math.round(said * BINS * 1e9) / 1e9))
  return {
    ...{ open, due: due.length, settled: settled.length },
    ...(told.length > 0 && { brier: mean(told.map(({ said, came }) => (said - came) ** 2)) }),
    calibration: [...bins]
      .sort(([one], [other]) => one - other)
      .map(([, own]) => ({
        said: mean(own.map(({ said }) => said)),
        cameTrue: mean(own.map(({ came }) => came)),
        n: own.length,
      })),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Lines of a terminal about predictions: the counts, and a row for each bin. */
export function calibrationLines(found: Predictions | undefined): string[] {
  if (found === undefined) return []
  const { open, due, settled, brier, calibration } = found
  const score = brier === undefined ? '' : `, Brier score ${brier.toFixed(3)}`
  return [
    `${count(open + settled, 'prediction')}: ${open} open, ${due} of them past their day, ${settled} settled${score}`,
    ...calibration.map(
      ({ said, cameTrue, n }) => `  said ${said.toFixed(2)}, came true ${cameTrue.toFixed(2)} (of ${n})`,
    ),
  ]
}
