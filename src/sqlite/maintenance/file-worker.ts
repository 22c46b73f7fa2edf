import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type FileWork, type WorkAnswer, workHere } from './file-work.ts'

/** Does the work this thread was started for. */
async function answerTo(work: FileWork): Promise<WorkAnswer> {
  try {
    return { result: await workHere(work) }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { refused: error.toJSON() }
  }
}

parentPort?.postMessage(await answerTo(workerData as FileWork))
