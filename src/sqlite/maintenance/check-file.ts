import { Worker } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type CheckAnswer, checkHere, type FileCheck, type Found } from './checks.ts'
import { bytesOf } from './paths.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js',
  import.meta.url,
)

/** The check of a smaller file takes no longer than a thread to start: some 50 ms. */
const WORTH_A_THREAD_BYTES = 8 << 20

/** Checks a whole file while this thread goes on, where a thread can be had; throws `CANCELLED` when told to end. */
export async function checkFile<T extends FileCheck>(check: T, signal?: AbortSignal): Promise<Found<T>> {
  mustGoOn(signal)
  const bytes = bytesOf(check.path) + bytesOf(`${check.path}-wal`)
  if (bytes < WORTH_A_THREAD_BYTES) return checkHere(check)
  const answer = await answerOfThread(check, signal)
  mustGoOn(signal)
  // Whatever kept the thread from answering (a bundle without its file, no right to start one), the check must still be made.
  if (answer === undefined) return checkHere(check)
  if ('found' in answer) return answer.found as Found<T>
  const { error, code, recovery, details = {} } = answer.refused
  throw new ElfmemError(code, error, { recovery, details })
}

/** Nothing when there was no thread, or it ended without an answer; settles when the thread has let go of the file. */
function answerOfThread(check: FileCheck, signal: AbortSignal | undefined): Promise<CheckAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<CheckAnswer | undefined>()
  const thread = started(check)
  if (thread === undefined) return Promise.resolve(undefined)
  const end = () => void thread.terminate()
  let answer: CheckAnswer | undefined
  signal?.addEventListener('abort', end, { once: true })
  thread.on('message', (told: CheckAnswer) => {
    answer = told
  })
  // Its reason is met again where the check is done instead.
  thread.on('error', () => undefined)
  thread.on('exit', () => {
    signal?.removeEventListener('abort', end)
    resolve(answer)
  })
  return promise
}

function started(check: FileCheck): Worker | undefined {
  try {
    return new Worker(SCRIPT, {
      workerData: check,
      // Not the flags of this process, some of which forbid a file to start from; and what it warns of was said here.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      name: 'elfmem-check',
    })
  } catch {
    return undefined
  }
}

function mustGoOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', 'The check was cancelled.', {
      recovery: 'Call it again; nothing was changed.',
    })
}
