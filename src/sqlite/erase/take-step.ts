import { Worker } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { bytesOf } from '../maintenance/paths.ts'
import { type Step, type StepAnswer, type StepOfFile, takeStep } from './steps.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './erase-worker.ts' : './erase-worker.js',
  import.meta.url,
)

/** The size of a file from which a step takes longer than the start of a thread: some 50 ms. */
const WORTH_A_THREAD_BYTES = 8 << 20

/** Takes a step in a thread of its own if the file is large and a thread can be started; else in this one. */
export async function stepBeside(step: Step, location: string): Promise<void> {
  if (bytesOf(location) + bytesOf(`${location}-wal`) < WORTH_A_THREAD_BYTES) return takeStep(step, location)
  const answer = await answerOfThread({ step, location })
  // Whatever kept the thread from answering, the step must still be taken; each may be taken twice.
  if (answer === undefined) return takeStep(step, location)
  if (answer.refused === undefined) return
  const { error, code, recovery, details = {} } = answer.refused
  throw new ElfmemError(code, error, { recovery, details })
}

function answerOfThread(workerData: StepOfFile): Promise<StepAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<StepAnswer | undefined>()
  let answer: StepAnswer | undefined
  try {
    const thread = new Worker(SCRIPT, {
      workerData,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      name: 'elfmem-erase',
    })
    thread.on('message', (told: StepAnswer) => {
      answer = told
    })
    // Its reason is met again where the step is taken instead.
    thread.on('error', () => undefined)
    thread.on('exit', () => resolve(answer))
  } catch {
    resolve(undefined)
  }
  return promise
}
