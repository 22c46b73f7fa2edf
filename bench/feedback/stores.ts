import { readFileSync } from 'node:fs'
import { readData } from '../lib/data.ts'

/** A question and the note that answers it. */
export interface Asked {
  readonly question: string
  readonly note: string
}

/** Notes of one memory and questions about them, in an order that parts into two halves. */
export interface FeedbackStore {
  readonly name: string
  readonly notes: readonly string[]
  readonly asked: readonly Asked[]
}

interface Written {
  readonly name: string
  readonly notes: readonly {
    readonly text: string
    readonly questions: readonly (string | { readonly q: string })[]
  }[]
}

/** The bench's own stores, and those of a file of notes with their questions. */
export function loadStores(path: string | undefined): FeedbackStore[] {
  const own = readData<readonly Written[]>('feedback.json')
  const given =
    path === undefined ? [] : [JSON.parse(readFileSync(path, 'utf8')) as Written | readonly Written[]].flat()
  return [...own, ...given.map((each) => ({ ...each, name: each.name ?? 'given' }))].map(storeOf)
}

function storeOf({ name, notes }: Written): FeedbackStore {
  return {
    name,
    notes: notes.map(({ text }) => text),
    asked: notes.flatMap(({ text, questions }) =>
      questions.map((each) => ({ question: typeof each === 'string' ? each : each.q, note: text })),
    ),
  }
}
