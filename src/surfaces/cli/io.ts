import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../adapters/project/environment.ts'
import type { Capability } from '../../engine/engine.ts'

/** A stream the command line writes to. */
export interface TextOutput {
  write(text: string): void
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The parts of the process that a command uses. */
export interface CliIo {
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  /** The whole of standard input as text. */
  readonly readStdin: () => Promise<string>
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  /** Asks a question and resolves to the answer, an empty one when nobody answers any more; only where somebody sits at a terminal. */
  readonly ask?: (question: string) => Promise<string>
  /** The paths of Node and of the script by which this program was started, both absolute; absent if it was not started so. */
  readonly program?: readonly [node: string, script: string]
  /** The version of this package. */
  readonly version: string
  /**
   * Aborted when the user presses Ctrl-C or the process is asked to end. Who asks for it must come to an end then; until
   * somebody does, the process ends at once.
   */
  readonly signal?: AbortSignal
  /** Says how many milliseconds the command may take to end after it was asked to. */
  readonly endWithin?: (milliseconds: number) => void
  /** Streams that `serve` speaks over. */
  readonly streams: () => { readonly stdin: Readable; readonly stdout: Writable }
}

/** Options that every command understands besides its own. */
export interface GlobalOptions {
  readonly json: boolean
  readonly quiet: boolean
  /** A new memory may begin where there was one (`--new`). */
  readonly anew: boolean
  readonly db?: string | undefined
  /** The name of the memory in a database of many. */
  readonly memory?: string | undefined
  readonly config?: string | undefined
  /** The address of a service whose memory is meant, and the file that holds its token. */
  readonly url?: string | undefined
  readonly tokenFile?: string | undefined
  /** The capability of the command; the owner's unless given. */
  readonly as?: Capability | undefined
  /** A file of environment variables. */
  readonly envFile?: string | undefined
}

/** The exit code of a command that succeeded. */
export const EXIT_OK = 0
/** The exit code of a command that the memory refused, or that found a fault. */
export const EXIT_REFUSED = 1
/** Exit code when the command line was wrong. */
export const EXIT_USAGE = 2

/** True if an answer at a terminal agrees. */
export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer)
}

/** Resolves when a process is asked to end. */
export function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
