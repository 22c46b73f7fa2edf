import * as z from 'zod'
import type { CallContext } from '../call-context.ts'
import type { Operation } from '../operation.ts'
import { takenOptions } from '../schema-issue.ts'
import { boundItems, type Items, type ItemsOptions } from './bound-items.ts'
import { listItems } from './list-items.ts'
import { listNamespaces } from './list-namespaces.ts'
import { readItems } from './read-items.ts'
import { searchItems } from './search-items.ts'
import { writeItems } from './write-items.ts'

/** The records behind `memory.items`. `invoke` runs them as operations; no command and no tool is made of them. */
export const itemRecords = { writeItems, readItems, listItems, listNamespaces, searchItems } as const

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
