import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { resolveIds } from '../guard/resolve-ids.ts'

/** Arguments of `outcome`. */
export interface OutcomeInput {
  /** Together with `signal`. */
  readonly blockIds?: readonly string[] | undefined
  /** 0 misled .. 1 helped. */
  readonly signal?: number | undefined
  readonly helped?: readonly string[] | undefined
  readonly notHelped?: readonly string[] | undefined
  /** `set`: says how a whole answer did, not which block it was. */
  readonly scope: 'blocks' | 'set'
  readonly weight: number
  readonly source: string
  readonly allowConstitutional: boolean
}

/** The signal of each block by whole id, and what is no block's id. */
export interface Reports {
  readonly signals: ReadonlyMap<string, number>
  readonly unknown: readonly string[]
}

/** One report a block, in the order given; refuses two different ones about the same block. */
export async function reportsOf(tx: StoreReader, input: OutcomeInput, usefulAbove: number): Promise<Reports> {
  const given = givenReports(input, usefulAbove)
  const { byGiven, unknown } = await resolveIds(
    tx,
    given.map(({ id }) => id),
  )
  const signals = new Map<string, number>()
  for (const { id: named, signal } of given) {
    const id = byGiven.get(named.trim())
    if (id === undefined) continue
    const said = signals.get(id)
    if (said !== undefined && said !== signal) throw contradictory(id)
    signals.set(id, signal)
  }
  return { signals, unknown }
}

/** Throws `INVALID_INPUT` for a report that says nothing or two things; needs no store. */
export function checkReport(input: OutcomeInput, usefulAbove: number): void {
  const { blockIds, signal, helped, notHelped, scope, weight } = input
  const byName = helped !== undefined || notHelped !== undefined
  if (blockIds === undefined && !byName)
    throw refused('An outcome needs blocks.', 'Pass helped and notHelped, or blockIds with signal.')
  if (blockIds !== undefined && signal === undefined)
    throw refused('blockIds need a signal.', 'Add signal: 1 for helped, 0 for misled, or anything between.')
  if (scope === 'set' && byName)
    throw refused(
      'A report about a whole set does not say which block helped.',
      'Pass blockIds with signal, or leave scope out.',
    )
  if (blockIds === undefined && signal !== undefined && signal <= usefulAbove)
    throw refused(
      `A signal of ${signal} does not say that a block helped.`,
      `Leave signal out or give one above ${usefulAbove}; name what did not help in notHelped.`,
    )
  if (!inUnit(signal ?? 1) || !(weight > 0 && Number.isFinite(weight)))
    throw refused(
      'A signal lies between 0 and 1 and a weight is a finite number above 0.',
      'Correct the numbers.',
    )
}

function givenReports(input: OutcomeInput, usefulAbove: number) {
  const { blockIds = [], signal = 1, helped = [], notHelped = [] } = input
  const credit = signal > usefulAbove ? signal : 1
  return [
    ...blockIds.map((id) => ({ id, signal })),
    ...helped.map((id) => ({ id, signal: credit })),
    ...notHelped.map((id) => ({ id, signal: 0 })),
  ]
}

function inUnit(value: number): boolean {
  return value >= 0 && value <= 1
}

function contradictory(id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Two different things are said about block ${id}.`, {
    recovery: 'Name each block once: in helped, in notHelped, or in blockIds.',
    details: { blockId: id },
  })
}

function refused(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}
