import {
  type Block,
  CONSTITUTIONAL_TAG,
  isConstitutional,
  mayCover,
  type SourceClass,
} from '../block/block.ts'
import type { BlockPair } from '../graph/edge.ts'

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

/** Returns the kind and the ids in the id of a decision; undefined for any other text. */
export function partsOf(id: string) {
  const [said, ...keys] = id.trim().split(':')
  const kind = DECISION_KINDS.find((each) => each === said)
  const wanted = kind !== undefined && isOfPair(kind) ? 2 : 1
  return kind === undefined || keys.length !== wanted || keys.includes('') ? undefined : { kind, keys }
}

/** One way to decide. */
export interface Choice {
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
  return overruled.some((side) => side && !mayCover('agent', side.sourceClass)) ? { owner: true } : {}
}

/** The kinds of proposals: new words of who the agent is, other words of a block, or more trust in its words. */
export const PROPOSAL_KINDS = ['identity', 'value', 'goal', 'principle', 'rewording', 'class'] as const
/** The change that a proposal asks for. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** The states of a proposal; only the owner moves it on. */
export const PROPOSAL_STATES = ['open', 'accepted', 'refused'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A change that somebody asks the owner for. All of its words are data, whoever proposed them, until the owner accepts. */
export interface Proposal {
  /** Made of what it asks for, so that the same is asked once. */
  readonly id: string
  readonly kind: ProposalKind
  readonly target?: string
  readonly content?: string
  readonly sourceClass?: SourceClass
  /** Why, in the words of whoever proposed it. */
  readonly reason?: string
  readonly proposer: string
  /** The scope it was proposed in, or that of the block it is about: what it adds is added there. */
  readonly scope?: string
  readonly state: ProposalState
  readonly createdAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
  /** Why it was refused, for whoever proposed it. */
  readonly answer?: string
  /** The block that came of it, or that it changed. */
  readonly result?: string
}

/** Kinds of proposals that add a block. */
export type NewKind = Exclude<ProposalKind, 'rewording' | 'class'>

/** The tags that a new block gets when a proposal of its kind is accepted. */
export const TAGS_OF_NEW: Readonly<Record<NewKind, readonly string[]>> = {
  identity: ['self/context'],
  value: ['self/value'],
  goal: ['self/goal'],
  principle: [CONSTITUTIONAL_TAG, 'self/value'],
}

/** True if a proposal adds a block; the others change one. */
export function addsBlock(kind: ProposalKind): kind is NewKind {
  return kind !== 'rewording' && kind !== 'class'
}
