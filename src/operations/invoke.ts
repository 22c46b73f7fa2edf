import * as z from 'zod'
import { ElfmemError } from '../errors.ts'
import type { CallContext, Engine } from '../flow/engine.ts'
import { UsageMeter } from '../flow/usage-meter.ts'
import type { Operation } from './operation.ts'

/** The only door from any surface into the engine: parse, run, log. */
export async function invoke(
  operation: Operation,
  engine: Engine,
  raw: unknown,
  given: CallContext = {},
): Promise<unknown> {
  const meter = given.meter ?? new UsageMeter()
  const context: CallContext = { ...given, meter }
  const started = performance.now()
  const log = (outcome: string, detail: unknown) =>
    logCall(engine, { operation, context, started }, outcome, detail)
  try {
    const output = await operation.run(engine, parse(operation, raw, context), context)
    log('ok', (output as { summary?: unknown }).summary)
    return output
  } catch (error) {
    log(ElfmemError.is(error) ? error.code : 'UNEXPECTED', error instanceof Error ? error.message : error)
    throw error
  } finally {
    engine.unbilled.add(meter.unwritten)
  }
}

function parse<I extends z.ZodObject>(
  operation: { name: string; input: I },
  raw: unknown,
  context: CallContext,
): z.output<I> {
  const input = operation.input.safeParse(raw ?? {})
  if (!input.success)
    throw new ElfmemError('INVALID_INPUT', `${operation.name}: ${z.prettifyError(input.error)}`, {
      recovery: `Correct the named arguments; guide({ method: '${operation.name}' }) shows a call that works.`,
      details: { issues: input.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })) },
      cause: input.error,
    })
  if (context.signal?.aborted)
    throw new ElfmemError('CANCELLED', `${operation.name} was cancelled before it began.`, {
      recovery: 'Call it again; nothing was changed.',
    })
  return input.data
}

interface Call {
  readonly operation: Operation
  readonly context: CallContext
  readonly started: number
}

function logCall(
  engine: Engine,
  { operation, context, started }: Call,
  outcome: string,
  detail: unknown,
): void {
  const { logger, session, actor } = engine
  if (logger.level === 'off') return
  logger.log({
    level: outcome === 'ok' ? 'info' : 'error',
    operation: operation.name,
    actor: context.actor ?? actor,
    ...(session.current ? { session: session.current.id } : {}),
    milliseconds: performance.now() - started,
    outcome,
    ...(logger.level === 'debug' ? { detail: String(detail) } : {}),
  })
}
