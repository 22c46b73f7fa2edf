import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../adapters/project/environment.ts'

/** A stream the command line writes to. */
export interface TextOutput {
  write(text: string): void
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Everything a command sees of the process that runs it. */
export interface CliIo {
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  /** The whole of standard input as text. */
  readonly readStdin: () => Promise<string>
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  /** The version of this package. */
  readonly version: string
  /** Aborted when the user presses Ctrl-C or the process is asked to end. */
  readonly signal?: AbortSignal
  /** What `serve` speaks over. */
  readonly streams: () => { readonly stdin: Readable; readonly stdout: Writable }
}

/** What every command understands besides its own options. */
export interface GlobalOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly db?: string
  readonly config?: string
}

export const EXIT_OK = 0
/** The memory said no, or what was looked at is not well. */
export const EXIT_REFUSED = 1
/** The command line was wrong. */
export const EXIT_USAGE = 2
