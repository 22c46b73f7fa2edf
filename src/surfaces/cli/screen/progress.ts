import type { Progress } from '../../../engine/engine.ts'
import type { CliIo, TextOutput } from '../io.ts'
import { pageFor } from './style.ts'

/** The ways to show how far long work is. */
export interface ProgressLine {
  readonly report: (progress: Progress) => void
  readonly clear: () => void
}

/** The cells of a bar, and the columns that a line with one needs. */
const BAR = 24
const BAR_COLUMNS = 60
/** The advice for work that may be stopped anywhere: the process may end by the signal before it can say anything. */
const STOPPING = '  Ctrl-C keeps that, the rest waits'
/** Milliseconds between two lines on a terminal, which are read no faster, and elsewhere, where short work prints none. */
const EVERY_MS = { terminal: 100, elsewhere: 5_000 }

/** Shows progress: on a terminal one line that is rewritten and at last wiped away, elsewhere a line now and then. */
export function progressLine(
  output: TextOutput,
  io: Pick<CliIo, 'env'>,
  { isSilent }: { readonly isSilent: boolean },
): ProgressLine {
  const { style, width } = pageFor(output, io)
  const isTerminal = output.isTTY === true
  let told = isTerminal ? 0 : performance.now()
  let isDrawn = false
  const line = ({ stage, done, total, isKept }: Progress) => {
    const counted = `${stage.padEnd(10)} ${done}/${total}`
    if (width < BAR_COLUMNS) return counted.slice(0, width - 1)
    const full = Math.round(Math.min(1, done / total) * BAR)
    const bar = '█'.repeat(full).padEnd(BAR, '░')
    const said = isKept && width > counted.length + BAR + STOPPING.length + 1 ? STOPPING : ''
    return `${stage.padEnd(10)} ${style.name(bar)} ${done}/${total}${style.dim(said)}`
  }
  return {
    report: (progress) => {
      const { stage, done, total } = progress
      const every = isTerminal ? EVERY_MS.terminal : EVERY_MS.elsewhere
      const isDue = performance.now() - told >= every || (isTerminal && done >= total)
      if (isSilent || total <= 0 || !isDue) return
      told = performance.now()
      isDrawn = isTerminal
      // The line before is written over, not wiped first, which would flicker.
      output.write(isTerminal ? `\r${line(progress)}\u001b[K` : `${stage} ${done}/${total}\n`)
    },
    clear: () => {
      if (isDrawn) output.write('\r\u001b[2K')
      isDrawn = false
    },
  }
}
