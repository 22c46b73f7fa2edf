import type { ScoreExplanation } from '../../../../src/operations/methods.generated.ts'

type Term = ScoreExplanation['terms'][number]

/** A term of a score as the page names it: its words, and the colour of its part of the bar. */
interface Named {
  readonly label: string
  /** Number of a data colour, 1 to 7. */
  readonly colour: number
  /** One sentence on what the signal is. */
  readonly told: string
}

const TERMS: Readonly<Record<string, Named>> = {
  similarity: {
    label: 'match',
    colour: 1,
    told: 'How well its words and meaning match, against the others.',
  },
  belief: { label: 'experience', colour: 3, told: 'How it did whatever was asked.' },
  asked: { label: 'such questions', colour: 4, told: 'How it did when such a question was asked.' },
  recency: { label: 'freshness', colour: 2, told: 'How lately it helped, or was taken in.' },
  confidence: { label: 'confidence', colour: 3, told: 'How far reports confirm it.' },
  centrality: { label: 'joined', colour: 7, told: 'How well it is joined to others.' },
  reinforcement: { label: 'use', colour: 6, told: 'How often it was used.' },
  exploration: { label: 'chance', colour: 7, told: 'Little is known of it, so it gets a chance.' },
  boost: { label: 'frame', colour: 6, told: 'The frame prefers its kind.' },
}

/** The name and colour of a term; one that the page does not know keeps its own name. */
export function namedTerm(name: string): Named {
  return TERMS[name] ?? { label: name, colour: 7, told: '' }
}

const PARTS: Readonly<Record<string, string>> = {
  rank: 'match before experience',
  cosine: 'likeness of meaning',
  lexical: 'words in common',
  source: 'names its source',
  asks: 'answers a question',
  when: 'tells a time',
  span: 'happened then',
  coverage: 'fewer words of the question',
  name: 'shares a name',
}

/** A part of a match, in words. */
export function namedPart(name: string): string {
  return PARTS[name] ?? name
}

/** A stretch of a bar, in shares of its whole width. */
interface Stretch {
  readonly name: string
  readonly colour: number
  readonly from: number
  readonly width: number
}

/** The bar of a score: what adds to it side by side, and what was taken away again, over the end of them. */
export interface TermBar {
  readonly parts: readonly Stretch[]
  readonly taken: { readonly from: number; readonly width: number } | undefined
}

/** Amounts below it have no width that can be seen. */
const LEAST = 1e-6

/** The longest bar of several candidates, in score: what adds to each, before anything is taken away. */
export function scaleOf(all: readonly (readonly Term[])[]): number {
  return Math.max(LEAST, ...all.map((terms) => sum(added(terms))))
}

/** The bar of one candidate on the scale of all. Its solid part ends at the score. */
export function termBar(terms: readonly Term[], scale: number): TermBar {
  let from = 0
  const parts = added(terms).map(({ name, amount }) => {
    const width = amount / scale
    const part = { name, colour: namedTerm(name).colour, from, width }
    from += width
    return part
  })
  const lost = sum(terms.filter(({ amount }) => amount < -LEAST)) / -scale
  const width = Math.min(from, lost)
  return { parts, taken: lost > 0 ? { from: from - width, width } : undefined }
}

/** The names of all terms that any of several candidates has, in the order in which they are first met. */
export function termsIn(all: readonly (readonly Term[])[]): readonly string[] {
  return [...new Set(all.flatMap((terms) => terms.filter(isSeen).map(({ name }) => name)))]
}

/** Amounts in ten-thousandths that sum to the score in ten-thousandths: the ends that rounding lost go where most was lost. */
export function summing(terms: readonly Term[], score: number): readonly number[] {
  const units = 10_000
  const exact = terms.map(({ amount }) => amount * units)
  const rounded = exact.map(Math.round)
  const missing = Math.round(score * units) - rounded.reduce((all, each) => all + each, 0)
  const step = Math.sign(missing)
  const byLoss = exact
    .map((amount, at) => ({ at, lost: (amount - (rounded[at] ?? 0)) * step }))
    .sort((one, other) => other.lost - one.lost)
  for (const { at } of byLoss.slice(0, Math.abs(missing))) rounded[at] = (rounded[at] ?? 0) + step
  return rounded.map((each) => each / units)
}

/** A number with its sign and four decimals. */
export function signed(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${Math.abs(amount).toFixed(4)}`
}

function isSeen({ amount }: Term): boolean {
  return Math.abs(amount) > LEAST
}

function added(terms: readonly Term[]): readonly Term[] {
  return terms.filter(({ amount }) => amount > LEAST)
}

function sum(terms: readonly Term[]): number {
  return terms.reduce((all, { amount }) => all + amount, 0)
}
