import { ElfmemError } from '../../errors.ts'

/** Does what is to be done for one of many; a refusal says for which, counted from 0. */
export function forItem<T>(index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw itemError(index, error)
  }
}

/** The same refusal, saying which of many it is about. */
function itemError(index: number, error: unknown): unknown {
  if (!ElfmemError.is(error)) return error
  return new ElfmemError(error.code, `blocks[${index}]: ${error.message}`, {
    recovery: error.recovery,
    details: { ...error.details, index },
    cause: error,
  })
}
