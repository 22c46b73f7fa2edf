import type { RecallCandidate } from '../../../../src/operations/methods.generated.ts'

type Numbered = Pick<RecallCandidate, 'id' | 'shown' | 'under'>

/**
 * The numbers of candidates: of an entry the one that stands before it in what the agent reads, of those that are left out the next
 * ones, in their order. What stands under another has none.
 */
export function numbersOf(candidates: readonly Numbered[]): ReadonlyMap<string, number> {
  const entries = candidates.filter(({ shown }) => shown === 'entry')
  const others = candidates.filter(({ shown, under }) => shown !== 'entry' && under === undefined)
  return new Map([...entries, ...others].map(({ id }, at) => [id, at + 1]))
}

/** A candidate as a reader finds it, `no. 3` or `one under no. 3`; undefined of anything else. */
export function numberWords(id: string, candidates: readonly Numbered[]): string | undefined {
  const numbers = numbersOf(candidates)
  const own = numbers.get(id)
  if (own !== undefined) return `no. ${own}`
  const above = numbers.get(candidates.find((each) => each.id === id)?.under?.id ?? '')
  return above === undefined ? undefined : `one under no. ${above}`
}
