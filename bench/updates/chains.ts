import { readFileSync } from 'node:fs'
import type { DatedNote } from '../lib/by-date.ts'

/** One fact through time, oldest note first, and a question for what holds now. */
interface Chain {
  readonly kind: string
  readonly question: string
  /** Id of the note that holds now. */
  readonly current: string
  readonly outdated: readonly string[]
  readonly notes: readonly DatedNote[]
  /** Notes that rest on what is outdated. */
  readonly derived: readonly DatedNote[]
}

/** Two notes that read alike and both hold, and a question for one of them. */
interface Control {
  readonly question: string
  readonly right: string
  readonly other: string
  readonly notes: readonly DatedNote[]
}

export interface Updates {
  readonly chains: readonly Chain[]
  readonly controls: readonly Control[]
}

/** A chain as files have it: its notes are named by their ids or by their places in it. */
interface WrittenChain {
  readonly id: string
  readonly kind: string
  readonly question: string
  readonly current: string | number
  readonly outdated: readonly (string | number)[]
  readonly notes: readonly (Omit<DatedNote, 'id'> & { readonly id?: string })[]
  readonly derived?: readonly DatedNote[]
}

/** Reads chains of changes, and the pairs that are none if the file has such. */
export function readUpdates(path: string): Updates {
  const { chains, controls = [] } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly chains: readonly WrittenChain[]
    readonly controls?: readonly Control[]
  }
  return { chains: chains.map(chainOf), controls }
}

function chainOf({ id, kind, question, current, outdated, notes, derived = [] }: WrittenChain): Chain {
  const named = notes.map((note, i) => ({ id: `${id}s${i}`, ...note }))
  const idOf = (note: string | number) => (typeof note === 'number' ? (named[note]?.id ?? '') : note)
  return {
    ...{ kind, question, derived, notes: named },
    current: idOf(current),
    outdated: outdated.map(idOf),
  }
}
