import type { Progress } from '../../../engine/engine.ts'
import type { CliIo, TextOutput } from '../io.ts'
import { pageFor } from './style.ts'

/** A bar of `width` cells, filled by eighths. */
function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const full = '█'.repeat(Math.floor(eighths / 8))
  const part = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? ''
  return (full + part).padEnd(width, '░')
}

/** The ways to show how far long work is. */
export interface ProgressLine {
  readonly report: (progress: Progress) => void
  readonly clear: () => void
}

const BAR_MOST = 24
/** A bar shorter than this says less than the numbers beside it. */
const BAR_LEAST = 6
/** The advice for work that may be stopped anywhere: the process may end by the signal before it can say anything. */
const STOPPING = '  Ctrl-C keeps that, the rest waits'
/** A line is drawn again at most so often, since more cannot be read. */
const REDRAW_MS = 100
/** Milliseconds between two lines of progress without a terminal; short work prints none. */
const LINE_MS = 5_000

/** Shows progress: on a terminal one line that is rewritten and at last wiped away, elsewhere a line now and then about long work. */
export function progressLine(
  output: TextOutput,
  io: Pick<CliIo, 'env'>,
  { isSilent }: { readonly isSilent: boolean },
): ProgressLine {
  if (isSilent) return { report: () => undefined, clear: () => undefined }
  return output.isTTY === true ? drawn(output, io) : written(output)
}

function drawn(output: TextOutput, io: Pick<CliIo, 'env'>): ProgressLine {
  const { style, width } = pageFor(output, io)
  let last: { readonly line: string; readonly at: number } | undefined
  return {
    report: ({ stage, done, total, isKept }) => {
      if (total <= 0) return
      const at = performance.now()
      if (last !== undefined && done < total && at - last.at < REDRAW_MS) return
      const [name, counted] = [stage.padEnd(10), `${done}/${total}`]
      // The last column stays free: some terminals begin a new line there.
      const room = width - 1 - name.length - counted.length - 2
      const said = isKept && room - STOPPING.length >= BAR_LEAST ? STOPPING : ''
      const cells = Math.min(BAR_MOST, room - said.length)
      const line =
        cells < BAR_LEAST
          ? `${stage} ${counted}`.slice(0, width - 1)
          : `${name} ${style.name(bar(done / total, cells))} ${counted}${style.dim(said)}`
      if (line === last?.line) return
      last = { line, at }
      // What was there is written over, not wiped first, which would flicker.
      output.write(`\r${line}\u001b[K`)
    },
    clear: () => {
      if (last !== undefined) output.write('\r\u001b[2K')
      last = undefined
    },
  }
}

function written(output: TextOutput): ProgressLine {
  let told = performance.now()
  return {
    report: ({ stage, done, total }) => {
      if (total <= 0 || performance.now() - told < LINE_MS) return
      told = performance.now()
      output.write(`${stage} ${done}/${total}\n`)
    },
    clear: () => undefined,
  }
}
