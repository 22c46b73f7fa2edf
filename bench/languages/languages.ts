import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { openMemory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { readData } from '../lib/data.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'

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
  run: async (_flags, log) => {
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const across: Row[] = []
    for (const note of LANGUAGES) {
      log(`${note} notes, asked in their language and others`)
      across.push(...(await withTemporaryFolder((folder) => ask(join(folder, 'facts.db'), note, embedder))))
    }
    return { report: textOf(partsOf({ across })), data: { across } }
  },
  present: partsOf,
}

/** Fills a memory with the notes in one language, and asks in that language, in English, and for English notes in all. */
async function ask(path: string, note: Language, embedder: Embedder): Promise<Row[]> {
  const facts = readData<readonly Fact[]>('facts-in-languages.json')
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const texts = [...facts.map((fact) => fact[note].note), ...readData<readonly string[]>('notes.json')]
  await memory.rememberMany({ blocks: texts.map((content, i) => ({ content, session: `note-${i}` })) })
  await dreamAll(memory)
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

function partsOf({ across }: { readonly across: readonly Row[] }): readonly Part[] {
  const body = {
    head: ['question', 'note', 'hit@1', 'hit@5', 'called match'],
    rows: across.map(({ question, note, hit1, hit5, match }) => [
      ...[question, note],
      ...[hit1, hit5, match].map(percent),
    ]),
    textColumns: 2,
  }
  return [{ name: 'across', body }]
}
