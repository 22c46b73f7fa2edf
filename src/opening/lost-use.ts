import { logFailure } from '../flow/engine/engine.ts'
import { harmless } from '../operations/wording.ts'
import type { Logger } from '../ports/logger.ts'

/** Tells that the use of what a recall showed was lost: no caller waits who could be; returns why, in words. */
export function tellLostUse(logger: Logger, error: unknown): string {
  const why = logFailure(logger, 'recall', error)
  const said = harmless(`The use of what a recall showed could not be written: ${why}`)
  process.emitWarning(said, { type: 'ElfmemWarning', code: 'ELFMEM_USE_LOST' })
  return why
}
