import * as z from 'zod'
import { ElfmemError } from '../errors.ts'
import type { CallContext, Engine } from '../flow/engine.ts'
import type { Operation } from './operation.ts'

/** The only door from any surface into the engine: parse, run, attach the summary. */
export async function invoke(
  operation: Operation,
  engine: Engine,
  raw: unknown,
  context: CallContext = {},
): Promise<unknown> {
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
  return operation.run(engine, input.data, context)
}
