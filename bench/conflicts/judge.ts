import { type ContradictionRule, contradictionBetween, readStatement } from '../../src/dream/contradiction.ts'
import { stemOf } from '../../src/language/question.ts'
import type { Half, LabelledPair } from './labelled.ts'
import { halfOf } from './labelled.ts'

/** A labelled pair and what the rules say of it. */
export interface JudgedPair {
  readonly half: Half
  readonly pair: LabelledPair
  readonly cosine: number
  /** Absent when the rules say nothing. */
  readonly rule?: ContradictionRule
  /** Whether it is labelled as a contradiction and found, or labelled otherwise and not found. */
  readonly right: boolean
}

/** How often something was said, and how often rightly, of so many times it should have been. */
export interface Counted {
  readonly found: number
  readonly right: number
  readonly wanted: number
  /** Of those wanted, found by whatever rule. */
  readonly met: number
}

/** Applies the rules to the pairs from a cosine on. */
export function judgePairs(
  pairs: readonly LabelledPair[],
  cosineOf: (pair: LabelledPair) => number,
  { cosineFloor }: { cosineFloor: number },
): JudgedPair[] {
  return pairs.map((pair) => {
    const cosine = cosineOf(pair)
    const [newer, older] = [readStatement(pair.newer, stemOf), readStatement(pair.older, stemOf)]
    const rule = cosine < cosineFloor ? undefined : contradictionBetween(newer, older)
    return {
      ...{ half: halfOf(pair), pair, cosine },
      ...(rule ? { rule } : {}),
      right: (rule !== undefined) === (pair.label === 'contradiction'),
    }
  })
}

/** Of one rule, or of all together. What a rule should find is labelled with it, whichever rule then finds it. */
export function count(judged: readonly JudgedPair[], rule?: ContradictionRule): Counted {
  const found = judged.filter((each) => each.rule !== undefined && (rule ?? each.rule) === each.rule)
  const wanted = judged.filter(
    ({ pair }) => pair.label === 'contradiction' && (rule === undefined || pair.rule === rule),
  )
  return {
    found: found.length,
    right: found.filter(({ right }) => right).length,
    wanted: wanted.length,
    met: wanted.filter(({ right }) => right).length,
  }
}

/** Returns every two of some texts, whatever their cosine, in which rules see a contradiction. */
export function findAmong(
  texts: readonly string[],
): (readonly [rule: ContradictionRule, newer: string, older: string])[] {
  const statements = texts.map((text) => readStatement(text, stemOf))
  return statements.flatMap((newer, i) =>
    statements.slice(0, i).flatMap((older, j) => {
      const rule = contradictionBetween(newer, older)
      return rule ? [[rule, texts[i] as string, texts[j] as string] as const] : []
    }),
  )
}
