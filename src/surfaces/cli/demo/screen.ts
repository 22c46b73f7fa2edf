import { setTimeout as pause } from 'node:timers/promises'
import type { CliIo } from '../io.ts'
import { bar, type ProgressLine, progressLine } from '../screen/progress.ts'
import { LEAST_ROOM, pageFor, type Style, setOnPage, wrapped } from '../screen/style.ts'

/** Long enough to read a heading, short enough not to wait. */
const BEAT_MS = 450
const MAX_WIDTH = 100

/** Output of the demo: a terminal with time to look, or plain text at once. */
export interface Screen {
  readonly style: Style
  readonly progress: ProgressLine
  /** A heading and, where somebody watches, a time to read it. */
  readonly act: (title: string, what: string) => Promise<void>
  readonly line: (text?: string) => void
  /** Shortens a text to one line of the given width. */
  readonly shorten: (text: string, indent: number) => string
  /** `name ███░░ 0.42` */
  readonly gauge: (name: string, value: number, width?: number) => string
}

/** A screen on standard output; a silent one when only facts are wanted. */
export function openScreen(io: CliIo, silent: boolean): Screen {
  const all = pageFor(io.stdout, io)
  const { style } = all
  const page = { style, width: Number.isFinite(all.width) ? Math.min(all.width, MAX_WIDTH) : all.width }
  const width = Math.min(io.stdout.columns ?? MAX_WIDTH, MAX_WIDTH)
  const watched = io.stdout.isTTY === true && !silent
  let number = 0
  const line = (text = '') => void (silent || io.stdout.write(`${setOnPage(text, page)}\n`))
  const shorten = (text: string, indent: number) => {
    const [said, length] = [text.replaceAll(/\s+/g, ' '), width - indent]
    return said.length <= length ? said : `${said.slice(0, Math.max(1, length - 1))}…`
  }
  return {
    style,
    // Into a file the demo writes what happened, not that it is happening.
    progress: progressLine(io.stdout, io, { isSilent: silent || io.stdout.isTTY !== true }),
    line,
    shorten,
    gauge: (name, value, cells = 20) =>
      `${style.dim(name.padEnd(13))} ${style.name(bar(value, cells))} ${value.toFixed(2)}`,
    act: async (title, what) => {
      number++
      line()
      const heading = `${number}  ${title}`
      const left = heading.length + 2
      const said = left + LEAST_ROOM <= page.width ? wrapped(what, page, left) : what
      line(`${style.bold(heading)}  ${style.dim(said)}`)
      line()
      if (watched) await pause(BEAT_MS, undefined, io.signal ? { signal: io.signal } : {})
    },
  }
}
