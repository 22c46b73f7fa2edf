import type { Decision } from '../../../src/operations/methods.generated.ts'

/** Why something waits for a person. */
export type Kind = Decision['kind']

/** The words of a kind. */
interface Named {
  readonly one: string
  readonly many: string
  readonly tone: 'plain' | 'warn' | 'info' | 'bad' | 'accent'
  /** What happens meanwhile, or why it was asked. */
  readonly told: string
}

/** The kinds in the order of the page, those first that only a person settles. */
export const KINDS: Readonly<Record<Kind, Named>> = {
  proposal: {
    one: 'Proposal',
    many: 'Proposals',
    tone: 'accent',
    told: 'Nothing changes until you accept.',
  },
  contradiction: {
    one: 'Contradiction',
    many: 'Contradictions',
    tone: 'bad',
    told: 'Both cannot hold. Until you decide, recall shows the one marked.',
  },
  supersession: {
    one: 'Newer words',
    many: 'Newer words',
    tone: 'info',
    told: 'One wants the other’s place. Until you decide, recall shows the one marked.',
  },
  near_duplicate: {
    one: 'Near duplicate',
    many: 'Near duplicates',
    tone: 'plain',
    told: 'They say nearly the same. Until you decide, recall shows the one marked.',
  },
  outdated: {
    one: 'Outdated ground',
    many: 'Outdated ground',
    tone: 'warn',
    told: 'What it rests on holds no more. It may hold all the same.',
  },
  prediction: {
    one: 'Prediction',
    many: 'Predictions',
    tone: 'info',
    told: 'Its day is over. It counts for the calibration once you say what became of it.',
  },
  perhaps_newer: {
    one: 'Perhaps newer',
    many: 'Perhaps newer',
    tone: 'info',
    told: 'The newer may replace the older. Until you decide, recall shows both.',
  },
}

/** All kinds, in their order. */
export const KIND_NAMES = Object.keys(KINDS) as Kind[]

/** Returns true if only a person settles a kind: a guess changes nothing. */
export function needsPerson(kind: Kind): boolean {
  return kind !== 'perhaps_newer'
}

/** The kind in an address; undefined for all that only a person settles. */
export function kindIn(said: string | undefined): Kind | undefined {
  return KIND_NAMES.find((each) => each === said)
}
