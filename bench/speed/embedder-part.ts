import { readFileSync } from 'node:fs'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { loadPairs } from '../paraphrases/corpora.ts'
import { type Timing, timed, timeEach } from './timed.ts'

/** What the shipped embedder makes of it. Times in milliseconds. */
export interface EmbedderPart {
  /** Starting the worker, loading the model, first text. */
  readonly load: number
  readonly embedQuestion: Timing
  /** The same questions alone and as part of a recall would share a cache; these are others. */
  readonly recallWhole: Timing
  /** Blocks a second: embedding, duplicates, links, durable commits. */
  readonly dream: number
  /** Blocks a second, embedding alone, in batches as dream makes them. */
  readonly embedOnly: number
}

const TEXTS = 300
const BATCH = 32

/** 300 notes of 8 to 25 words and 80 questions, with the model inside the package. */
export async function measureEmbedder(path: string): Promise<EmbedderPart> {
  const notes = readJson('notes.json').slice(0, TEXTS)
  const questions = loadPairs('oblique').map(({ question }) => question)
  const embedder = createMiniLmEmbedder()
  try {
    const load = await timed(() => embedder.embed(['load']))
    const embedQuestion = await timeEach(questions.slice(0, 40), (question) => embedder.embed([question]))
    const embedOnly = await timed(async () => {
      for (let at = 0; at < notes.length; at += BATCH) await embedder.embed(notes.slice(at, at + BATCH))
    })
    await using memory = await openMemory(path, { embedder, config: {} })
    for (const content of notes) await memory.remember({ content })
    const { promoted, seconds } = await dreamAll(memory)
    await memory.recall({ query: 'warm' })
    const recallWhole = await timeEach(questions.slice(40), (query) => memory.recall({ query }))
    return {
      load,
      embedQuestion,
      recallWhole,
      dream: promoted / seconds,
      embedOnly: (1000 * notes.length) / embedOnly,
    }
  } finally {
    await embedder.close()
  }
}

function readJson(name: string): string[] {
  return JSON.parse(readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8')) as string[]
}
