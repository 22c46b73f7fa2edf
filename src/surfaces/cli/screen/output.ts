import { escapedJson, harmless } from '../../../operations/wording.ts'
import { aroundCommand, type Failure, failureOf } from '../../failure.ts'
import { type CliIo, EXIT_REFUSED, EXIT_USAGE } from '../io.ts'
import { pageFor, wrapped } from './style.ts'

/** Prints what went wrong (two lines for people, one object for programs) and returns the exit code. */
export async function printFailure(
  cause: unknown,
  io: CliIo,
  { json }: { readonly json: boolean },
): Promise<number> {
  // Its names are those of all operations, which only a failure needs to load.
  const { ON_COMMAND_LINE } = await import('../as-commands.ts')
  const failure = asOnCommandLine(await failureOf(cause, ON_COMMAND_LINE), ON_COMMAND_LINE.prose)
  if (json) io.stdout.write(`${jsonText(failure)}\n`)
  else {
    const page = pageFor(io.stderr, io)
    const { style } = page
    const [error, recovery] = [failure.error, failure.recovery].map((said) => wrapped(said, page, 2))
    io.stderr.write(`${style.bad('✗')} ${error}\n  ${style.dim(recovery ?? '')}\n`)
  }
  return failure.code === 'INVALID_INPUT' ? EXIT_USAGE : EXIT_REFUSED
}

/** The failure with calls as commands, and a switch to pass by its flag. */
function asOnCommandLine(failure: Failure, asCommands: (prose: string) => string): Failure {
  const asOwn = aroundCommand(failure.details, (prose) =>
    asCommands(prose)
      .replace(/\bpass ([a-z]+): true\b/g, 'pass --$1')
      .replace(/\bCall (?=elfmem )/g, 'Run '),
  )
  return { ...failure, recovery: asOwn(failure.recovery) }
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
