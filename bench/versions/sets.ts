import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatedNote } from './by-date.ts'

export interface Note extends DatedNote {
  readonly speaker?: string | undefined
  /** The chain whose state it tells; two notes of one chain are versions of each other. */
  readonly chain?: string
  /** The chain on whose outdated state it rests. */
  readonly restsOn?: string
}

export interface Question {
  readonly kind: 'chain' | 'control' | 'pair' | 'talk'
  readonly text: string
  /** Ids of the notes asked for: the newest of a chain, the right one of a control, one or both of a pair, the evidence of talk. */
  readonly asked: readonly string[]
  /** Ids of the outdated notes of a chain, or of the other note of a control or a pair. */
  readonly others: readonly string[]
}

/** Notes that are remembered together, and the questions about them. */
export interface Store {
  readonly name: string
  readonly notes: readonly Note[]
  readonly questions: readonly Question[]
}

/** A fact through time, oldest note first; its notes are named by their ids or by their places in it. */
interface WrittenChain {
  readonly id: string
  readonly question: string
  readonly current: string | number
  readonly outdated: readonly (string | number)[]
  readonly notes: readonly (Omit<DatedNote, 'id'> & { readonly id?: string })[]
  readonly derived?: readonly DatedNote[]
}

/** Two notes that read alike and both hold, and a question for one of them. */
interface WrittenControl {
  readonly question: string
  readonly right: string
  readonly other: string
  readonly notes: readonly DatedNote[]
}

/** Reads a file of facts that change, and its pairs of notes that both hold, if it has any. */
export function readUpdates(path: string): Store {
  const { chains, controls = [] } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly chains: readonly WrittenChain[]
    readonly controls?: readonly WrittenControl[]
  }
  const read = chains.map(chainOf)
  return {
    name: basename(path, '.json'),
    notes: [
      ...read.flatMap(({ notes }) => notes),
      ...read.flatMap(({ derived }) => derived),
      ...controls.flatMap(({ notes }) => notes),
    ],
    questions: [
      ...read.map(({ question }) => question),
      ...controls.map(
        ({ question, right, other }): Question => ({
          ...{ kind: 'control', text: question, asked: [right], others: [other] },
        }),
      ),
    ],
  }
}

function chainOf({ id, question, current, outdated, notes, derived = [] }: WrittenChain) {
  const named = notes.map((note, i) => ({ id: `${id}s${i}`, ...note }))
  const idOf = (note: string | number) => (typeof note === 'number' ? (named[note]?.id ?? '') : note)
  const chain = idOf(current)
  return {
    notes: named.map((note) => ({ ...note, chain })),
    derived: derived.map((note) => ({ ...note, restsOn: chain })),
    question: { kind: 'chain' as const, text: question, asked: [chain], others: outdated.map(idOf) },
  }
}

/** A pair of notes that both hold, with the questions that somebody may ask. */
interface WrittenPair {
  readonly id: string
  readonly a: Omit<DatedNote, 'id'>
  readonly b: Omit<DatedNote, 'id'>
  readonly questionA: string | null
  readonly questionB: string | null
  readonly questionBoth: string | null
}

interface WrittenStore {
  readonly name: string
  readonly notes: readonly DatedNote[]
  readonly questions: readonly (
    | {
        readonly kind: 'both'
        readonly q: string
        readonly a: string
        readonly b: string
        readonly ask: 'a' | 'b' | 'both'
      }
    | {
        readonly kind: 'chain'
        readonly q: string
        readonly current: string
        readonly outdated: readonly string[]
      }
  )[]
}

/** Reads a file of stores, or a file of pairs as one store. */
export function readPairs(path: string): readonly Store[] {
  const { stores, pairs = [] } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly stores?: readonly WrittenStore[]
    readonly pairs?: readonly WrittenPair[]
  }
  if (stores !== undefined) return stores.map(storeOf)
  const notes = pairs.flatMap(({ id, a, b }) => [
    { id: `${id}a`, ...a },
    { id: `${id}b`, ...b },
  ])
  const questions = pairs.flatMap(({ id, questionA, questionB, questionBoth }) =>
    (['a', 'b', 'both'] as const).flatMap((ask) => {
      const q = { a: questionA, b: questionB, both: questionBoth }[ask]
      return q === null ? [] : [{ kind: 'both' as const, q, a: `${id}a`, b: `${id}b`, ask }]
    }),
  )
  return [storeOf({ name: basename(path, '.json'), notes, questions })]
}

function storeOf({ name, notes, questions }: WrittenStore): Store {
  const chainOf = new Map(
    questions.flatMap((each) =>
      each.kind === 'chain' ? [each.current, ...each.outdated].map((id) => [id, each.current] as const) : [],
    ),
  )
  return {
    name,
    notes: notes.map((note) => {
      const chain = chainOf.get(note.id)
      return chain === undefined ? note : { ...note, chain }
    }),
    questions: questions.map((each): Question => {
      if (each.kind === 'chain')
        return { kind: 'chain', text: each.q, asked: [each.current], others: each.outdated }
      const { q: text, a, b, ask } = each
      if (ask === 'both') return { kind: 'pair', text, asked: [a, b], others: [] }
      return { kind: 'pair', text, asked: [ask === 'a' ? a : b], others: [ask === 'a' ? b : a] }
    }),
  }
}

/** Splits a store into one store for each pair, with the questions about that pair. */
export function eachPair({ name, notes, questions }: Store): readonly Store[] {
  const idsOf = ({ asked, others }: Question) => [...asked, ...others]
  const pairs = questions.filter(({ kind }) => kind === 'pair')
  return [...Map.groupBy(pairs, (each) => idsOf(each).sort().join(' ')).values()].map((asked) => {
    const ids = asked.flatMap(idsOf)
    return { name, notes: notes.filter(({ id }) => ids.includes(id)), questions: asked }
  })
}
