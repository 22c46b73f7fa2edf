import { dream } from './dream.ts'
import type { Operation } from './operation.ts'
import { recall } from './recall.ts'

/** The order is the order of the data's way, and of every help page. */
export const table = {
  dream,
  recall,
} as const

/** The same as a list. */
export const operations: readonly Operation[] = Object.values(table)
