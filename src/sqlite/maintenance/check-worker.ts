import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type CheckAnswer, checkHere, type FileCheck } from './checks.ts'

/** Does the one check this thread was started for. */
function answerTo(check: FileCheck): CheckAnswer {
  try {
    return { found: checkHere(check) }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON() }
  }
}

parentPort?.postMessage(answerTo(workerData as FileCheck))
