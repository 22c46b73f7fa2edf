import { readFileSync } from 'node:fs'
import type { Embedder } from '../../src/engine/ports.ts'
import { type Bench, fileFlag } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { fill, openStill } from '../lib/memory.ts'
import { mean } from '../lib/statistics.ts'
import { type Part, percent } from '../lib/table.ts'

/** Notes with questions about them, and questions about nothing in them. */
interface NotesFile {
  readonly notes: readonly string[]
  readonly answerable: readonly {
    readonly question: string
    /** The place of its note, from 0. */
    readonly note: number
  }[]
  readonly unknown: readonly string[]
}

interface Row {
  readonly notes: number
  readonly unknown: Answers
  readonly answerable: Answers & { readonly first: number; readonly served: number }
}

interface Answers {
  readonly asked: number
  /** Share of the questions for which no block is served. */
  readonly nothing: number
  readonly blocks: number
}

/** Notes in the two stores. */
const SIZES = [30, 142]

export const unknown: Bench = {
  name: 'unknown',
  summary: 'is a question about nothing in the notes answered with nothing, and one about them never?',
  flags: {
    data: fileFlag('JSON with other notes: { notes, answerable: [{ question, note }], unknown }'),
  },
  run: async ({ data }, log) => {
    const files =
      typeof data === 'string'
        ? [JSON.parse(readFileSync(data, 'utf8')) as NotesFile]
        : SIZES.map((size) => ownNotes(size))
    const embedder = sharedMiniLm()
    const rows: Row[] = []
    for (const file of files) {
      log(`${file.notes.length} notes`)
      rows.push(await askStore(file, embedder))
    }
    return rows
  },
  present: partsOf,
}

/** Returns the first notes of all own sets that come with questions. */
function ownNotes(size: number): NotesFile {
  const worlds =
    readData<readonly { readonly notes: readonly { text: string; questions: string[] }[] }[]>('feedback.json')
  const pairs = ['plain-paraphrases.json', 'paraphrases.json'].flatMap((name) =>
    readData<readonly { readonly block: string; readonly question: string }[]>(name),
  )
  const asked = [
    ...worlds.flatMap(({ notes }) => notes),
    ...pairs.map(({ block, question }) => ({ text: block, questions: [question] })),
  ].slice(0, size)
  return {
    notes: asked.map(({ text }) => text),
    answerable: asked.flatMap(({ questions }, note) => questions.map((question) => ({ question, note }))),
    unknown: readData<readonly string[]>('off-topic.json'),
  }
}

/** Remembers the notes as a client does that names no session, and asks as one that sets nothing. */
async function askStore({ notes, answerable, unknown: absent }: NotesFile, embedder: Embedder): Promise<Row> {
  await using memory = await openStill(':memory:', embedder)
  const ids = await fill(
    memory,
    notes.map((content) => ({ content })),
  )
  const ask = async (query: string) => (await memory.recall({ query, reinforce: false })).blockIds
  const [present, other]: [string[][], string[][]] = [[], []]
  for (const { question } of answerable) present.push(await ask(question))
  for (const question of absent) other.push(await ask(question))
  const places = answerable.map(({ note }, i) => present[i]?.indexOf(ids[note] ?? '') ?? -1)
  return {
    notes: notes.length,
    unknown: answersOf(other),
    answerable: {
      ...answersOf(present),
      first: mean(places.map((place) => Number(place === 0))),
      served: mean(places.map((place) => Number(place >= 0))),
    },
  }
}

function answersOf(answers: readonly (readonly string[])[]): Answers {
  return {
    asked: answers.length,
    nothing: mean(answers.map(({ length }) => Number(length === 0))),
    blocks: mean(answers.map(({ length }) => length)),
  }
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  const cells = ({ asked, nothing, blocks }: Answers) => [String(asked), percent(nothing), blocks.toFixed(2)]
  return [
    {
      name: 'stores',
      body: {
        head: [
          'notes',
          ...[
            'unknown: asked',
            'nothing, %',
            'blocks',
            'answerable: asked',
            'nothing, %',
            'blocks',
            'right first, %',
            'served, %',
          ],
        ],
        rows: rows.map(({ notes, unknown: absent, answerable }) => [
          String(notes),
          ...cells(absent),
          ...cells(answerable),
          percent(answerable.first),
          percent(answerable.served),
        ]),
      },
    },
  ]
}
