import { styleText } from 'node:util'
import type { CliIo, TextOutput } from './io.ts'

const FORMATS = { bold: 'bold', dim: 'dim', name: 'cyan', good: 'green', bad: 'red', warm: 'yellow' } as const

/** Colours for one output: on a terminal that wants them, else plain text. */
export type Style = Readonly<Record<keyof typeof FORMATS, (text: string) => string>>

/** Colour is for terminals only, and never against NO_COLOR. */
export function styleFor(output: TextOutput, { env }: Pick<CliIo, 'env'>): Style {
  const coloured = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const styles = Object.entries(FORMATS).map(([name, format]) => {
    const paint = (text: string) => (coloured ? styleText(format, text, { validateStream: false }) : text)
    return [name, paint] as const
  })
  return Object.fromEntries(styles) as unknown as Style
}

/** Where text is set: with colours or not, and how wide. */
export interface Page {
  readonly style: Style
  /** Columns; unbounded where no terminal would break the lines. */
  readonly width: number
}

/** The page an output is. */
export function pageFor(output: TextOutput, io: Pick<CliIo, 'env'>): Page {
  return { style: styleFor(output, io), width: output.isTTY ? (output.columns ?? 80) : Infinity }
}

/** Breaks a text between words so that it fits beside what stands left of it; later lines are indented by as much. */
export function wrapped(text: string, { width }: Page, indent: number): string {
  const room = Math.max(20, width - indent)
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
