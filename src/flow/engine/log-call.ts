import { ElfmemError } from '../../errors.ts'
import type { Logger } from '../../ports/logger.ts'
import { AUTO, actorOf, type CallContext, type Engine } from './engine.ts'

/** Logs that something failed which the memory did while nobody waited for it; returns what happened in words. */
export function logFailure(logger: Logger, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}

/** A call from outside while it lasts. */
interface RunningCall {
  /** The name of its operation. */
  readonly name: string
  readonly context: CallContext
  /** Of the clock that only ever goes on, in milliseconds. */
  readonly started: number
}

/** Logs how a call ended. */
export function logCall(
  engine: Engine,
  { name, context, started }: RunningCall,
  outcome: string,
  detail: unknown,
): void {
  const { logger, session } = engine
  if (logger.level === 'off') return
  logger.log({
    level: outcome === 'ok' ? 'info' : 'error',
    operation: name,
    actor: actorOf(engine, context),
    ...(session.current ? { session: session.current.id } : {}),
    milliseconds: performance.now() - started,
    outcome,
    ...(logger.level === 'debug' ? { detail: String(detail) } : {}),
  })
}
