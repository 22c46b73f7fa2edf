import * as z from 'zod'
import { scopeName } from '../../engine/settings.ts'
import { ElfmemError } from '../../errors.ts'
import { takenOptions } from '../../operations/schema-issue.ts'
import { table } from '../../operations/table.ts'

const { frame, tokenBudget } = table.recall.input.shape

/** The schemas of options that several adapters take. */
export const taken = {
  frame: frame.optional(),
  tokenBudget: tokenBudget.optional(),
  scope: scopeName.optional(),
  learn: z.enum(['implicit', 'off']).optional(),
  flag: z.boolean().optional(),
  text: z.string().optional(),
  anything: z.unknown().optional(),
  callback: z.custom((given) => typeof given === 'function', 'must be a function').optional(),
  capture: z
    .custom((given) => ['boolean', 'function'].includes(typeof given), 'must be on, off or a function')
    .optional(),
}

/** An adapter: the name of the function or class, an option that works, and a method that its memory has. */
interface Maker<Options extends object> {
  readonly maker: string
  readonly example: string
  readonly needs: 'recall' | 'items' | 'call'
  readonly shape: { readonly [Name in keyof Required<Options>]: z.ZodType }
}

/**
 * Throws `INVALID_INPUT` if the memory is not open, such as a promise, and for options that are unknown or cannot work:
 * with a mistyped option a model would be called without its memory, and nobody would hear why.
 */
export function mustWork<Options extends object>(
  memory: object,
  options: Options,
  { maker, example, needs, shape }: Maker<Options>,
): void {
  if (typeof (Object(memory) as Readonly<Record<string, unknown>>)[needs] !== 'function')
    throw new ElfmemError('INVALID_INPUT', 'That is no open memory.', {
      recovery: 'Pass what openMemory() resolves to; await it first.',
    })
  takenOptions(options, { maker, schema: z.strictObject(shape), example: `${maker}(memory, ${example})` })
  const { principal } = memory as { readonly principal?: { readonly capability: string } }
  const { trustUser = false } = options as { readonly trustUser?: boolean }
  if (trustUser && principal !== undefined && principal.capability !== 'owner')
    throw new ElfmemError(
      'INVALID_INPUT',
      'trustUser keeps messages as the owner’s own words, which only the owner may say.',
      { recovery: "Open the memory with { as: 'owner' }, or leave trustUser out." },
    )
}
