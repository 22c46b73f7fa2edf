import { kebabCase } from '../../adapters/project/spelling.ts'
import type { Progress } from '../../flow/engine/engine.ts'
import type { Operation } from '../../operations/operation.ts'
import { escapedJson, harmless } from '../../operations/wording.ts'
import { aroundCommand, type Failure, failureOf } from '../failure.ts'
import { type CliIo, EXIT_REFUSED, EXIT_USAGE, type TextOutput } from './io.ts'
import { pageFor, styleFor, wrapped } from './style.ts'

/** Prints what went wrong (two lines for people, one object for programs) and returns the exit code. */
export async function printFailure(
  cause: unknown,
  io: CliIo,
  { json }: { readonly json: boolean },
): Promise<number> {
  // Its names are those of all operations, which only a failure needs to load.
  const { asCommands } = await import('./as-commands.ts')
  const failure = asOnCommandLine(await failureOf(cause, { name: kebabCase, example }), asCommands)
  if (json) io.stdout.write(`${jsonText(failure)}\n`)
  else {
    const page = pageFor(io.stderr, io)
    const { style } = page
    const [error, recovery] = [failure.error, failure.recovery].map((said) => wrapped(said, page, 2))
    io.stderr.write(`${style.bad('✗')} ${error}\n  ${style.dim(recovery ?? '')}\n`)
  }
  return failure.code === 'INVALID_INPUT' ? EXIT_USAGE : EXIT_REFUSED
}

/** Only a command line that is wrong needs it. */
async function example(operation: Operation): Promise<string | undefined> {
  const { exampleCommand } = await import('../example.ts')
  return exampleCommand(operation)
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

/** One line for people; never mixed with what a program reads. */
export function printWarnings(warnings: readonly string[], io: CliIo): void {
  const page = pageFor(io.stderr, io)
  for (const warning of warnings)
    io.stderr.write(`${page.style.warm('!')} ${wrapped(harmless(warning), page, 2)}\n`)
}

/** A bar of `width` cells, filled by eighths. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const full = '█'.repeat(Math.floor(eighths / 8))
  const part = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? ''
  return (full + part).padEnd(width, '░')
}

/** Long work as one line that is rewritten, and at last wiped away. */
export type ProgressLine = ReturnType<typeof progressLine>

/** A progress line on a terminal; nothing where nobody looks. */
export function progressLine(output: TextOutput, io: Pick<CliIo, 'env'>, quiet: boolean) {
  if (output.isTTY !== true || quiet) return { report: () => undefined, clear: () => undefined }
  const style = styleFor(output, io)
  let drawn = ''
  return {
    report: ({ stage, done, total }: Progress) => {
      if (total <= 0) return
      const line = `${stage.padEnd(10)} ${style.name(bar(done / total, 24))} ${done}/${total}`
      if (line === drawn) return
      drawn = line
      output.write(`\r\u001b[2K${line}`)
    },
    clear: () => {
      if (drawn !== '') output.write('\r\u001b[2K')
      drawn = ''
    },
  }
}
