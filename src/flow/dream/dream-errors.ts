import { ElfmemError } from '../../errors.ts'
import type { Tally } from './tally.ts'

/** A dream that a signal ended. */
export function cancelled(): ElfmemError {
  return new ElfmemError('CANCELLED', 'The dream was cancelled.', {
    recovery: 'What was promoted stays; dream again to go on with the rest.',
  })
}

/** An error of a dream with what was done until then in `details`. */
export function withProgress(error: unknown, tally: Tally): unknown {
  if (!ElfmemError.is(error)) return error
  return new ElfmemError(error.code, error.message, {
    recovery: error.recovery,
    details: { ...error.details, processed: tally.processed, promoted: tally.promoted.length },
    cause: error,
  })
}
