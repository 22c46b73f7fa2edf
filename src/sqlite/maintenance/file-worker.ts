import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type FileWork, type WorkAnswer, workHere } from './file-work.ts'

/** Does the work this thread was started for. */
function answerTo(work: FileWork): WorkAnswer {
  try {
    return { result: workHere(work) }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON() }
  }
}

parentPort?.postMessage(answerTo(workerData as FileWork))
