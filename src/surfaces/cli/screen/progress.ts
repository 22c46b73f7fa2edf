import type { Progress } from '../../../engine/engine.ts'
import type { CliIo, TextOutput } from '../io.ts'
import { pageFor } from './style.ts'

/** The ways to show how far long work is. */
export interface ProgressLine {
  readonly report: (progress: Progress) => void
  readonly clear: () => void
}

/** The advice for work that may be stopped anywhere: the process may end by the signal before it can say anything. */
const STOPPING = '  Ctrl-C keeps that, the rest waits'
/** Milliseconds between two lines of progress. Away from a terminal short work prints none. */
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
    const counted = `${stage} ${done}/${total}`
    return isKept && width > counted.length + STOPPING.length ? counted + style.dim(STOPPING) : counted
  }
  return {
    report: (progress) => {
      const { stage, done, total } = progress
      const every = isTerminal ? EVERY_MS.terminal : EVERY_MS.elsewhere
      const isDue = performance.now() - told >= every || (isTerminal && done >= total)
      if (isSilent || total <= 0 || !isDue) return
      told = performance.now()
      isDrawn = isTerminal
      // The line is written over the one before, because wiping that first would flicker.
      output.write(isTerminal ? `\r${line(progress)}\u001b[K` : `${stage} ${done}/${total}\n`)
    },
    clear: () => {
      if (isDrawn) output.write('\r\u001b[2K')
      isDrawn = false
    },
  }
}
