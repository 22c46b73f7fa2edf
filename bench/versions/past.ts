import type { Bench } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { type DatedNote, rememberByDate } from './by-date.ts'
import { type Counts, total } from './counts.ts'

interface Past {
  readonly notes: readonly DatedNote[]
  readonly questions: readonly {
    /** The time that it asks about: now, a date, before the last change, or at first. */
    readonly about: string
    readonly question: string
    /** Id of the note that answers it. */
    readonly wanted: string
  }[]
}

export const past: Bench = {
  name: 'past',
  summary: 'questions about what holds and what held before: whether the note of that time comes first',
  flags: {},
  run: async () => {
    const { notes, questions } = readData<Past>('past.json')
    const { memory, idOf } = await rememberByDate(notes, { embedder: sharedMiniLm() })
    const rows: Record<string, Counts> = {}
    for (const { about, question, wanted } of questions) {
      const { blockIds } = await memory.recall({ query: question, reinforce: false })
      const place = blockIds.indexOf(idOf(wanted))
      const counts = { questions: 1, first: Number(place === 0), present: Number(place >= 0) }
      rows[about] = total([rows[about] ?? {}, counts])
    }
    await memory.close()
    return { ...rows, all: total(Object.values(rows)) }
  },
  present: (all: Readonly<Record<string, Counts>>) => {
    const rows = Object.entries(all).map(([about, counts]) => [about, ...Object.values(counts).map(String)])
    const head = ['asked about', 'questions', 'the note of that time first', 'an entry']
    return [{ name: 'questions', body: { head, rows } }]
  },
}
