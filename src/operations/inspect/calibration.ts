import * as z from 'zod'
import { count } from '../../block/text.ts'
import { readSettledPredictions } from '../../store/predictions.ts'
import type { ReadTransaction } from '../../store/transaction.ts'

/** The schema of how good the settled predictions of a memory were, the newest 1,000. */
export const calibrated = z.object({
  settled: z.int().describe('Predictions that came true or did not; the newest 1,000'),
  brier: z.number().describe('Their mean squared error: 0 is best, .25 is always .5'),
  bins: z
    .array(
      z.object({
        said: z.number().describe('Mean probability that was said'),
        cameTrue: z.number().describe('Share that came true'),
        n: z.int(),
      }),
    )
    .readonly()
    .describe('The settled by fifths of probability, without empty ones'),
})

type Calibration = z.output<typeof calibrated>

/** The number of bins; with the few predictions of a memory, more of them would show chance. */
const BINS = 5

/** Reads how good the settled predictions were; undefined if there are none. */
export async function readCalibration(tx: ReadTransaction): Promise<Calibration | undefined> {
  const told = (await readSettledPredictions(tx)).map(({ probability, cameTrue }) => ({
    ...{ said: probability, came: Number(cameTrue === true) },
  }))
  if (told.length === 0) return undefined
  // Without rounding, .6 would fall into the bin below it.
  const bins = Map.groupBy(told, ({ said }) => Math.floor(Math.round(said * BINS * 1e9) / 1e9))
  return {
    settled: told.length,
    brier: mean(told.map(({ said, came }) => (said - came) ** 2)),
    bins: [...bins]
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

/** Lines of a terminal about predictions: the score, and a row for each bin; none if none is settled. */
export function calibrationLines(found: Calibration | undefined): string[] {
  if (found === undefined) return []
  return [
    `${count(found.settled, 'prediction')} settled, Brier score ${found.brier.toFixed(3)}`,
    ...found.bins.map(
      ({ said, cameTrue, n }) => `  said ${said.toFixed(2)}, came true ${cameTrue.toFixed(2)} (of ${n})`,
    ),
  ]
}
