import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type StepAnswer, type StepOfFile, takeStep } from './steps.ts'

/** Takes the one step this thread was started for. */
function answerTo({ step, location }: StepOfFile): StepAnswer {
  try {
    takeStep(step, location)
    return {}
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON() }
  }
}

parentPort?.postMessage(answerTo(workerData as StepOfFile))
