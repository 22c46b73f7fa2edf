import * as z from 'zod'
import { boundScope } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { FramingOptions } from '../../frames/index.ts'
import { parseInput } from '../../operations/door.ts'
import { takenOptions } from '../../operations/schema-issue.ts'
import { table } from '../../operations/table.ts'

/** The options of adapters that put frames into prompts. */
interface Framing extends Pick<FramingOptions, 'frame' | 'tokenBudget' | 'scope'> {
  readonly learn?: 'implicit' | 'off'
}

/**
 * Throws `INVALID_INPUT` if the value is no open memory, such as a promise of one.
 *
 * @param method one that every memory has
 */
export function mustBeOpen(memory: unknown, method: 'recall' | 'items' | 'call'): void {
  if (typeof (Object(memory) as Readonly<Record<string, unknown>>)[method] === 'function') return
  throw new ElfmemError('INVALID_INPUT', 'That is no open memory.', {
    recovery: 'Pass what openMemory() resolves to; await it first.',
  })
}

/** The kinds of options that are looked at by their names alone or by little more; what an option takes may be looked at further on. */
export const taken = {
  anything: z.unknown().optional(),
  flag: z.boolean().optional(),
  text: z.string().optional(),
  callback: z.custom((given) => typeof given === 'function', 'must be a function').optional(),
  capture: z
    .custom((given) => ['boolean', 'function'].includes(typeof given), 'must be on, off or a function')
    .optional(),
  oneOf: (...words: [string, ...string[]]) => z.enum(words).optional(),
  names: z.array(z.string()).optional(),
}

/** A schema for each option that there is. */
type Shape<Options> = { readonly [Name in keyof Required<Options>]: z.ZodType }

/**
 * Throws `INVALID_INPUT` for options that are none, with the nearest name, as operations refuse their arguments: a mistyped one
 * would leave off what it was to switch on.
 *
 * @param maker the name of the function or class that takes them
 * @param example a call that works
 */
export function mustTake<Options extends object>(
  maker: string,
  options: Options,
  { shape, example }: { readonly shape: Shape<Options>; readonly example: string },
): void {
  takenOptions(options, { maker, schema: z.strictObject(shape), example })
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
