import type { CallContext as AnyCallContext } from '../flow/engine/engine.ts'

/** Options of one call. */
export interface CallContext extends Pick<AnyCallContext, 'signal' | 'pipe' | 'progress'> {
  /** For whom the program calls, in the log: `library:<actor>`. */
  readonly actor?: string
}
