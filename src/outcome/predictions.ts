import { mayCover } from '../block/block.ts'
import { momentWords } from '../block/validity.ts'
import type { Mutation } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { type Admitted, type Draft, forItem } from '../intake/admit.ts'
import { instantOf } from '../intake/check-input.ts'
import { type Prediction, readPredictions, savePredictions } from '../store/predictions.ts'

/** The end of a day, by which a prediction with a date and no time is to come true. */
const DAY_END = 'T23:59:59.999Z'

/** Returns the day of a prediction as it was given: a date, or a time in ISO-8601 UTC. */
export function givenBy({ expectedBy: by }: Pick<Prediction, 'expectedBy'>): string {
  return by.endsWith(DAY_END) ? by.slice(0, 10) : by
}

/** Returns a prediction in words: `expected by 2026-12-01, .7`, and what became of it. */
export function predictionWords({ expectedBy, probability, cameTrue }: Omit<Prediction, 'blockId'>): string {
  const became = cameTrue === undefined ? '' : cameTrue ? ', came true' : ', did not come true'
  const chance = String(Number(probability.toFixed(2))).replace(/^0/, '')
  return `expected by ${momentWords(givenBy({ expectedBy }))}, ${chance}${became}`
}

/** Returns what a caller expects of words that were said at a time; throws `INVALID_INPUT` for a day before that. */
export function expectationOf(
  { by, probability }: { readonly by: string; readonly probability: number },
  saidAt: string,
): NonNullable<Draft['expects']> {
  const expectedBy = by.includes('T') ? instantOf(by) : `${by}${DAY_END}`
  if (expectedBy > saidAt) return { expectedBy, probability }
  throw new ElfmemError('INVALID_INPUT', `It was said after the time by which it is expected, ${by}.`, {
    recovery: 'Give a later day, or remember what came true without expect.',
    details: { arguments: ['expect'] },
  })
}

/**
 * Makes admitted texts predictions. Words that are said again with another expectation change it before its day; afterwards `CONFLICT` is
 * thrown. Returns the blocks that are trusted more than the text, whose expectation was not taken.
 */
export async function expectAll(
  { tx, moment }: Mutation,
  given: readonly (Pick<Admitted, 'block' | 'created'> & {
    readonly draft: Draft
    readonly index?: number | undefined
  })[],
): Promise<ReadonlySet<string>> {
  const ids = given.map(({ block }) => block.id)
  const now = new Map((await readPredictions(tx, ids)).map((each) => [each.blockId, each]))
  const refused = new Set<string>()
  for (const { block, created, draft, index } of given) {
    const { expects } = draft
    const known = now.get(block.id)
    const isSame = known?.expectedBy === expects?.expectedBy && known?.probability === expects?.probability
    if (expects === undefined || isSame) continue
    const isOver = known !== undefined && (known.settledAt !== undefined || known.expectedBy <= moment.at)
    if (!created && !mayCover(draft, block)) refused.add(block.id)
    else if (isOver) forItem(index, () => refuseLate(known))
    else now.set(block.id, { blockId: block.id, ...expects, createdAt: moment.at })
  }
  await savePredictions(tx, [...now.values()])
  return refused
}

function refuseLate({ blockId, settledAt }: Prediction): never {
  const is = settledAt === undefined ? 'is over' : 'was settled'
  throw new ElfmemError('CONFLICT', `The prediction of block ${blockId} ${is}, so its expectation stays.`, {
    recovery: 'outcome() settles it. Remember a new prediction in words of its own, such as with its day.',
    details: { blockIds: [blockId] },
  })
}

/**
 * Notes whether the predictions of blocks came true; a later verdict takes the place of an earlier one. It is no evidence about the blocks:
 * a good forecast with probability .7 fails three times in ten. Returns the predictions; blocks without one are left out.
 */
export async function settlePredictions(
  { tx, moment }: Mutation,
  verdicts: ReadonlyMap<string, boolean>,
): Promise<Prediction[]> {
  const settled = (await readPredictions(tx, [...verdicts.keys()])).map((prediction) => {
    const cameTrue = verdicts.get(prediction.blockId)
    return prediction.cameTrue === cameTrue ? prediction : { ...prediction, cameTrue, settledAt: moment.at }
  }) as Prediction[]
  await savePredictions(tx, settled)
  return settled
}
