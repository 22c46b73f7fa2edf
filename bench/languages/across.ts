import { join } from 'node:path'
import type { Embedder } from '../../src/engine/ports.ts'
import { openMemory } from '../../src/index.ts'
import { readData } from '../lib/data.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { Part } from '../lib/part.ts'
import { mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'

const LANGUAGES = ['english', 'german', 'french', 'spanish', 'russian', 'chinese', 'japanese'] as const
type Language = (typeof LANGUAGES)[number]

/** One fact in each language, with a question for it in other words. */
type Fact = Readonly<Record<Language, { readonly note: string; readonly question: string }>>

/** How the questions in one language found the notes in another, among English notes. */
export interface AcrossRow {
  readonly question: Language
  readonly note: Language
  readonly hit1: number
  readonly hit5: number
  /** Share of answers called a match. */
  readonly match: number
}

/** A memory for each language of the notes; asked in that language, in English, and for English notes in all. */
export async function askAcross(
  embedder: Embedder,
  hay: readonly string[],
  log: (line: string) => void,
): Promise<readonly AcrossRow[]> {
  const facts = readData<readonly Fact[]>('facts-in-languages.json')
  const rows: AcrossRow[] = []
  for (const note of LANGUAGES) {
    log(`${note} notes, asked in their language and others`)
    await withTemporaryFolder(async (folder) => {
      await using memory = await openMemory(join(folder, 'facts.db'), {
        embedder,
        clock: fixedClock,
        config: {},
      })
      const texts = [...facts.map((fact) => fact[note].note), ...hay]
      await memory.rememberMany({
        blocks: texts.map((content, i) => ({ content, session: `note-${i}` })),
      })
      await dreamAll(memory)
      const asked = note === 'english' ? LANGUAGES : ([note, 'english'] as const)
      for (const question of asked) {
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
    })
  }
  return rows
}

export function acrossPart(rows: readonly AcrossRow[]): Part {
  return {
    name: 'across',
    body: {
      head: ['question', 'note', 'hit@1', 'hit@5', 'called match'],
      rows: rows.map(({ question, note, hit1, hit5, match }) => [
        question,
        note,
        ...[hit1, hit5, match].map(percent),
      ]),
      textColumns: 2,
    },
  }
}
