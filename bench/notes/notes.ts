import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { type Part, textOf } from '../lib/part.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import type { Table } from '../lib/table.ts'
import { type AskedNote, type Filled, loadHay, loadNotes, missingNotes, storesOf } from './stores.ts'

const QUALITIES = ['match', 'perhaps', 'nothing'] as const

/** What an answer as served said of itself, and where the note asked for stood. */
interface Answer {
  readonly quality: string
  readonly blocks: number
  /** 1 is first; 0: not served. */
  readonly place: number
  /** The same in a ranking of five that leaves nothing out. */
  readonly rankedPlace: number
}

type Shares = Readonly<Record<(typeof QUALITIES)[number], number>>

interface Row {
  readonly size: number
  readonly stores: number
  readonly asked: number
  readonly served1: number
  readonly served5: number
  /** Anywhere in the answer. */
  readonly served: number
  readonly meanBlocks: number
  /** Of the answers to questions whose note is among the first five. */
  readonly right: Shares
  /** Of the answers to questions whose note is not there. */
  readonly absent: Shares
}

export const notes: Bench = {
  name: 'notes',
  summary: 'notes asked in other words, in stores of several sizes, there and missing (--data FILE)',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'JSON with notes and their questions, and negatives',
    },
    locomo: {
      type: 'string',
      place: 'FILE',
      description: 'Conversations in LoCoMo format that fill the largest store; read where they lie',
    },
  },
  run: async ({ data, locomo }, log) => {
    if (typeof data !== 'string') return { report: 'skipped: no --data FILE with notes', data: [] }
    const asked = loadNotes(data)
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows: Row[] = []
    const hay = loadHay(typeof locomo === 'string' ? locomo : undefined)
    for (const { size, stores } of storesOf(asked.notes, hay)) {
      log(`${stores.length} stores of ${size}`)
      const answers = { present: [] as Answer[], absent: [] as Answer[] }
      for (const [i, store] of stores.entries()) {
        const missing = missingNotes(stores, i)
        const told = await askStore(store, { missing, negatives: asked.negatives, embedder })
        answers.present.push(...told.present)
        answers.absent.push(...told.absent)
      }
      rows.push(rowOf({ size, stores: stores.length }, answers))
    }
    return { report: textOf(partsOf(rows)), data: rows }
  },
  present: partsOf,
}

async function askStore(
  { blocks, held }: Filled,
  {
    missing,
    negatives,
    embedder,
  }: {
    readonly missing: readonly AskedNote[]
    readonly negatives: readonly string[]
    readonly embedder: SharedEmbedder
  },
): Promise<{ readonly present: Answer[]; readonly absent: Answer[] }> {
  await using memory = await openMemory(':memory:', { embedder, clock: fixedClock, config: {} })
  for (const { text, session } of blocks) await memory.remember({ content: text, session })
  await dreamAll(memory)
  const present: Answer[] = []
  const absent: Answer[] = []
  for (const { text, questions } of held)
    for (const { q } of questions) present.push(await ask(memory, q, text))
  for (const { text, questions } of missing)
    for (const { q } of questions) absent.push(await ask(memory, q, text))
  for (const negative of negatives) absent.push(await ask(memory, negative, ''))
  return { present, absent }
}

async function ask(memory: Memory, query: string, text: string): Promise<Answer> {
  const served = await memory.recall({ query, reinforce: false })
  const ranking = await memory.recall({
    query,
    topK: 5,
    minStrength: 0,
    tokenBudget: 100_000,
    reinforce: false,
  })
  const placeIn = (blocks: readonly { readonly content: string }[]) =>
    blocks.findIndex(({ content }) => content === text) + 1
  return {
    quality: served.match,
    blocks: served.blocks.length,
    place: placeIn(served.blocks),
    rankedPlace: placeIn(ranking.blocks),
  }
}

function rowOf(
  facts: { readonly size: number; readonly stores: number },
  { present, absent }: { readonly present: readonly Answer[]; readonly absent: readonly Answer[] },
): Row {
  return {
    ...facts,
    asked: present.length,
    served1: mean(present.map(({ place }) => (place === 1 ? 1 : 0))),
    served5: mean(present.map(({ place }) => (place >= 1 && place <= 5 ? 1 : 0))),
    served: mean(present.map(({ place }) => (place > 0 ? 1 : 0))),
    meanBlocks: mean(present.map(({ blocks }) => blocks)),
    right: sharesOf(present.filter(({ rankedPlace }) => rankedPlace > 0)),
    absent: sharesOf(absent),
  }
}

function sharesOf(answers: readonly Answer[]): Shares {
  const shareOf = (name: string) => mean(answers.map(({ quality }) => (quality === name ? 1 : 0)))
  return Object.fromEntries(QUALITIES.map((name) => [name, shareOf(name)])) as Shares
}

function partsOf(rows: readonly Row[]): readonly Part[] {
  const shares = (given: Shares) => QUALITIES.map((name) => given[name].toFixed(2))
  const body: Table = {
    head: [
      'blocks',
      'asked',
      'served hit@1',
      'hit@5',
      'at all',
      'mean blocks',
      ...QUALITIES.map((name) => `right: ${name}`),
      ...QUALITIES.map((name) => `absent: ${name}`),
    ],
    rows: rows.map(({ size, asked, served1, served5, served, meanBlocks, right, absent }) => [
      String(size),
      String(asked),
      served1.toFixed(2),
      served5.toFixed(2),
      served.toFixed(2),
      meanBlocks.toFixed(1),
      ...shares(right),
      ...shares(absent),
    ]),
  }
  return [{ name: 'stores', body }]
}
