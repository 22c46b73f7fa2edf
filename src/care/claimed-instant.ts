import { attempt } from '../errors.ts'
import { instantOf } from '../intake/check-input.ts'
import { storable } from './storable.ts'
import type { Tally } from './tally.ts'

/** A day, and a time behind `T` or a blank; programs write more digits of a second than are kept. */
const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * The time that a file claims, as ISO-8601 UTC; UTC unless it names a zone. One that is none, such as 30 February, is noted as
 * left, and undefined.
 */
export function claimedInstant(tally: Tally, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const read = readInstant(storable(given).trim())
  if (read === undefined)
    tally.leave({
      what: 'dates',
      why: 'they cannot be read, so the time of the import stands',
      example: given,
    })
  return read
}

function readInstant(text: string): string | undefined {
  const [, day = '', time, zone = ''] = WRITTEN.exec(text) ?? []
  // A parser takes 30 February for 1 March.
  if (attempt(() => instantOf(day).slice(0, 10)) !== day) return undefined
  if (time === undefined) return instantOf(day)
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone
  return attempt(() => instantOf(`${day}T${time}${offset.length === 3 ? `${offset}:00` : offset}`))
}
