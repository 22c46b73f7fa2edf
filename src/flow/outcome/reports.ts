import type { BlockReport } from '../../domain/score/experience.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { resolveIds } from '../guard/check-input.ts'

/** Arguments of `outcome`. */
export interface OutcomeInput {
  /** Together with `signal`. */
  readonly blockIds?: readonly string[] | undefined
  /** 0 misled .. 1 helped. */
  readonly signal?: number | undefined
  readonly helped?: readonly string[] | undefined
  /** Wrong or out of date. */
  readonly misled?: readonly string[] | undefined
  /** Not about this question. */
  readonly beside?: readonly string[] | undefined
  /** The recall that the reports are about. */
  readonly recallId?: string | undefined
  /** The text that was said or done with the result of a recall. */
  readonly answer?: string | undefined
  /** `set`: says how a whole answer did, not which block it was. */
  readonly about: 'blocks' | 'set'
  readonly weight: number
  readonly source: string
  readonly allowConstitutional: boolean
}

/** The report about each block by whole id, and the ids of no block. */
export interface Reports {
  readonly reports: ReadonlyMap<string, BlockReport>
  readonly unknown: readonly string[]
}

/** One report a block, in the order given; refuses two different ones about the same block. */
export async function reportsOf(tx: StoreReader, input: OutcomeInput, usefulAbove: number): Promise<Reports> {
  const given = givenReports(input, usefulAbove)
  const { byGiven, unknown } = await resolveIds(
    tx,
    given.map(({ id }) => id),
  )
  const reports = new Map<string, BlockReport>()
  for (const { id: named, ...report } of given) {
    const id = byGiven.get(named.trim())
    if (id === undefined) continue
    const said = reports.get(id)
    if (said !== undefined && (said.signal !== report.signal || said.beside !== report.beside))
      throw contradictory(id)
    reports.set(id, report)
  }
  return { reports, unknown }
}

/** Throws `INVALID_INPUT` for a report that says nothing or two things; needs no store. */
export function checkReport(input: OutcomeInput, usefulAbove: number): void {
  const { blockIds, signal, answer, about, weight } = input
  const byName = [input.helped, input.misled, input.beside].some((ids) => ids !== undefined)
  if (blockIds === undefined && !byName && answer === undefined)
    throw refused(
      'An outcome needs blocks.',
      'Pass helped and misled, the answer that cites them, or blockIds with signal.',
    )
  if (blockIds !== undefined && signal === undefined)
    throw refused('blockIds need a signal.', 'Add signal: 1 for helped, 0 for misled, or anything between.')
  if (about === 'set' && (byName || answer !== undefined))
    throw refused(
      'A report about a whole set does not say which block helped.',
      'Pass blockIds with signal, or leave about out.',
    )
  if (blockIds === undefined && signal !== undefined && signal <= usefulAbove)
    throw refused(
      `A signal of ${signal} does not say that a block helped.`,
      `Leave signal out or give one above ${usefulAbove}; name what was wrong in misled.`,
    )
  if (!inUnit(signal ?? 1) || !(weight > 0 && Number.isFinite(weight)))
    throw refused(
      'A signal lies between 0 and 1 and a weight is a finite number above 0.',
      'Correct the numbers.',
    )
}

type GivenReport = BlockReport & { readonly id: string }

function givenReports(input: OutcomeInput, usefulAbove: number): GivenReport[] {
  const { blockIds = [], signal = 1, helped = [], misled = [], beside = [], weight } = input
  const credit = signal > usefulAbove ? signal : 1
  const say = (ids: readonly string[], given: number, isBeside = false) =>
    ids.map((id) => ({ id, signal: given, weight, beside: isBeside }))
  return [...say(blockIds, signal), ...say(helped, credit), ...say(misled, 0), ...say(beside, 0, true)]
}

function inUnit(value: number): boolean {
  return value >= 0 && value <= 1
}

function contradictory(id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Two different things are said about block ${id}.`, {
    recovery: 'Name each block once: in helped, in misled, in beside, or in blockIds.',
    details: { blockId: id },
  })
}

function refused(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}
