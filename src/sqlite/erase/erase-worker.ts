import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type Step, takeStep } from './steps.ts'
import type { StepAnswer } from './take-step.ts'

/** Takes the one step this thread was started for. */
function answerTo(step: Step): StepAnswer {
  try {
    return { done: takeStep(step) }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON() }
  }
}

parentPort?.postMessage(answerTo(workerData as Step))
