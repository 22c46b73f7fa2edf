import { mayCover } from '../block/block.ts'
import { momentWords } from '../block/validity.ts'
import type { Mutation } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import type { Admitted, Draft } from '../intake/admit.ts'
import { instantOf } from '../intake/check-input.ts'
import { blocksById } from '../store/blocks.ts'
import {
  type Prediction,
  readDuePredictions,
  readPredictions,
  savePredictions,
} from '../store/predictions.ts'
import type { ReadTransaction } from '../store/transaction.ts'

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
 * thrown. Returns the blocks that are trusted more than the text, whose expectation was not taken. Runs no statement without expectations.
 *
 * @param forEach does the work for the text at a place; says for which when it fails
 */
export async function expectAll(
  { tx, moment }: Mutation,
  given: readonly (Pick<Admitted, 'block' | 'created'> & { readonly draft: Draft })[],
  forEach: <T>(place: number, work: () => T) => T,
): Promise<ReadonlySet<string>> {
  const ids = given.flatMap(({ block, draft }) => (draft.expects ? [block.id] : []))
  const now = new Map((await readPredictions(tx, ids)).map((each) => [each.blockId, each]))
  const refused = new Set<string>()
  for (const [place, { block, created, draft }] of given.entries()) {
    const { expects } = draft
    const known = now.get(block.id)
    const isSame = known?.expectedBy === expects?.expectedBy && known?.probability === expects?.probability
    if (expects === undefined || isSame) continue
    const isOver = known !== undefined && (known.settledAt !== undefined || known.expectedBy <= moment.at)
    if (!created && !mayCover(draft, block)) refused.add(block.id)
    else if (isOver) forEach(place, () => refuseLate(known))
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

/** Reads the predictions whose time is over and that wait to be settled, at most `most`; those of forgotten blocks do not wait. */
export async function findDue(tx: ReadTransaction, at: string, most: number): Promise<Prediction[]> {
  const due = await readDuePredictions(tx, at, most)
  const ids = due.map(({ blockId }) => blockId)
  const blocks = await blocksById(tx, ids)
  return due.filter(({ blockId }) => blocks.get(blockId)?.archiveReason !== 'forgotten')
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
