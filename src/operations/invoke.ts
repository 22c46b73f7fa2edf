import * as z from 'zod'
import { ElfmemError } from '../errors.ts'
import type { CallContext, Engine } from '../flow/engine/engine.ts'
import { UsageMeter } from '../flow/engine/usage.ts'
import { checkLimits } from '../flow/guard/check-limits.ts'
import { guardSecrets, type RedactedSecrets, redactedSentence } from '../flow/guard/guard-secrets.ts'
import type { Operation } from './operation.ts'
import { sentences } from './wording.ts'

/** The only door from any surface into the engine: parse, hold to limits, take out secrets, run, log. */
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
    const given = parse(operation, raw, context)
    checkLimits(given, engine.settings.limits)
    const secrets = operation.effect === 'read' ? 'keep' : engine.settings.memory.secrets
    const { input, redacted } = await guardSecrets(given, secrets)
    const output = tellOf(redacted, operation, await operation.run(engine, input, context))
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

/** What was taken out is said in the summary, and in a field where the answer has one. */
function tellOf(redacted: readonly RedactedSecrets[], { output }: Operation, answer: unknown): unknown {
  if (redacted.length === 0) return answer
  const { summary, ...rest } = answer as { readonly summary?: string }
  // That of a dream is about what models were shown.
  const hasField = output instanceof z.ZodObject && 'redacted' in output.shape && !('redacted' in rest)
  return {
    ...rest,
    ...(hasField ? { redacted } : {}),
    summary: sentences(summary ?? '', redactedSentence(redacted)),
  }
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
