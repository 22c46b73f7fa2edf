import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ElfmemError } from '../../errors.ts'
import { type CheckAnswer, checkHere, type FileCheck, type Found } from './checks.ts'
import { bytesOf } from './paths.ts'

const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './check-child.ts' : './check-child.js', import.meta.url),
)

/** The check of a smaller file of our own takes no longer than a process to start: some 100 ms. */
const WORTH_A_PROCESS_BYTES = 8 << 20

/** A check that takes longer is ended: a minute, and a second for every 2 MB, some twenty times what whole files take. */
const LEAST_LIMIT_MS = 60_000
const BYTES_PER_MS = 2_000

/** Options of a check. */
interface CheckOptions {
  readonly signal?: AbortSignal | undefined
  /** Somebody else may have made the file: whatever its size, its statements run where they can be ended. */
  readonly isForeign?: boolean
}

/**
 * Checks a whole file in a process of its own, which ends with this one, at the limit and when told to.
 *
 * @throws `CANCELLED` when told to end, `STORE_FAILED` at the limit
 */
export async function checkFile<T extends FileCheck>(
  check: T,
  { signal, isForeign = false }: CheckOptions = {},
): Promise<Found<T>> {
  mustGoOn(signal)
  const bytes = bytesOf(check.path) + bytesOf(`${check.path}-wal`)
  if (!isForeign && bytes < WORTH_A_PROCESS_BYTES) return checkHere(check)
  const limitMs = LEAST_LIMIT_MS + bytes / BYTES_PER_MS
  const answer = await answerOfProcess(check, limitMs, signal)
  mustGoOn(signal)
  if (answer === 'too long') throw tooLong(check.path, limitMs)
  // Whatever kept the process from answering (a bundle without its file, no right to start one), the check must still be made.
  if (answer === undefined) return checkHere(check)
  if ('found' in answer) return answer.found as Found<T>
  const { error, code, recovery, details = {} } = answer.refused
  throw new ElfmemError(code, error, { recovery, details })
}

/** Nothing when there was no process, or it ended without an answer; settles when it has let go of the file. */
function answerOfProcess(
  check: FileCheck,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<CheckAnswer | 'too long' | undefined> {
  const { promise, resolve } = Promise.withResolvers<CheckAnswer | 'too long' | undefined>()
  const child = started()
  if (child === undefined) return Promise.resolve(undefined)
  let answer: CheckAnswer | 'too long' | undefined
  const end = () => void child.kill('SIGKILL')
  const limit = setTimeout(() => {
    answer = 'too long'
    end()
  }, limitMs)
  signal?.addEventListener('abort', end, { once: true })
  const settle = () => {
    clearTimeout(limit)
    signal?.removeEventListener('abort', end)
    resolve(answer)
  }
  child.on('message', (told) => {
    answer = told as CheckAnswer
  })
  // Its reason is met again where the check is done instead.
  child.once('error', settle)
  child.once('exit', settle)
  child.send(check, () => undefined)
  return promise
}

function started(): ChildProcess | undefined {
  try {
    return fork(SCRIPT, {
      // Not the flags of this process, some of which forbid a file to start from; and what it warns of was said here.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
  } catch {
    return undefined
  }
}

function tooLong(path: string, limitMs: number): ElfmemError {
  return new ElfmemError(
    'STORE_FAILED',
    `The check of ${path} was ended after ${Math.round(limitMs / 1000)} s: a file of its size takes a fraction of that.`,
    { recovery: 'Restore a backup that is yours, or check the disk.', details: { path } },
  )
}

function mustGoOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', 'The check was cancelled.', {
      recovery: 'Call it again; nothing was changed.',
    })
}
