import type { Block } from '../block/block.ts'
import type { SourceClass } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { lastSaidAt } from '../block/validity/validity.ts'
import { type DecisionKind, isOfPair } from './decision.ts'
import type { Proposal } from './proposal.ts'

type Side = Pick<Block, 'sourceClass' | 'tags' | 'occurredAt' | 'createdAt' | 'lastAt' | 'lastToldAt'>

/** The facts that a sentence about a decision tells. */
interface Told {
  readonly kind: DecisionKind
  readonly first?: Side | undefined
  readonly second?: Side | undefined
  readonly proposal?: Pick<Proposal, 'kind' | 'proposer' | 'sourceClass'> | undefined
}

/** Says in one sentence what is to be decided; it holds no words of anybody but names of callers. */
export function decisionSentence({ kind, first, second, proposal }: Told): string {
  if (proposal !== undefined) return ofProposal(proposal, first)
  const [one, other] = [capital(wordsOf(first)), wordsOf(second)]
  if (isOfPair(kind)) return `${one} ${BETWEEN[kind](other)}.`
  if (kind === 'unnamed') return `Nobody has said how ${other} relate to ${wordsOf(first)}.`
  if (kind === 'waiting') return `${one} wait for a dream to take them in.`
  return `${one} rest on ${other}, which hold no more.`
}

const BETWEEN = {
  contradiction: (other: string) => `contradict ${other}`,
  supersession: (other: string) => `are to give way to ${other}`,
  perhaps_newer: (other: string) => `may be outdated by ${other}`,
  near_duplicate: (other: string) => `say nearly the same as ${other}`,
} as const

const WHOSE: Readonly<Record<SourceClass, string>> = {
  user: 'the owner’s words',
  agent: 'the agent’s words',
  model: 'a model’s words',
  tool: 'a tool’s words',
  document: 'a document’s words',
  peer: 'another agent’s words',
  import: 'imported words',
}

function wordsOf(block: Side | undefined): string {
  if (block === undefined) return 'words that are gone'
  const whose = isConstitutional(block.tags) ? 'the words of a principle' : WHOSE[block.sourceClass]
  return `${whose} of ${lastSaidAt(block).slice(0, 10)}`
}

const ADDS = {
  identity: 'to say who the agent is',
  value: 'to give the agent a value',
  goal: 'to give the agent a goal',
  principle: 'to give the agent a principle',
} as const

function ofProposal(
  { kind, proposer, sourceClass }: NonNullable<Told['proposal']>,
  target: Side | undefined,
): string {
  if (kind === 'rewording') return `${proposer} asks to put ${wordsOf(target)} otherwise.`
  if (kind !== 'class') return `${proposer} asks ${ADDS[kind]}.`
  return `${proposer} asks that ${wordsOf(target)} count as ${sourceClass === 'agent' ? 'the agent’s' : 'the owner’s'}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
