import * as z from 'zod'
import type { CallContext } from '../call-context.ts'
import type { Operation } from '../operation.ts'
import { takenOptions } from '../schema-issue.ts'
import { boundItems, type Items, type ItemsOptions } from './bound-items.ts'
import { itemRecords } from './records.ts'

const itemsOptions = z.strictObject({ scope: z.unknown().optional(), undoable: z.boolean().optional() })

type Call = (operation: Operation, input: unknown, context?: CallContext) => Promise<unknown>

/** Returns the items of a space whose calls are calls of these records. Throws `INVALID_INPUT` for options that there are not. */
export function itemsOf(call: Call, space: string, options: ItemsOptions): Items {
  const example = "memory.items('notes', { undoable: false })"
  takenOptions(options, { maker: 'items', schema: itemsOptions, example })
  return boundItems(
    (name, input, context) => call(itemRecords[name] as unknown as Operation, input, context),
    space,
    options,
  )
}
