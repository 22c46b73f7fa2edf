import { readFileSync } from 'node:fs'

interface Note {
  readonly id: string
  /** ISO-8601. */
  readonly at: string
  readonly session: string
  readonly text: string
}

/** One fact through time, oldest note first, and a question for what holds now. */
interface Chain {
  readonly kind: string
  readonly question: string
  /** Id of the note that holds now. */
  readonly current: string
  readonly outdated: readonly string[]
  readonly notes: readonly Note[]
  /** Notes that rest on what is outdated. */
  readonly derived: readonly Note[]
}

/** Two notes that read alike and both hold, and a question for one of them. */
interface Control {
  readonly question: string
  readonly right: string
  readonly other: string
  readonly notes: readonly Note[]
}

export interface Updates {
  readonly chains: readonly Chain[]
  readonly controls: readonly Control[]
}

export function readUpdates(path: string): Updates {
  return JSON.parse(readFileSync(path, 'utf8')) as Updates
}

/** All notes in order of date, each with the one it takes the place of or rests on, if any. */
export function notesInOrder({
  chains,
  controls,
}: Updates): (Note & { readonly replaces?: string; readonly restsOn?: string })[] {
  const chained = chains.flatMap(({ notes }) =>
    notes.map((note, i) => ({ ...note, ...(i > 0 && { replaces: (notes[i - 1] as Note).id }) })),
  )
  const resting = chains.flatMap(({ derived, notes: [first] }) =>
    derived.map((note) => ({ ...note, ...(first && { restsOn: first.id }) })),
  )
  const others = [...resting, ...controls.flatMap(({ notes }) => notes)]
  return [...chained, ...others].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
}
