import type { Embedder } from '../../src/engine/ports.ts'
import type { Bench } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { fill, openStill } from '../lib/memory.ts'
import { mean } from '../lib/statistics.ts'
import { type Part, percent } from '../lib/table.ts'

const LANGUAGES = ['english', 'german', 'french', 'spanish', 'russian', 'chinese', 'japanese'] as const
type Language = (typeof LANGUAGES)[number]

/** One fact in each language, with a question for it in other words. */
type Fact = Readonly<Record<Language, { readonly note: string; readonly question: string }>>

/** How the questions in one language found the notes in another, among English notes. */
interface Row {
  readonly question: Language
  readonly note: Language
  readonly hit1: number
  readonly hit5: number
  /** Share of answers called a match. */
  readonly match: number
}

export const languages: Bench = {
  name: 'languages',
  summary: 'notes in other languages among English ones, asked in their language and in others',
  flags: {},
  run: async (_, log) => {
    const embedder = sharedMiniLm()
    const rows: Row[] = []
    for (const note of LANGUAGES) {
      log(`${note} notes, asked in their language and others`)
      rows.push(...(await ask(note, embedder)))
    }
    return rows
  },
  present: (rows: readonly Row[]): readonly Part[] => {
    const cells = rows.map(({ question, note, hit1, hit5, match }) => [
      ...[question, note],
      ...[hit1, hit5, match].map(percent),
    ])
    const head = ['question', 'note', 'hit@1', 'hit@5', 'called match']
    return [{ name: 'across', body: { head, rows: cells, textColumns: 2 } }]
  },
}

/** Fills a memory with the notes in one language, and asks in that language, in English, and for English notes in all. */
async function ask(note: Language, embedder: Embedder): Promise<Row[]> {
  const facts = readData<readonly Fact[]>('facts-in-languages.json')
  await using memory = await openStill(':memory:', embedder)
  const texts = [...facts.map((fact) => fact[note].note), ...readData<readonly string[]>('notes.json')]
  await fill(
    memory,
    texts.map((content, i) => ({ content, session: `note-${i}` })),
  )
  const rows: Row[] = []
  for (const question of note === 'english' ? LANGUAGES : ([note, 'english'] as const)) {
    const found: { readonly place: number; readonly isMatch: boolean }[] = []
    for (const fact of facts) {
      const query = fact[question].question
      const { blocks, match } = await memory.recall({ query, topK: 5, reinforce: false })
      const place = blocks.findIndex(({ content }) => content === fact[note].note)
      found.push({ place, isMatch: match === 'match' })
    }
    rows.push({
      ...{ question, note },
      hit1: mean(found.map(({ place }) => Number(place === 0))),
      hit5: mean(found.map(({ place }) => Number(place >= 0))),
      match: mean(found.map(({ isMatch }) => Number(isMatch))),
    })
  }
  return rows
}
