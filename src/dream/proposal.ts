import type { SourceClass } from '../block/source-class.ts'
import { CONSTITUTIONAL_TAG } from '../block/tags.ts'

/** The kinds of proposals: new words of who the agent is, other words of a block, or more trust in its words. */
export const PROPOSAL_KINDS = ['identity', 'value', 'goal', 'principle', 'rewording', 'class'] as const
/** The change that a proposal asks for. */
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** How a proposal stands; only the owner moves it on. */
export const PROPOSAL_STATES = ['open', 'accepted', 'refused'] as const
/** How a proposal stands. */
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A change that somebody asks the owner for. All of its words are data, whoever proposed them, until the owner accepts. */
export interface Proposal {
  /** Made of what it asks for, so that the same is asked once. */
  readonly id: string
  readonly kind: ProposalKind
  /** The block whose words, or whose class, it is about. */
  readonly target?: string
  /** The words it proposes. */
  readonly content?: string
  /** The class it proposes. */
  readonly sourceClass?: SourceClass
  /** Why, in the words of whoever proposed it. */
  readonly reason?: string
  /** Who called. */
  readonly proposer: string
  /** The scope it was proposed in, or that of the block it is about: what it adds is added there. */
  readonly scope?: string
  readonly state: ProposalState
  /** ISO-8601 UTC. */
  readonly createdAt: string
  /** ISO-8601 UTC. */
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
