import { ElfmemError } from '../../errors.ts'
import type { Logger } from '../../ports/logger.ts'
import { AUTO } from './engine.ts'

/** Logs that something failed which the memory did while nobody waited for it; returns what happened in words. */
export function logFailure(logger: Logger, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}
