import { kebabCase } from '../../adapters/project/spelling.ts'
import type { Progress } from '../../flow/engine/engine.ts'
import { harmless } from '../../operations/wording.ts'
import { type Failure, failureOf } from '../failure.ts'
import { asCommands } from './as-commands.ts'
import { type CliIo, EXIT_REFUSED, EXIT_USAGE, type TextOutput } from './io.ts'
import { styleFor } from './style.ts'

/** Prints what went wrong (two lines for people, one object for programs) and returns the exit code. */
export function printFailure(cause: unknown, io: CliIo, { json }: { readonly json: boolean }): number {
  const failure = asOnCommandLine(failureOf(cause, (name) => kebabCase(name)))
  if (json) io.stdout.write(`${jsonText(failure)}\n`)
  else {
    const style = styleFor(io.stderr, io)
    io.stderr.write(`${style.bad('✗')} ${failure.error}\n  ${style.dim(failure.recovery)}\n`)
  }
  return exitCodeOf(failure)
}

/** The failure with calls as commands, and a switch to pass by its flag. */
function asOnCommandLine(failure: Failure): Failure {
  const recovery = asCommands(failure.recovery)
    .replace(/\bpass ([a-z]+): true\b/g, 'pass --$1')
    .replace(/\bCall (?=elfmem )/g, 'Run ')
  return { ...failure, recovery }
}

/** JSON on several lines, with escapes for what a terminal would obey or hide though JSON itself allows it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu,
    (sign) =>
      Array.from({ length: sign.length }, (_, at) => {
        return `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`
      }).join(''),
  )
}

function exitCodeOf({ code }: Failure): number {
  return code === 'INVALID_INPUT' ? EXIT_USAGE : EXIT_REFUSED
}

/** One line for people; never mixed with what a program reads. */
export function printWarnings(warnings: readonly string[], io: CliIo): void {
  const style = styleFor(io.stderr, io)
  for (const warning of warnings) io.stderr.write(`${style.warm('!')} ${harmless(warning)}\n`)
}

/** A bar of `width` cells, filled by eighths. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const full = '█'.repeat(Math.floor(eighths / 8))
  const part = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? ''
  return (full + part).padEnd(width, '░')
}

/** Shows long work as one line that is rewritten; nothing where nobody looks. */
export interface ProgressLine {
  readonly report: (progress: Progress) => void
  /** Wipes the line away. */
  readonly clear: () => void
}

/** A progress line on a terminal's error stream. */
export function progressLine(output: TextOutput, io: Pick<CliIo, 'env'>, quiet: boolean): ProgressLine {
  if (output.isTTY !== true || quiet) return { report: () => undefined, clear: () => undefined }
  const style = styleFor(output, io)
  let drawn = ''
  return {
    report: ({ stage, done, total }) => {
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
