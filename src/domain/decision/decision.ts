import type { BlockPair } from '../graph/edge.ts'

/** Everything that somebody may be asked to decide, in the order in which it is shown. */
export const DECISION_KINDS = [
  'proposal',
  'contradiction',
  'supersession',
  'near_duplicate',
  'outdated',
  'waiting',
  'perhaps_newer',
  'unnamed',
] as const
/** Why something is to be decided. */
export type DecisionKind = (typeof DECISION_KINDS)[number]

const WITHOUT_PERSON: ReadonlySet<DecisionKind> = new Set(['waiting', 'perhaps_newer', 'unnamed'])

/**
 * Returns true for what only a person settles: a dream takes in what waits, a model or a host names what is unnamed, and a guess
 * that a note is newer changes nothing, so that nobody has to decide.
 */
export function needsPerson(kind: DecisionKind): boolean {
  return !WITHOUT_PERSON.has(kind)
}

const PAIR_KINDS: ReadonlySet<DecisionKind> = new Set([
  'contradiction',
  'supersession',
  'perhaps_newer',
  'near_duplicate',
] satisfies BlockPair['kind'][])

/** True of two blocks of which one may have to go. */
export function isOfPair(kind: DecisionKind): kind is BlockPair['kind'] {
  return PAIR_KINDS.has(kind)
}

/** The id of a decision: its kind, and the ids of what it is about. The same as long as it is to be decided. */
export function decisionId(kind: DecisionKind, ...keys: readonly string[]): string {
  return [kind, ...keys].join(':')
}

/** The kind and the ids in the id of a decision; undefined for any other text. */
export function partsOf(
  id: string,
): { readonly kind: DecisionKind; readonly keys: readonly string[] } | undefined {
  const [said, ...keys] = id.trim().split(':')
  const kind = DECISION_KINDS.find((each) => each === said)
  const wanted = kind !== undefined && (isOfPair(kind) || kind === 'unnamed') ? 2 : 1
  return kind === undefined || keys.length !== wanted || keys.includes('') ? undefined : { kind, keys }
}
