import type { CallContext as AnyCallContext } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'

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

/** Throws `INVALID_INPUT` for a key that no call can have. */
export function mustBeKey(once: string): void {
  if (/^[\x21-\x7e]{1,128}$/.test(once)) return
  throw new ElfmemError('INVALID_INPUT', 'The key of the call is none that can be used.', {
    recovery: 'Give it 1 to 128 visible characters of ASCII, such as a random UUID.',
  })
}
