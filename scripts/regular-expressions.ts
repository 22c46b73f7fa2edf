import { join } from 'node:path'
import { type Expression, findExpressions, sourceFiles } from './regular-expressions/find.ts'
import { recordMade } from './regular-expressions/made.ts'
import { textOf, verdictsOn } from './regular-expressions/verdicts.ts'

/**
 * Checks that no regular expression of `src/` takes more than linear time, whatever text it is given, with `recheck`.
 * One that does needs a comment above it, `Bounded: …`, that says why the text or the steps are bounded there; none may
 * take exponential time. What was found safe is kept in `.cache`, so that the next run takes a second.
 */
const root = join(import.meta.dirname, '..')
const { literals, made } = findExpressions(root)
const recorded = await recordMade(root, sourceFiles(root), makeLateOnes)
const unseen = [...made.keys()].filter((place) => !recorded.some((each) => each.place === place))
const expressions: Expression[] = [
  ...literals,
  ...recorded
    .filter(({ place }) => made.has(place))
    .map((each) => ({ ...each, ...boundedAt(made.get(each.place)) })),
]
const verdicts = await verdictsOn(expressions, join(root, '.cache/regular-expressions.json'))
const refused = expressions.filter((each) => {
  const verdict = verdicts.get(textOf(each))
  if (verdict?.status === 'safe') return false
  return each.bounded === undefined || verdict?.growth === 'exponential'
})
for (const each of refused) {
  const { growth, attack } = verdicts.get(textOf(each)) ?? { growth: 'unknown' }
  console.error(`${each.place}: ${growth}: ${textOf(each)}${attack === undefined ? '' : `\n  on ${attack}`}`)
}
for (const place of unseen)
  console.error(`${place}: the expression made here was not seen; make it in scripts/regular-expressions.ts.`)
const excepted =
  expressions.filter((each) => verdicts.get(textOf(each))?.status !== 'safe').length - refused.length
console.log(`${expressions.length} regular expressions, ${excepted} with a bound, ${refused.length} refused`)
// The checker's own process would go on.
process.exit(refused.length + unseen.length > 0 ? 1 : 0)

function boundedAt(bounded: string | undefined): { bounded?: string } {
  return bounded === undefined ? {} : { bounded }
}

/** Calls what makes an expression only when it is called. */
async function makeLateOnes(load: (file: string) => Promise<Record<string, unknown>>): Promise<void> {
  const { createEnglish } = (await load('src/search/language/english.ts')) as {
    createEnglish: () => { namesBoth(question: string, one: string, other: string): boolean }
  }
  createEnglish().namesBoth('Who are Ana and Ben?', 'ana', 'ben')
}
