import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { ElfmemError, type Memory, openMemory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent, table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'

/** A note and questions about it in other words. */
interface Note {
  readonly text: string
  readonly questions: readonly { readonly q: string }[]
}

const SIZES = [5, 50, 500] as const
/** No embedding but of the notes is asked for until this many looks had their moment. */
const LOOKS = 400

interface Row {
  readonly blocks: number
  readonly how: string
  readonly questions: number
  /** Share of questions whose note is in the answer. */
  readonly served: number
  /** Share whose note comes first. */
  readonly first: number
}

export const fresh: Bench = {
  name: 'fresh',
  summary: 'notes asked for in other words before their dream and after it (--data FILE)',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'JSON with notes of text and questions' },
  },
  run: async (flags, log) => {
    if (typeof flags.data !== 'string') return { report: 'skipped: no --data FILE with notes', data: [] }
    const { notes } = JSON.parse(readFileSync(flags.data, 'utf8')) as { readonly notes: readonly Note[] }
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows = await withTemporaryFolder(async (folder) => {
      const all: Row[] = []
      for (const size of SIZES) {
        log(`${size} blocks`)
        all.push(...(await measure(notes, { size, path: join(folder, `${size}.db`), embedder })))
      }
      return all
    })
    return { report: reportOf(rows), data: rows }
  },
}

/** A memory in which the first `size` notes wait among unrelated ones that are dreamt; asked in four ways. */
async function measure(
  notes: readonly Note[],
  { size, path, embedder }: { readonly size: number; readonly path: string; readonly embedder: Embedder },
): Promise<Row[]> {
  const asked = notes.slice(0, size)
  const memory = await openMemory(path, { embedder })
  const others = Array.from({ length: size - asked.length }, (_, i) => ({
    content: `Record ${i}: shelf ${(i * 7) % 41} of room ${i % 13} holds ${(i * 31) % 97} boxes.`,
  }))
  if (others.length > 0) await memory.rememberMany({ blocks: others })
  await dreamAll(memory)
  await memory.rememberMany({ blocks: asked.map(({ text }) => ({ content: text })) })
  const rowOf = async (how: string, by: Memory): Promise<Row> => ({
    blocks: size,
    how,
    ...(await ask(by, asked)),
  })
  const words = await openMemory(path, { embedder: failing(embedder) })
  const rows = [await rowOf('words alone', words)]
  await words.close()
  await moment(memory)
  rows.push(await rowOf('one process, after a moment', memory))
  const second = await openMemory(path, { embedder })
  rows.push(await rowOf('a second process', second))
  await second.close()
  await dreamAll(memory)
  rows.push(await rowOf('after the dream', memory))
  await memory.close()
  return rows
}

/** Looks until all that waits has a vector: what an open memory does by itself when nobody asks. */
async function moment(memory: Memory): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const { waitingWithoutVector } = await memory.recall({ query: 'anything', reinforce: false })
    if (waitingWithoutVector === undefined) return
  }
}

async function ask(memory: Memory, notes: readonly Note[]): Promise<Omit<Row, 'blocks' | 'how'>> {
  let [questions, served, first] = [0, 0, 0]
  for (const { text, questions: all } of notes)
    for (const { q } of all) {
      const { blocks } = await memory.recall({ query: q, reinforce: false })
      questions++
      if (blocks.some(({ content }) => content === text)) served++
      if (blocks[0]?.content === text) first++
    }
  return { questions, served: served / questions, first: first / questions }
}

/** An embedder that answers nobody: words alone find. */
function failing(embedder: Embedder): Embedder {
  const embed = async () => {
    throw new ElfmemError('EMBEDDER_FAILED', 'Nobody is asked here.', { recovery: 'None is needed.' })
  }
  return { ...embedder, embed }
}

function reportOf(rows: readonly Row[]): string {
  return table(
    ['blocks', 'asked', 'questions', 'served', 'first'],
    rows.map(({ blocks, how, questions, served, first }) => [
      String(blocks),
      how,
      String(questions),
      percent(served),
      percent(first),
    ]),
    2,
  )
}
