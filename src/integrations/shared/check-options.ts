import { ElfmemError } from '../../errors.ts'
import { boundScope } from '../../flow/engine/engine.ts'
import type { FramingOptions } from '../../frames/index.ts'
import { parseInput } from '../../operations/door.ts'
import { table } from '../../operations/table.ts'

/** The options of adapters that put frames into prompts. */
interface Framing extends Pick<FramingOptions, 'frame' | 'tokenBudget' | 'scope'> {
  readonly learn?: 'implicit' | 'off'
}

/**
 * Throws `INVALID_INPUT` for what is no open memory, such as a promise of one.
 *
 * @param method one that every memory has
 */
export function mustBeOpen(memory: unknown, method: 'recall' | 'items' | 'call'): void {
  if (typeof (Object(memory) as Readonly<Record<string, unknown>>)[method] === 'function') return
  throw new ElfmemError('INVALID_INPUT', 'That is no open memory.', {
    recovery: 'Pass what openMemory() resolves to; await it first.',
  })
}

/** Throws `INVALID_INPUT` for options with which each recall would fail, since a failure then only leaves the model without memory. */
export function mustFrame({ frame, tokenBudget, scope, learn = 'off' }: Framing): void {
  boundScope(scope)
  parseInput(table.recall, {
    ...(frame === undefined ? {} : { frame }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
  })
  if (learn !== 'off' && learn !== 'implicit')
    throw new ElfmemError('INVALID_INPUT', 'learn is implicit or off.', { recovery: 'Leave it out for off.' })
}
