import { parentPort, workerData } from 'node:worker_threads'
import { ElfmemError } from '../../errors.ts'
import { type CheckAnswer, checkHere, type FileCheck } from './checks.ts'

/** Does the one check this thread was started for. */
function answerTo(check: FileCheck): CheckAnswer {
  try {
    return { found: checkHere(check) }
  } catch (error) {
    return { refused: (ElfmemError.is(error) ? error : failed(check, error)).toJSON() }
  }
}

function failed({ path }: FileCheck, cause: unknown): ElfmemError {
  return new ElfmemError('STORE_FAILED', `The check of ${path} failed: ${(cause as Error).message}`, {
    recovery: 'Check that the file can be read and that the disk has room, then try again.',
    details: { path },
  })
}

parentPort?.postMessage(answerTo(workerData as FileCheck))
