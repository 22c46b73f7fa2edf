import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { type DecisionKind, isOfPair } from './decision.ts'
import { addsBlock, type Proposal } from './proposal.ts'

/** One way to decide. */
export interface Choice {
  /** The key of a terminal or a page; `decide` takes it, too. */
  readonly key: string
  /** Its name, for `decide`. */
  readonly choice: string
  readonly label: string
  /** One sentence on what it changes. */
  readonly does: string
  /** True if it changes who the agent is, raises trust, or overrules the owner's words. */
  readonly owner?: true
  /** Besides, it needs words or takes a reason. */
  readonly takes?: 'words' | 'reason'
}

/** The facts about what is to be decided that the choices depend on. */
export interface Decidable {
  readonly kind: DecisionKind
  /** The older of two blocks, or the one that it is about. */
  readonly first?: Pick<Block, 'sourceClass' | 'tags'>
  readonly second?: Pick<Block, 'sourceClass' | 'tags'>
  readonly proposal?: Pick<Proposal, 'kind' | 'sourceClass'>
}

/** The ways in which something can be decided, in the order in which they are shown. None is the usual one. */
export function choicesOf({ kind, first, second, proposal }: Decidable): readonly Choice[] {
  if (isOfPair(kind)) return ofPair(kind, first, second)
  switch (kind) {
    case 'proposal':
      return proposal === undefined ? [] : ofProposal(proposal)
    case 'waiting':
      return WAITING
    case 'unnamed':
      return UNNAMED
    default:
      return withOwner(OUTDATED, first !== undefined && isOwners(first))
  }
}

/** The choice that a name or a key stands for. */
export function choiceNamed(choices: readonly Choice[], given: string): Choice | undefined {
  const said = given.trim().toLowerCase()
  return choices.find(({ choice, key }) => choice === said || key === said)
}

type Side = Decidable['first']

function isOwners({ sourceClass }: NonNullable<Side>): boolean {
  return !mayCover('agent', sourceClass)
}

const BOTH = {
  contradiction: 'Both stay, and nothing says any more that they contradict each other.',
  supersession: 'Both stay, and neither takes the place of the other.',
  perhaps_newer: 'Both stay, and nobody is asked again.',
  near_duplicate: 'Both stay, and neither hides the other.',
} as const

const REPLACES = 'The newer replaces the older'

function ofPair(kind: keyof typeof BOTH, first: Side, second: Side): readonly Choice[] {
  const goes = (side: Side) => side === undefined || !isConstitutional(side.tags)
  const owners = (...sides: Side[]) => sides.some((side) => side !== undefined && isOwners(side))
  const archived = (which: string) => `The ${which} is archived; restore brings it back.`
  const choices: readonly (readonly [Choice, isOwners: boolean, isOpen: boolean])[] = [
    [
      { key: '1', choice: 'first', label: 'Keep the first', does: archived('second') },
      owners(second),
      goes(second),
    ],
    [
      kind === 'perhaps_newer'
        ? { key: '2', choice: 'second', label: REPLACES, does: archived('older') }
        : { key: '2', choice: 'second', label: 'Keep the second', does: archived('first') },
      owners(first),
      goes(first),
    ],
    [{ key: 'b', choice: 'both', label: 'Both hold', does: BOTH[kind] }, owners(first, second), true],
    [
      {
        ...{ key: 'm', choice: 'merge', label: 'Merge' },
        does: 'The newer stays and takes over tags and cue; the older is archived.',
      },
      owners(first),
      goes(first),
    ],
  ]
  return choices.flatMap(([choice, isOfOwner, isOpen]) => (isOpen ? withOwner([choice], isOfOwner) : []))
}

const ACCEPTED = {
  identity: ['Make it the identity', 'It says who the agent is, in your name.'],
  value: ['Make it a value', 'It becomes a value of the agent, in your name.'],
  goal: ['Make it a goal', 'It becomes a goal of the agent, in your name.'],
  principle: ['Make it a principle', 'It never fades and always stands in the self frame, in your name.'],
  rewording: ['Put these words in its place', 'The block says this from now on, in your name.'],
} as const

function ofProposal({ kind, sourceClass }: NonNullable<Decidable['proposal']>): readonly Choice[] {
  const [label, does] =
    kind === 'class'
      ? [
          'Trust it so far',
          `The words count as those of ${sourceClass === 'user' ? 'the owner' : 'the agent'}.`,
        ]
      : ACCEPTED[kind]
  const accept: Choice = { key: 'a', choice: 'accept', label, does, owner: true }
  const change: Choice = {
    ...{ key: 'c', choice: 'change', label: 'Accept with changes', takes: 'words', owner: true },
    does: addsBlock(kind)
      ? 'The same with words of yours.'
      : 'The block gets words of yours in the place of these.',
  }
  const refuse: Choice = {
    ...{ key: 'r', choice: 'refuse', label: 'Refuse', takes: 'reason', owner: true },
    does: 'Nothing changes; whoever asked can read your reason.',
  }
  return kind === 'class' ? [accept, refuse] : [accept, change, refuse]
}

const CORRECT = { key: 'c', choice: 'correct', label: 'Correct it', takes: 'words' } as const

const WAITING: readonly Choice[] = [
  {
    ...{ key: 'd', choice: 'dream', label: 'Dream now' },
    does: 'This and all else that waits is compared, linked and taken in.',
  },
  {
    ...{ key: 'r', choice: 'refuse', label: 'Refuse it', takes: 'reason' },
    does: 'It is archived before it counts; restore brings it back.',
  },
  { ...CORRECT, does: 'It gets words of yours, and goes on waiting.' },
]

const UNNAMED: readonly Choice[] = [
  { key: 's', choice: 'supports', label: 'The newer supports the older', does: 'The edge says so.' },
  { key: 'e', choice: 'elaborates', label: 'The newer says more of the same', does: 'The edge says so.' },
  {
    ...{ key: 'c', choice: 'contradicts', label: 'They contradict each other' },
    does: 'Each is a counterpoint of the other, and they are an open pair.',
  },
  {
    ...{ key: 'n', choice: 'unrelated', label: 'They have nothing to do with each other' },
    does: 'The edge that likeness made goes.',
  },
]

const OUTDATED: readonly Choice[] = [
  {
    ...{ key: 'h', choice: 'holds', label: 'It holds all the same' },
    does: 'It no longer rests on what ended.',
  },
  { ...CORRECT, does: 'It gets words of yours, and no longer rests on what ended.' },
  {
    ...{ key: 'f', choice: 'forget', label: 'Forget it', takes: 'reason' },
    does: 'It is archived; restore brings it back.',
  },
]

function withOwner(choices: readonly Choice[], isOfOwner: boolean): readonly Choice[] {
  return isOfOwner ? choices.map((choice) => ({ ...choice, owner: true as const })) : choices
}
