import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import type { BlockPair } from '../graph/edge.ts'
import type { Proposal } from './proposal.ts'

/** The kinds of decisions, in the order in which they are shown. */
export const DECISION_KINDS = [
  'proposal',
  'contradiction',
  'supersession',
  'near_duplicate',
  'outdated',
  'perhaps_newer',
] as const
/** The reason why something is to be decided. */
export type DecisionKind = (typeof DECISION_KINDS)[number]

/** Returns true if only a person settles a decision: a guess that a note is newer changes nothing. */
export function needsPerson(kind: DecisionKind): boolean {
  return kind !== 'perhaps_newer'
}

/** Returns true if a decision is about two blocks of which one may have to go. */
export function isOfPair(kind: DecisionKind): kind is BlockPair['kind'] {
  return kind !== 'proposal' && kind !== 'outdated'
}

/** Returns the id of a decision: its kind and the ids that it is about. It stays as long as the decision is open. */
export function decisionId(kind: DecisionKind, ...keys: readonly string[]): string {
  return [kind, ...keys].join(':')
}

/** Returns the kind and the ids in the id of a decision; undefined for any other text. */
export function partsOf(
  id: string,
): { readonly kind: DecisionKind; readonly keys: readonly string[] } | undefined {
  const [said, ...keys] = id.trim().split(':')
  const kind = DECISION_KINDS.find((each) => each === said)
  const wanted = kind !== undefined && isOfPair(kind) ? 2 : 1
  return kind === undefined || keys.length !== wanted || keys.includes('') ? undefined : { kind, keys }
}

/** One way to decide. */
export interface Choice {
  /** Its name, for `decide`. */
  readonly choice: string
  /** True if it changes who the agent is, raises trust, or overrules the owner's words. */
  readonly owner?: true
  /** `words`: it needs them; `reason`: it may have one. */
  readonly takes?: 'words' | 'reason'
}

/** The facts that the choices depend on. */
interface Decidable {
  readonly kind: DecisionKind
  /** The older of two blocks, or the one that it is about. */
  readonly first?: Pick<Block, 'sourceClass' | 'tags'>
  readonly second?: Pick<Block, 'sourceClass' | 'tags'>
  readonly proposal?: Pick<Proposal, 'kind'>
}

/** Returns the ways to decide, in the order in which they are shown. None is the usual one. */
export function choicesOf({ kind, first, second, proposal }: Decidable): readonly Choice[] {
  if (isOfPair(kind)) return choicesOfPair(first, second)
  if (kind === 'outdated')
    return [
      { choice: 'holds', ...byOwner(first) },
      { choice: 'correct', takes: 'words', ...byOwner(first) },
      { choice: 'forget', takes: 'reason', ...byOwner(first) },
    ]
  const accept: Choice = { choice: 'accept', owner: true }
  const change: Choice = { choice: 'change', owner: true, takes: 'words' }
  const refuse: Choice = { choice: 'refuse', owner: true, takes: 'reason' }
  return proposal?.kind === 'class' ? [accept, refuse] : [accept, change, refuse]
}

type Side = Decidable['first']

/** Two of whom one has to go: a principle stays, and the owner's words go by the owner alone. */
function choicesOfPair(first: Side, second: Side): Choice[] {
  const mayGo = (side: Side) => side === undefined || !isConstitutional(side.tags)
  return [
    ...(mayGo(second) ? [{ choice: 'first', ...byOwner(second) }] : []),
    ...(mayGo(first) ? [{ choice: 'second', ...byOwner(first) }] : []),
    { choice: 'both', ...byOwner(first, second) },
    ...(mayGo(first) ? [{ choice: 'merge', ...byOwner(first) }] : []),
  ]
}

/** Marks a choice that overrules the owner's words. */
function byOwner(...overruled: readonly Side[]): Pick<Choice, 'owner'> {
  const isOwners = (side: Side) => side !== undefined && !mayCover('agent', side.sourceClass)
  return overruled.some(isOwners) ? { owner: true } : {}
}
