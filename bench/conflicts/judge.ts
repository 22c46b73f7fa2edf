import { type WordTagOptions, WordTags } from '../../src/domain/block/tags.ts'
import { CONFLICT_RULES, type ConflictRule } from '../../src/domain/conflict/conflict.ts'
import { ConflictReader } from '../../src/domain/conflict/reader.ts'
import { SlotReader } from '../../src/domain/conflict/slot/slot-reader.ts'
import { createLanguage, stemOf } from '../../src/search/language/choose.ts'
import type { Half, LabelledPair, LabelledText } from './labelled.ts'
import { halfOf } from './labelled.ts'

/** A labelled pair and what the rules say of it. */
export interface JudgedPair {
  readonly half: Half
  readonly pair: LabelledPair
  readonly cosine: number
  /** Absent when the rules say nothing. */
  readonly rule?: ConflictRule
  /** Whether what they say is the label; saying nothing is right for none. */
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

/** As a dream compares statements. */
function openReader(): ConflictReader {
  const slots = new SlotReader(createLanguage('auto'), stemOf)
  return new ConflictReader(stemOf, (newer, older) => slots.areOfSame(newer, older))
}

/** What all rules, or those given, say of the pairs. */
export function judgePairs(
  pairs: readonly LabelledPair[],
  cosineOf: (pair: LabelledPair) => number,
  { cosineFloor, rules = CONFLICT_RULES }: { cosineFloor: number; rules?: readonly ConflictRule[] },
): JudgedPair[] {
  const reader = openReader()
  const statementOf = (content: string) => reader.statement({ id: content, content })
  return pairs.map((pair) => {
    const cosine = cosineOf(pair)
    const conflict = reader.between(statementOf(pair.newer), statementOf(pair.older), {
      cosine,
      cosineFloor,
      rules,
    })
    return {
      half: halfOf(pair),
      pair,
      cosine,
      ...(conflict ? { rule: conflict.rule } : {}),
      right: (conflict?.kind ?? 'none') === pair.label,
    }
  })
}

/** Of one rule, or of all together. What a rule should find is labelled with it, whichever rule then finds it. */
export function count(judged: readonly JudgedPair[], rule?: ConflictRule): Counted {
  const found = judged.filter((each) => each.rule !== undefined && (rule ?? each.rule) === each.rule)
  const wanted = judged.filter(
    ({ pair }) => pair.label !== 'none' && (rule === undefined || pair.rule === rule),
  )
  return {
    found: found.length,
    right: found.filter(({ right }) => right).length,
    wanted: wanted.length,
    met: wanted.filter(({ right }) => right).length,
  }
}

/** Tags given by words, counted over texts. */
export function countTags(texts: readonly LabelledText[], options: WordTagOptions): Counted {
  let [found, right, wanted] = [0, 0, 0]
  for (const { content, known, deserved } of texts) {
    const given = new WordTags(stemOf, options).add(known).tagsOf(content)
    found += given.length
    right += given.filter((tag) => deserved.includes(tag)).length
    wanted += deserved.length
  }
  return { found, right, wanted, met: right }
}

/** Every two of some texts, in both orders and whatever their cosine, in which rules see a conflict. */
export function findAmong(
  texts: readonly string[],
): (readonly [rule: ConflictRule, newer: string, older: string])[] {
  const reader = openReader()
  const statementOf = (content: string) => reader.statement({ id: content, content })
  return texts.flatMap((newer, i) =>
    texts.flatMap((older, j) => {
      const conflict = i === j ? undefined : reader.between(statementOf(newer), statementOf(older), ANY)
      return conflict ? [[conflict.rule, newer, older] as const] : []
    }),
  )
}

const ANY = { cosine: 1, cosineFloor: 0, rules: CONFLICT_RULES }
