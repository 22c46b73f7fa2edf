import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { leaveDatabasesOpen } from './scan.ts'
import { type Step, takeStep } from './steps.ts'
import type { StepAnswer } from './take-step.ts'

const unclosed = leaveDatabasesOpen()

/** Takes the one step this thread was started for. */
function answerTo(step: Step): StepAnswer {
  try {
    return { done: takeStep(step), unclosed }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON(), unclosed }
  }
}

parentPort?.postMessage(answerTo(workerData as Step))
