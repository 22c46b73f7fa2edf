import * as z from 'zod'
import { LABEL_END } from '../../block/item-place.ts'
import { isStorable } from '../../block/text.ts'
import { ITEM_BYTES, NAME_MAX } from '../../intake/check-input.ts'

/** Levels of lists and objects within each other in a value: deeper ones end the stack of whoever reads them. */
const DEPTH_MAX = 100

const name = z.string().min(1).max(NAME_MAX).refine(isStorable, 'holds a NUL or half a character')
const label = name.refine((text) => !text.includes(LABEL_END), 'holds the sign that ends a label, U+001F')

/** The name of a space. */
export const space = name.describe('What the item belongs to: the name of a program, or of a part of one')
/** The labels of a namespace. */
export const namespace = z
  .array(label)
  .max(1_000)
  .default([])
  .describe('Labels from the outermost to the innermost; none at the root of the space')
/** The key of an item. */
export const key = name.describe('Its name in the namespace; case counts')

/**
 * The schema of a value: any JSON but null, as it will be read again: what JSON cannot say is left out or refused before anything
 * is stored.
 */
export const value = z.unknown().transform((given, context): unknown => {
  if (given === undefined) return undefined
  const problem = problemOf(given)
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }
  const text = JSON.stringify(given)
  if (Buffer.byteLength(text) > ITEM_BYTES) {
    context.addIssue({ code: 'too_big', origin: 'file', maximum: ITEM_BYTES, input: given })
    return z.NEVER
  }
  return JSON.parse(text)
})

/** An item as an answer has it. */
export const item = z.object({
  space: z.string(),
  namespace: z.array(z.string()).readonly(),
  key: z.string(),
  value: z.unknown().describe('As it was put, read from JSON'),
  createdAt: z.string().describe('ISO-8601 UTC'),
  updatedAt: z.string().describe('ISO-8601 UTC'),
  version: z.int().describe('Counted from 1; each put adds one'),
})

function problemOf(given: unknown): string | undefined {
  try {
    const text = JSON.stringify(given)
    if (text === undefined || text === 'null')
      return 'is nothing that JSON can keep: an item has a value, and is deleted by delete'
    return isDeeper(given, DEPTH_MAX) ? `has more than ${DEPTH_MAX} levels` : undefined
  } catch {
    return 'is no JSON: it has a circle, too many levels, or a number that is no number of JSON'
  }
}

function isDeeper(given: unknown, levels: number): boolean {
  if (typeof given !== 'object' || given === null) return false
  return levels === 0 || Object.values(given).some((each) => isDeeper(each, levels - 1))
}
