import { ElfmemError } from '../../errors.ts'

/** Hears of a failure of the memory; throws to refuse the call of the model. */
export type OnMemoryError = (error: unknown) => void

/** Messages of failures that this process was warned of. */
const warned = new Set<string>()
const WARNED_MOST = 100

/**
 * Returns the result of some work of the memory. If it fails, the model is called without it, once that was reported: a memory that is
 * closed or busy ends no conversation. A call that was cancelled stays so.
 *
 * @param onError a warning of the process unless given, each once
 */
export async function orWithout<T>(
  work: () => Promise<T>,
  otherwise: T,
  onError: OnMemoryError = warn,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (ElfmemError.is(error) && error.code === 'CANCELLED') throw error
    onError(error)
    return otherwise
  }
}

function warn(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  if (warned.has(message) || warned.size >= WARNED_MOST) return
  warned.add(message)
  process.emitWarning(`A model was called without its memory: ${message}`, 'ElfmemWarning')
}
