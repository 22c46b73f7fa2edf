import { stripVTControlCharacters, styleText } from 'node:util'
import type { CliIo, TextOutput } from '../io.ts'

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

/** A page on which text is set: with colours or not, and how wide. */
export interface Page {
  readonly style: Style
  /** Columns; unbounded where no terminal would break the lines. */
  readonly width: number
}

/** The page an output is. */
export function pageFor(output: TextOutput, io: Pick<CliIo, 'env'>): Page {
  return { style: styleFor(output, io), width: output.isTTY ? (output.columns ?? 80) : Infinity }
}

/** Matches words with the blanks behind them; a command in backquotes is one, so that it can be copied. */
const WORD = /(?:`[^`]*`|[^ ])+ */g

/** The least columns that a text is given, however narrow the page. */
const LEAST_ROOM = 20

/** Breaks a text between words so that it fits beside what stands left of it; later lines are indented by as much. */
export function wrapped(text: string, { width }: Page, indent: number): string {
  const room = Math.max(LEAST_ROOM, width - indent)
  const lines: string[] = []
  let columns = 0
  for (const word of text.match(WORD) ?? []) {
    if (lines.length === 0 || columns + columnsOf(word.trimEnd()) > room) {
      lines.push('')
      columns = 0
    }
    lines[lines.length - 1] += word
    columns += columnsOf(word)
  }
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`)
}

/** The part of a line left of its text: blanks, a mark, and columns that two blanks end. */
const LEFT = /^ *(?:[✓✗–!·↳|>-] |\[\S{1,4}\] |\d{1,3}\. )?(?:\S{1,16} {2,}){0,3}/

/** Breaks each line that is longer than the page between words; what goes on stands under where its text began. */
export function setOnPage(text: string, page: Page): string {
  const set = (line: string) => {
    if (columnsOf(line) <= page.width) return line
    const [left = ''] = LEFT.exec(line) ?? []
    return left + wrapped(line.slice(left.length), page, columnsOf(left))
  }
  return Number.isFinite(page.width) ? text.split('\n').map(set).join('\n') : text
}

/** Signs that take two columns of a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/gu
const NO_WIDTH = /\p{M}/gu

/** Columns of a terminal that a text takes, as near as its signs tell; colours take none. */
function columnsOf(written: string): number {
  const narrow = /^[\x20-\x7e]*$/.test(written)
  if (narrow) return written.length
  const text = stripVTControlCharacters(written)
  const signs = [...text].length
  return signs + (text.match(WIDE)?.length ?? 0) - (text.match(NO_WIDTH)?.length ?? 0)
}
