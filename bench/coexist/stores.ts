import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatedNote } from '../lib/by-date.ts'

/** A question for one or for both of two notes that both hold. */
interface PairQuestion {
  readonly kind: 'both'
  readonly q: string
  /** Ids of the notes. */
  readonly a: string
  readonly b: string
  readonly ask: 'a' | 'b' | 'both'
}

/** A question for what holds now of a fact that changed. */
interface ChainQuestion {
  readonly kind: 'chain'
  readonly q: string
  readonly current: string
  readonly outdated: readonly string[]
}

/** Notes that are remembered together, and questions about them. */
export interface Store {
  readonly name: string
  readonly notes: readonly DatedNote[]
  readonly questions: readonly (PairQuestion | ChainQuestion)[]
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

/** Reads a file of stores, or a file of pairs as one store. */
export function readStores(path: string): readonly Store[] {
  const file = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly stores?: readonly Store[]
    readonly pairs?: readonly WrittenPair[]
  }
  return file.stores ?? [storeOf(basename(path, '.json'), file.pairs ?? [])]
}

function storeOf(name: string, pairs: readonly WrittenPair[]): Store {
  return {
    name,
    notes: pairs.flatMap(({ id, a, b }) => [
      { id: `${id}a`, ...a },
      { id: `${id}b`, ...b },
    ]),
    questions: pairs.flatMap(({ id, questionA, questionB, questionBoth }) =>
      (['a', 'b', 'both'] as const).flatMap((ask) => {
        const q = { a: questionA, b: questionB, both: questionBoth }[ask]
        return q === null ? [] : [{ kind: 'both' as const, q, a: `${id}a`, b: `${id}b`, ask }]
      }),
    ),
  }
}

/** Splits a store into one store for each pair, with the questions about that pair. */
export function eachPair({ name, notes, questions }: Store): readonly Store[] {
  const byPair = new Map<string, PairQuestion[]>()
  for (const question of questions) {
    if (question.kind !== 'both') continue
    const key = `${question.a} ${question.b}`
    byPair.set(key, [...(byPair.get(key) ?? []), question])
  }
  return [...byPair.values()].map((asked) => {
    const ids = asked.flatMap(({ a, b }) => [a, b])
    return { name, notes: notes.filter(({ id }) => ids.includes(id)), questions: asked }
  })
}
