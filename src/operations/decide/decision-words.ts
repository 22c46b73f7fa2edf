import { isConstitutional, type SourceClass } from '../../block/block.ts'
import { lastSaidAt } from '../../block/validity.ts'
import {
  addsBlock,
  type Choice,
  type Decision,
  type DecisionKind,
  isOfPair,
  type Side,
} from '../../dream/decisions.ts'
import { predictionWords } from '../../outcome/predictions.ts'

/** Says in one sentence what is to be decided; it holds no words of anybody but names of callers. */
export function decisionSentence({ kind, first, second, proposal, prediction }: Decision): string {
  if (proposal !== undefined) return ofProposal(proposal, first)
  const [one, other] = [capital(wordsOf(first)), wordsOf(second)]
  if (prediction !== undefined) return `${one} were ${predictionWords(prediction)}.`
  if (isOfPair(kind)) return `${one} ${BETWEEN[kind](other)}.`
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

function wordsOf(side: Side | undefined): string {
  if (side === undefined) return 'words that are gone'
  const { block } = side
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
  { kind, proposer, sourceClass }: NonNullable<Decision['proposal']>,
  target: Side | undefined,
): string {
  if (kind === 'rewording') return `${proposer} asks to put ${wordsOf(target)} otherwise.`
  if (addsBlock(kind)) return `${proposer} asks ${ADDS[kind]}.`
  return `${proposer} asks that ${wordsOf(target)} count as ${sourceClass === 'agent' ? 'the agent’s' : 'the owner’s'}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A choice as a person sees it. */
interface ToldChoice extends Choice {
  /** The key of a terminal or a page. */
  readonly key: string
  readonly label: string
  /** One sentence on what the choice changes. */
  readonly does: string
}

/** Returns the choices of a decision with their keys, labels and effects. */
export function toldChoices({ kind, proposal, choices }: Decision): readonly ToldChoice[] {
  return choices.map((each) => {
    const [key, label, does] = toldOf(kind, each.choice, proposal)
    return { ...each, key, label, does }
  })
}

type Told = readonly [key: string, label: string, does: string]

function toldOf(kind: DecisionKind, choice: string, proposal: Decision['proposal']): Told {
  if (kind === 'perhaps_newer' && choice === 'second')
    return ['2', 'The newer replaces the older', 'The older is archived; restore brings it back.']
  if (isOfPair(kind) && choice === 'both') return ['b', 'Both hold', BOTH[kind]]
  if (proposal !== undefined && choice === 'accept') {
    const { kind: asked, sourceClass } = proposal
    const counts = `The words count as those of ${sourceClass === 'agent' ? 'the agent' : 'the owner'}.`
    return asked === 'class' ? ['a', 'Trust it so far', counts] : ['a', ...ACCEPTED[asked]]
  }
  if (proposal !== undefined && choice === 'change' && addsBlock(proposal.kind))
    return ['c', 'Accept with changes', 'The same with words of yours.']
  return CHOICES[isOfPair(kind) ? 'pair' : kind][choice] ?? [choice, choice, '']
}

const BOTH = {
  contradiction: 'Both stay, and nothing says any more that they contradict each other.',
  supersession: 'Both stay, and neither takes the place of the other.',
  perhaps_newer: 'Both stay, and nobody is asked again.',
  near_duplicate: 'Both stay, and neither hides the other.',
} as const

const ACCEPTED = {
  identity: ['Make it the identity', 'It says who the agent is, in your name.'],
  value: ['Make it a value', 'It becomes a value of the agent, in your name.'],
  goal: ['Make it a goal', 'It becomes a goal of the agent, in your name.'],
  principle: ['Make it a principle', 'It never fades and always stands in the self frame, in your name.'],
  rewording: ['Put these words in its place', 'The block says this from now on, in your name.'],
} as const

type KindOfChoices = 'pair' | Exclude<DecisionKind, keyof typeof BOTH>

const CHOICES: Readonly<Record<KindOfChoices, Readonly<Record<string, Told>>>> = {
  pair: {
    first: ['1', 'Keep the first', 'The second is archived; restore brings it back.'],
    second: ['2', 'Keep the second', 'The first is archived; restore brings it back.'],
    merge: ['m', 'Merge', 'The newer stays and takes over tags and cue; the older is archived.'],
  },
  proposal: {
    change: ['c', 'Accept with changes', 'The block gets words of yours in the place of these.'],
    refuse: ['r', 'Refuse', 'Nothing changes; whoever asked can read your reason.'],
  },
  outdated: {
    holds: ['h', 'It holds all the same', 'It no longer rests on what ended.'],
    correct: ['c', 'Correct it', 'It gets words of yours, and no longer rests on what ended.'],
    forget: ['f', 'Forget it', 'It is archived; restore brings it back.'],
  },
  prediction: {
    came_true: ['t', 'It came true', 'It counts for the calibration; belief in the block stays as it is.'],
    did_not: [
      'n',
      'It did not come true',
      'It counts for the calibration; belief in the block stays as it is.',
    ],
    drop: ['d', 'Drop it', 'The block stays and is no prediction any more; it counts for nothing.'],
  },
}
