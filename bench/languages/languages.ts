import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
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
import { type AcrossRow, acrossPart, askAcross } from './across.ts'

interface Note {
  readonly language: 'german' | 'french' | 'spanish'
  readonly block: string
  /** Asks for the block in other forms of its words. */
  readonly question: string
}

type Setting = NonNullable<NonNullable<SettingsInput['recall']>['language']>

interface Row {
  readonly language: string
  readonly setting: string
  readonly vectors: boolean
  readonly hit1: number
  readonly strength: number
}

export const languages: Bench = {
  name: 'languages',
  summary:
    'notes in other languages among English ones, asked in other forms of their words, and across languages',
  flags: {},
  run: async (_flags, log) => {
    const notes = readData<readonly Note[]>('language-notes.json')
    const hay = readData<readonly string[]>('notes.json')
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const names = [...new Set(notes.map(({ language }) => language))]
    const cases = names.flatMap((language) =>
      (['english', language, 'auto'] as const).flatMap((setting) =>
        [false, true].map((vectors) => ({ language, setting, vectors })),
      ),
    )
    const rows = await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'notes.db')
      await remember(path, [...notes.map(({ block }) => block), ...hay], embedder)
      const all: Row[] = []
      for (const each of cases) {
        log(
          `${each.language} notes, language ${each.setting}, ${each.vectors ? 'with vectors' : 'words only'}`,
        )
        const asked = notes.filter(({ language }) => language === each.language)
        const used = each.vectors ? embedder : wordsOnly(embedder)
        all.push({ ...each, ...(await ask(path, each.setting, { asked, embedder: used })) })
      }
      return all
    })
    const data = { rows, across: await askAcross(embedder, hay, log) }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

function wordsOnly(embedder: Embedder): Embedder {
  return { ...embedder, model: 'none' }
}

async function remember(path: string, texts: readonly string[], embedder: Embedder): Promise<void> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  for (const [i, content] of texts.entries()) await memory.remember({ content, session: `note-${i}` })
  await dreamAll(memory)
}

/** Opens the same memory under another language, which renews its words. */
async function ask(
  path: string,
  language: Setting,
  { asked, embedder }: { readonly asked: readonly Note[]; readonly embedder: Embedder },
): Promise<Pick<Row, 'hit1' | 'strength'>> {
  await using memory = await openMemory(path, {
    embedder,
    clock: fixedClock,
    config: { recall: { language } },
  })
  const found: { readonly hit: number; readonly strength: number }[] = []
  for (const { block, question } of asked) {
    const { blocks } = await memory.recall({ query: question, reinforce: false, minStrength: 0 })
    const own = blocks.find(({ content }) => content === block)
    found.push({ hit: blocks[0]?.content === block ? 1 : 0, strength: own?.strength ?? 0 })
  }
  return { hit1: mean(found.map(({ hit }) => hit)), strength: mean(found.map((each) => each.strength)) }
}

function partsOf({
  rows,
  across,
}: {
  readonly rows: readonly Row[]
  readonly across: readonly AcrossRow[]
}): readonly Part[] {
  const body = {
    head: ['notes', 'recall.language', 'ranked by', 'hit@1', 'strength'],
    rows: rows.map(({ language, setting, vectors, hit1, strength }) => [
      language,
      setting,
      vectors ? 'words and vectors' : 'words',
      percent(hit1),
      strength.toFixed(2),
    ]),
    textColumns: 3,
  }
  return [{ name: 'languages', body }, acrossPart(across)]
}
