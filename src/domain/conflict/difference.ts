import type { ConflictFacts, Term } from './facts.ts'

/** The one place where two statements differ; all before and behind it is said in the same words. */
export interface Difference {
  readonly before: readonly Term[]
  readonly newer: readonly Term[]
  readonly older: readonly Term[]
  readonly after: readonly Term[]
  readonly isIndefinite: boolean
}

/** Undefined when the statements are equal word by word. Cost: one pass. */
export function differenceOf(newer: ConflictFacts, older: ConflictFacts): Difference | undefined {
  const [one, other] = [newer.terms, older.terms]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start]?.key === other[start]?.key) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end)?.key === other.at(-1 - end)?.key) end++
  if (start + end === one.length && one.length === other.length) return undefined
  return {
    before: one.slice(0, start),
    newer: one.slice(start, one.length - end),
    older: other.slice(start, other.length - end),
    after: one.slice(one.length - end),
    isIndefinite: newer.isIndefinite || older.isIndefinite,
  }
}
