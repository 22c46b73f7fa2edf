import { ElfmemError } from '../../errors.ts'
import { BEGUN, type CheckAnswer, checkHere, type FileCheck } from './checks.ts'

/** Answers one check in a process of its own, which can be killed while a statement runs. */
process.once('message', (check: FileCheck) => {
  process.send?.(BEGUN, () => process.send?.(answerTo(check), () => process.disconnect()))
})

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
