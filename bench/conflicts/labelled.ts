import { readData } from '../lib/data.ts'

/** Two statements and what a careful person says of them. */
export interface LabelledPair {
  readonly id: number
  readonly newer: string
  readonly older: string
  readonly label: 'contradiction' | 'supersession' | 'none'
  /** Its kind, `negation`, `date`, `number` or one that only a model or a host finds; absent for none. */
  readonly rule?: string
  /** Why a pair is none. */
  readonly note?: string
}

/** The rules are made on the first half only. */
export const HALVES = ['made on', 'held out'] as const
export type Half = (typeof HALVES)[number]

/** Odd ids are what the rules were made on, even ones are held out. */
export function halfOf({ id }: { readonly id: number }): Half {
  return id % 2 === 1 ? 'made on' : 'held out'
}

/** Everything labelled. */
export function readLabelled(): { readonly pairs: readonly LabelledPair[] } {
  return readData('conflicts.json')
}

/** Returns the texts of the other benches, among which no two contradict each other. */
export function readOthers(): string[] {
  const topics = readData<readonly { readonly statements: readonly string[] }[]>('related-notes.json')
  const restated = readData<readonly { readonly one: string; readonly other: string }[]>('restatements.json')
  return [
    ...readData<readonly string[]>('notes.json'),
    ...topics.flatMap(({ statements }) => statements),
    ...restated.flatMap(({ one, other }) => [one, other]),
  ]
}
