import { appendFile } from 'node:fs/promises'
import type { LogEvent, Logger } from '../../engine/ports.ts'

/** The least urgent level that is written, and the form and place of the lines. */
export interface LoggerOptions {
  readonly level: Logger['level']
  readonly format: 'text' | 'json'
  /** Appended to; without one events go to standard error. */
  readonly file?: string | undefined
  /** ISO-8601 UTC of now. */
  readonly timestamp: () => string
}

const RANK = { off: 0, error: 1, info: 2, debug: 3 } as const

/** Writes one line an event. A line that cannot be written is dropped: logging never breaks an operation. */
export function createLogger({ level, format, file, timestamp }: LoggerOptions): Logger {
  const write = file === undefined ? toStandardError : createAppender(file)
  return {
    level,
    log: (event) => {
      if (RANK[event.level] > RANK[level]) return
      const stamped = { timestamp: timestamp(), ...event }
      write(`${format === 'json' ? JSON.stringify(stamped) : textLine(stamped)}\n`)
    },
  }
}

/** Creates a function that appends one line after the other, in the order of the events. */
function createAppender(file: string): (line: string) => void {
  let last = Promise.resolve()
  return (line) => {
    last = last.then(() => appendFile(file, line, { mode: 0o600 })).catch(() => undefined)
  }
}

function toStandardError(line: string): void {
  process.stderr.write(line)
}

function textLine(event: LogEvent & { readonly timestamp: string }): string {
  const { timestamp, level, operation, outcome, milliseconds, actor, session, detail } = event
  const parts = [timestamp, level, operation, outcome, `${milliseconds.toFixed(1)}ms`, actor]
  return [
    ...parts,
    ...(session === undefined ? [] : [session]),
    ...(detail === undefined ? [] : [detail]),
  ].join(' ')
}
