import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Bench } from '../lib/bench.ts'
import { type DatedNote, rememberByDate } from '../lib/by-date.ts'
import { add, type Counts, total } from '../lib/counts.ts'
import { readData } from '../lib/data.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'

interface Question {
  /** The time that it asks about: now, a date, before the last change, or at first. */
  readonly about: string
  readonly question: string
  /** Id of the note that answers it. */
  readonly wanted: string
}

export const past: Bench = {
  name: 'past',
  summary: 'questions about what holds and what held before: whether the note of that time comes first',
  flags: {},
  run: async () => {
    const { notes, questions } = readData<{ notes: readonly DatedNote[]; questions: readonly Question[] }>(
      'past.json',
    )
    const { memory, idOf } = await rememberByDate(notes, { embedder: shareEmbedder(createMiniLmEmbedder()) })
    const rows: Record<string, Counts> = {}
    for (const { about, question, wanted } of questions) {
      const { blockIds } = await memory.recall({ query: question, reinforce: false })
      const place = blockIds.indexOf(idOf(wanted))
      const counts = { questions: 1, first: Number(place === 0), present: Number(place >= 0) }
      rows[about] = add(rows[about] ?? {}, counts)
    }
    await memory.close()
    const all = { ...rows, all: total(Object.values(rows)) }
    return { report: textOf(partsOf(all)), data: all }
  },
  present: partsOf,
}

function partsOf(rows: Readonly<Record<string, Counts>>): readonly Part[] {
  const body = {
    head: ['asked about', 'questions', 'the note of that time first', 'an entry'],
    rows: Object.entries(rows).map(([about, counts]) => [about, ...Object.values(counts).map(String)]),
  }
  return [{ name: 'questions', body }]
}
