import { escapedJson, harmless } from '../../../operations/wording.ts'
import { failureOf } from '../../failure.ts'
import { type CliIo, EXIT_REFUSED, EXIT_USAGE } from '../io.ts'
import { pageFor, wrapped } from './style.ts'

/** Prints what went wrong (two lines for people, one object for programs) and returns the exit code. */
export async function printFailure(
  cause: unknown,
  io: CliIo,
  { json }: { readonly json: boolean },
): Promise<number> {
  // Its names are those of all operations, which only a failure needs to load.
  const { asCommands } = await import('../as-commands.ts')
  const failure = failureOf(cause, asCommands)
  if (json) io.stdout.write(`${jsonText(failure)}\n`)
  else {
    const page = pageFor(io.stderr, io)
    const { style } = page
    const [error, recovery] = [failure.error, failure.recovery].map((said) => wrapped(said, page, 2))
    io.stderr.write(`${style.bad('✗')} ${error}\n  ${style.dim(recovery ?? '')}\n`)
  }
  return failure.code === 'INVALID_INPUT' ? EXIT_USAGE : EXIT_REFUSED
}

/** JSON on several lines, with nothing in it that a terminal would obey. */
export function jsonText(value: unknown): string {
  return escapedJson(JSON.stringify(value, undefined, 2))
}

/** Prints warnings, a line each, for people; never mixed with output that a program reads. */
export function printWarnings(warnings: readonly string[], io: CliIo): void {
  const page = pageFor(io.stderr, io)
  for (const warning of warnings)
    io.stderr.write(`${page.style.warm('!')} ${wrapped(harmless(warning), page, 2)}\n`)
}
