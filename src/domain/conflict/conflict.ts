import { type ContradictionRule, contradictionIn, differenceOf } from './contradiction.ts'
import type { ConflictFacts } from './facts.ts'
import { supersedes } from './supersession.ts'

/** All rules there are; `supersession` needs words of change in the newer statement, the others near-duplicates. */
export const CONFLICT_RULES = [
  'negation',
  'date',
  'number',
  'antonym',
  'replacement',
  'supersession',
] as const satisfies readonly (ContradictionRule | 'supersession')[]

/** The rule that found a conflict. */
export type ConflictRule = (typeof CONFLICT_RULES)[number]

/** Two statements that cannot both hold. */
export interface Conflict {
  /** `supersession` when the newer says that something changed: it may take the older's place, if somebody agrees. */
  readonly kind: 'contradiction' | 'supersession'
  readonly rule: ConflictRule
  /** The mean of the cosine and the share of words that agree; 0..1. */
  readonly score: number
}

/** Options of `conflictBetween`. */
export interface ConflictOptions {
  /** Cosine below which two statements are about different things. */
  readonly cosineFloor: number
  /** Rules to apply; the others find nothing. */
  readonly rules: readonly ConflictRule[]
}

/**
 * Returns the conflict of two statements as far as their words tell; undefined when in doubt. Finds a
 * contradiction in both orders. Questions, requests and suppositions have none. Cost: linear in the words.
 */
export function conflictBetween(
  newer: ConflictFacts,
  older: ConflictFacts,
  { cosine }: { readonly cosine: number },
  { cosineFloor, rules }: ConflictOptions,
): Conflict | undefined {
  if (!(cosine >= cosineFloor) || !newer.isClaim || !older.isClaim) return undefined
  const difference = differenceOf(newer, older)
  if (difference === undefined) return undefined
  const found = (kind: Conflict['kind'], rule: ConflictRule): Conflict => ({
    kind,
    rule,
    score: Math.min(1, Math.max(0, (cosine + agreementOf(newer, older)) / 2)),
  })
  if (rules.includes('supersession') && supersedes(newer, older)) return found('supersession', 'supersession')
  if (newer.isMomentary || older.isMomentary) return undefined
  const rule = contradictionIn(difference, (each) => rules.includes(each))
  return rule && found('contradiction', rule)
}

/** Returns the share of the richer statement's different words that both statements have, 0..1. */
function agreementOf(one: ConflictFacts, other: ConflictFacts): number {
  const [ours, theirs] = [keysOf(one), keysOf(other)]
  const shared = [...ours].filter((key) => theirs.has(key)).length
  return shared / Math.max(ours.size, theirs.size, 1)
}

function keysOf({ terms }: ConflictFacts): ReadonlySet<string> {
  return new Set(terms.map(({ key }) => key))
}
