import { Worker } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { countsOf, emptyLog, lookAt, rewrite, verifyCopy } from './checks.ts'
import { bytesOf } from './paths.ts'

/** The kinds of work that read or write a whole file, and so may take seconds. */
const KINDS = { look: lookAt, verify: verifyCopy, count: countsOf, room: rewrite, log: emptyLog }

type Kinds = typeof KINDS

/** One piece of work and what it needs. */
export type FileWork = {
  [Does in keyof Kinds]: { readonly does: Does } & Parameters<Kinds[Does]>[0]
}[keyof Kinds]

type Result<T extends FileWork> = Awaited<ReturnType<Kinds[T['does']]>>

/** Message of a thread: the result of its work, or a refusal in plain data. */
export type WorkAnswer =
  | { readonly result: Result<FileWork> }
  | { readonly refused: ReturnType<ElfmemError['toJSON']> }

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './file-worker.ts' : './file-worker.js',
  import.meta.url,
)

/** The size of a file from which work takes longer than the start of a thread: some 50 ms. */
const WORTH_A_THREAD_BYTES = 8 << 20

/**
 * Does work on a whole file: in a thread of its own if the file is large, so that others get their turn, else in this one.
 *
 * @throws `CANCELLED` as soon as the signal says so; a statement that runs in the thread ends by itself
 */
export async function workOnFile<T extends FileWork>(work: T, signal?: AbortSignal): Promise<Result<T>> {
  mustGoOn(signal)
  const isLarge = bytesOf(work.path) + bytesOf(`${work.path}-wal`) >= WORTH_A_THREAD_BYTES
  const answer = isLarge ? await answerOfThread(work, signal) : undefined
  mustGoOn(signal)
  // Without an answer of the thread the work is done here, perhaps again. A bundle may lack the file of the thread.
  if (answer === undefined) return workHere(work)
  if ('result' in answer) return answer.result as Result<T>
  const { error, code, recovery, details = {} } = answer.refused
  throw new ElfmemError(code, error, { recovery, details })
}

/** Does work in this very thread. */
export async function workHere<T extends FileWork>(work: T): Promise<Result<T>> {
  const does: (work: never) => unknown = KINDS[work.does]
  return (await does(work as never)) as Result<T>
}

/** Resolves to undefined if the thread does not start, fails, or is no longer waited for. */
function answerOfThread(work: FileWork, signal: AbortSignal | undefined): Promise<WorkAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<WorkAnswer | undefined>()
  const thread = new Worker(SCRIPT, {
    workerData: work,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    name: 'elfmem-file',
  })
  const leave = () => {
    void thread.terminate()
    resolve(undefined)
  }
  signal?.addEventListener('abort', leave, { once: true })
  thread.once('message', resolve)
  thread.once('error', () => resolve(undefined))
  thread.once('exit', () => resolve(undefined))
  return promise.finally(() => signal?.removeEventListener('abort', leave))
}

function mustGoOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ElfmemError('CANCELLED', 'The check was cancelled.', {
      recovery: 'Call it again; nothing was changed.',
    })
}
