import { styleText } from 'node:util'
import type { CliIo, TextOutput } from './io.ts'

type Format = Parameters<typeof styleText>[0]

/** Colours for one output: on a terminal that wants them, else plain text. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly name: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warm: (text: string) => string
}

/** Colour is for terminals only, and never against NO_COLOR. */
export function styleFor(output: TextOutput, { env }: Pick<CliIo, 'env'>): Style {
  const coloured = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint = (format: Format) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    name: paint('cyan'),
    good: paint('green'),
    bad: paint('red'),
    warm: paint('yellow'),
  }
}
