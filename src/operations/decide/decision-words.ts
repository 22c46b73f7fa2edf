import { isConstitutional, type SourceClass } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { lastSaidAt } from '../../block/validity.ts'
import { type Decision, isOfPair, NAMES, type Side } from '../../dream/decisions.ts'
import { predictionWords } from '../../outcome/predictions.ts'
import { shortId } from '../wording.ts'

/** Returns the id of a decision with short ids of blocks, which `decide` takes. */
export function shortDecisionId(id: string): string {
  const [kind, ...keys] = id.split(':')
  return kind === 'proposal' ? id : [kind, ...keys.map(shortId)].join(':')
}

/** Says in one sentence what is to be decided; it holds no words of anybody but names of callers. */
export function decisionSentence({ kind, first, second, proposal, prediction }: Decision): string {
  if (proposal?.kind === 'rewording') return `${proposal.proposer} asks to put ${wordsOf(first)} otherwise.`
  if (proposal?.kind === 'class') {
    const whose = proposal.sourceClass === 'agent' ? 'the agent’s' : 'the owner’s'
    return `${proposal.proposer} asks that ${wordsOf(first)} count as ${whose}.`
  }
  if (proposal !== undefined) return `${proposal.proposer} asks to add ${NAMES[proposal.kind]}.`
  const one = wordsOf(first).replace(/^./u, (letter) => letter.toUpperCase())
  if (prediction !== undefined) return `${one} were ${predictionWords(prediction)}.`
  if (isOfPair(kind)) return `${one} ${BETWEEN[kind]} ${wordsOf(second)}.`
  return `${one} rest on ${wordsOf(second)}, which hold no more.`
}

const BETWEEN = {
  contradiction: 'contradict',
  supersession: 'would be replaced by',
  perhaps_newer: 'may be outdated by',
  near_duplicate: 'say nearly the same as',
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

/** A way to decide as a person sees it: with the key of a terminal or a page, and one sentence on what it changes. */
interface Choice {
  readonly key: string
  readonly choice: string
  readonly label: string
  readonly does: string
  /** The choice needs `words`, or may have a `reason`. */
  readonly takes?: 'words' | 'reason'
}

/** Returns the ways to decide with their keys, labels and effects. */
export function toldChoices({ kind, proposal, choices }: Decision): readonly Choice[] {
  return choices.map((choice) => {
    const isNewer = kind === 'perhaps_newer' && choice === 'second'
    const [key, label, said, takes] = (isNewer ? NEWER : CHOICES[choice]) ?? [choice, choice, '']
    const does = proposal !== undefined && choice === 'accept' ? ACCEPTED[proposal.kind] : said
    return { key, choice, label, does, ...defined({ takes }) }
  })
}

type Told = readonly [key: string, label: string, does: string, takes?: Choice['takes']]

const NEWER: Told = ['2', 'The newer replaces the older', 'The older is archived; restore brings it back.']

/** The effect of accepting a proposal, by its kind. */
const ACCEPTED = {
  identity: 'It says who the agent is, in your name.',
  value: 'It becomes a value of the agent, in your name.',
  goal: 'It becomes a goal of the agent, in your name.',
  principle: 'It never fades and always stands in the self frame, in your name.',
  rewording: 'The block says this from now on, in your name.',
  class: 'The words count as those of whom the sentence names.',
} as const

const OF_CALIBRATION = 'It counts for the calibration; belief in the block stays as it is.'

/** The choices of all kinds of decisions. */
const CHOICES: Readonly<Record<string, Told>> = {
  first: ['1', 'Keep the first', 'The second is archived; restore brings it back.'],
  second: ['2', 'Keep the second', 'The first is archived; restore brings it back.'],
  both: ['b', 'Both hold', 'Both stay; neither hides, replaces or contradicts the other.'],
  accept: ['a', 'Accept', ''],
  change: ['c', 'Accept with changes', 'The same with words of yours.', 'words'],
  refuse: ['r', 'Refuse', 'Nothing changes; whoever asked can read your reason.', 'reason'],
  holds: ['h', 'It holds all the same', 'It no longer rests on what ended.'],
  correct: ['c', 'Correct it', 'It gets words of yours, and no longer rests on what ended.', 'words'],
  forget: ['f', 'Forget it', 'It is archived; restore brings it back.', 'reason'],
  came_true: ['t', 'It came true', OF_CALIBRATION],
  did_not: ['n', 'It did not come true', OF_CALIBRATION],
  drop: ['d', 'Drop it', 'The block stays and is no prediction any more; it counts for nothing.', 'reason'],
}
