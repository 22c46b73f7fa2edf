import { ElfmemError } from '../../../../errors.ts'
import { harmlessLine } from '../../../../operations/wording.ts'

/** The refusal of a place in the user's folder where what was done to clients is to be kept. */
export function unwritable(file: string, cause: unknown): ElfmemError {
  return new ElfmemError(
    'STORE_FAILED',
    harmlessLine(`${file} cannot be written: ${(cause as Error).message}.`),
    {
      recovery: 'Give this user write access to the folder .elfmem in the home directory.',
      details: { file },
      cause,
    },
  )
}
