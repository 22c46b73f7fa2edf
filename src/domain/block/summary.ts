import { factsOf } from '../text/facts.ts'
import { codePointLength } from '../text/text.ts'

/** A summary may be this much longer than what it sums up. */
const LENGTH_FACTOR = 1.2
/** And at least so long, in code points. */
const LENGTH_FLOOR = 80

/**
 * True if a summary may be kept: it has every number of the content and none that is not there, every name, and is not
 * longer. A digest that loses or invents a fact misleads more than none, since the content is found by its own words.
 */
export function isFaithful(summary: string, content: string, stem: (word: string) => string): boolean {
  const room = Math.max(LENGTH_FLOOR, codePointLength(content) * LENGTH_FACTOR)
  if (summary.trim() === '' || codePointLength(summary) > room) return false
  const said = factsOf(summary, stem)
  const meant = factsOf(content, stem)
  const words = new Set(summary.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  const namesThere = meant.names.every((name) => parts(name).every((part) => words.has(part)))
  return namesThere && sameSet(said.numbers.map(bare), meant.numbers.map(bare))
}

function parts(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Digits alone: "4,210" and "4210" are one number, "5km" and "5 km" too. */
function bare(number: string): string {
  return number.replaceAll(/\D/g, '')
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)]
  return a.size === b.size && [...a].every((each) => b.has(each))
}
