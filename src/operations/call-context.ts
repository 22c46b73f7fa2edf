import type { CallContext as AnyCallContext } from '../engine/engine.ts'

/** Options of one call. */
export interface CallContext {
  /** Ends the call early, with `CANCELLED`; what was written before stays. */
  readonly signal?: NonNullable<AnyCallContext['signal']>
  /** Standard input and output of a program that passes them to `export` and `import`. */
  readonly pipe?: NonNullable<AnyCallContext['pipe']>
  /** Called while a long call goes on. */
  readonly progress?: NonNullable<AnyCallContext['progress']>
  /** The name of whom the program calls for; the log has `library:<actor>`. */
  readonly actor?: string
  /** A key of up to 128 visible characters of ASCII: a write that is called again with it is done once, and answered as before. */
  readonly once?: string
}
