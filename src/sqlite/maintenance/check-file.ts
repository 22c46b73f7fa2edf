import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ElfmemError } from '../../errors.ts'
import { BEGUN, type CheckAnswer, checkHere, type FileCheck, type Found } from './checks.ts'
import { bytesOf } from './paths.ts'

const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './check-child.ts' : './check-child.js', import.meta.url),
)

/** The check of a smaller file of our own takes no longer than a process to start: some 100 ms. */
const WORTH_A_PROCESS_BYTES = 8 << 20

/** A check that takes longer is ended: a minute, and a second for every 2 MB, some twenty times what whole files take. */
const LEAST_LIMIT_MS = 60_000
const BYTES_PER_MS = 2_000

/** A busy machine may take so long to start a process. */
const START_MS = 30_000

/** Options of a check. */
interface CheckOptions {
  readonly signal?: AbortSignal | undefined
  /** True if somebody else may have made the file: whatever its size, its statements run where they can be ended. */
  readonly isForeign?: boolean
  /** The most milliseconds of the check; chosen by the size of the file by default. */
  readonly limitMs?: number
}

/**
 * Checks a whole file in a process of its own, which is killed at the limit and on request. If none can be started, a file
 * of our own is checked in this one.
 *
 * @throws `CANCELLED` when asked to end, `STORE_FAILED` at the limit, `STORE_CORRUPT` if the process dies of it
 */
export async function checkFile<T extends FileCheck>(
  check: T,
  { signal, isForeign = false, ...given }: CheckOptions = {},
): Promise<Found<T>> {
  mustGoOn(signal)
  const bytes = bytesOf(check.path) + bytesOf(`${check.path}-wal`)
  if (!isForeign && bytes < WORTH_A_PROCESS_BYTES) return checkHere(check)
  const limitMs = given.limitMs ?? LEAST_LIMIT_MS + bytes / BYTES_PER_MS
  const answer = await answerOfProcess(check, limitMs, signal)
  mustGoOn(signal)
  if (answer === 'too long') throw tooLong(check.path, limitMs)
  if (answer === 'died')
    throw new ElfmemError('STORE_CORRUPT', `The check of ${check.path} ended without an answer.`, {
      recovery: `The file may be damaged, or made to use up the memory of whoever reads it. Restore a backup.`,
      details: { path: check.path },
    })
  // A bundle without its file, no right to start one.
  if (answer === 'never begun') {
    if (isForeign) throw noProcess(check.path)
    return checkHere(check)
  }
  if ('found' in answer) return answer.found as Found<T>
  const { error, code, recovery, details = {} } = answer.refused
  throw new ElfmemError(code, error, { recovery, details })
}

/** The outcome of a process: an answer, or why there is none. */
type Outcome = CheckAnswer | 'too long' | 'died' | 'never begun'

/** Settles when the process has let go of the file. */
function answerOfProcess(
  check: FileCheck,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const child = started()
  if (child === undefined) return Promise.resolve('never begun')
  let outcome: Outcome = 'never begun'
  const end = () => void child.kill('SIGKILL')
  const tooLate = () => {
    outcome = 'too long'
    end()
  }
  // A process that is slow to start says nothing of the file.
  let limit = setTimeout(tooLate, START_MS + limitMs)
  signal?.addEventListener('abort', end, { once: true })
  const settle = () => {
    clearTimeout(limit)
    signal?.removeEventListener('abort', end)
    resolve(outcome)
  }
  child.on('message', (told) => {
    if (outcome === 'too long') return
    outcome = told === BEGUN ? 'died' : (told as CheckAnswer)
    clearTimeout(limit)
    if (told === BEGUN) limit = setTimeout(tooLate, limitMs)
  })
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

function noProcess(path: string): ElfmemError {
  return new ElfmemError(
    'STORE_FAILED',
    `${path} may be made by somebody else, and no process could be started to check it.`,
    {
      recovery: 'Let this program start processes, and run elfmem from its own files, not from a bundle.',
      details: { path },
    },
  )
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
