import type { BlockPair } from '../graph/edge.ts'

/** Everything that somebody may be asked to decide, in the order in which it is shown. */
export const DECISION_KINDS = [
  'proposal',
  'contradiction',
  'supersession',
  'near_duplicate',
  'outdated',
  'waiting',
  'unnamed',
] as const
/** Why something is to be decided. */
export type DecisionKind = (typeof DECISION_KINDS)[number]

/** True of what only a person settles: a dream takes in what waits, and a model or a host names what is unnamed. */
export function needsPerson(kind: DecisionKind): boolean {
  return kind !== 'waiting' && kind !== 'unnamed'
}

/** True of two blocks of which one may have to go. */
export function isOfPair(kind: DecisionKind): kind is BlockPair['kind'] {
  return kind === 'contradiction' || kind === 'supersession' || kind === 'near_duplicate'
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
