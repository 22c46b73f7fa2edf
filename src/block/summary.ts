import { type Mark, marksOf } from './facts.ts'
import { codePointLength } from './text.ts'

/** A summary may be this much longer than what it sums up. */
const LENGTH_FACTOR = 1.2
/** And at least so long, in code points. */
const LENGTH_FLOOR = 80

/**
 * True if a summary may be kept: it has every number, name and negation of the content, each as often, none that is not
 * there, and is not longer. Names and numbers each stand in the same order, with the negations among them. A digest that
 * loses, turns round or invents a fact misleads more than none, since the content is found by its own words. What other
 * words say is not compared.
 */
export function isFaithful(summary: string, content: string): boolean {
  const room = Math.max(LENGTH_FLOOR, codePointLength(content) * LENGTH_FACTOR)
  if (summary.trim() === '' || codePointLength(summary) > room) return false
  const [said, meant] = [marksOf(summary), marksOf(content)]
  const isName = nameIn(said, meant)
  return [isName, ({ kind }: Mark) => kind === 'number'].every((wanted) => {
    const [one, other] = [said, meant].map((marks) =>
      marks.filter((mark) => mark.kind === 'negation' || wanted(mark)).map(({ key }) => key),
    )
    return one?.join('\n') === other?.join('\n')
  })
}

/** Tells names: a capital at the start of a sentence is one if it is elsewhere, or stands in both texts. */
function nameIn(one: readonly Mark[], other: readonly Mark[]): (mark: Mark) => boolean {
  const keysOf = (marks: readonly Mark[]) => new Set(marks.map(({ key }) => key))
  const [first, second] = [keysOf(one), keysOf(other)]
  const names = keysOf([...one, ...other].filter(({ kind }) => kind === 'name'))
  return ({ key, kind }) =>
    kind === 'name' || (kind === 'capital' && (names.has(key) || (first.has(key) && second.has(key))))
}
