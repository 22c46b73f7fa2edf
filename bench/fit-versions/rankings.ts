import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Memory } from '../../src/index.ts'
import { rememberByDate } from '../lib/by-date.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { Note, Store } from './sets.ts'

/** Settings under which nothing is guessed about versions. */
export const RANKING_ALONE = { recall: { newerFirst: 100 } }

/** The ranking of one question. */
export interface Ranking {
  /** Number of entries that the answer shows. */
  readonly shown: number
  /** The best matches, best first, with their ranks and their cosines to the question. */
  readonly found: readonly { readonly id: string; readonly rank: number; readonly cosine: number }[]
}

/** The rankings of a store's questions in their order, and the vectors of its notes in theirs. */
export interface Ranked {
  readonly rankings: readonly Ranking[]
  readonly vectors: readonly Float32Array[]
}

const CACHE = join(tmpdir(), 'elfmem-fit-versions')
const FOUND_MOST = 40

/** Asks the questions of a store, or reads what an earlier run left in the temporary folder. */
export async function ranked(store: Store, embedder: SharedEmbedder, isAnew: boolean): Promise<Ranked> {
  const key = createHash('sha256')
    .update(JSON.stringify([store, RANKING_ALONE]))
    .digest('hex')
  const path = join(CACHE, `${key}.json`)
  if (isAnew || !existsSync(path)) {
    const rankings = await rankingsOf(store, embedder)
    const vectors = await embedder.vectorsOf(store.notes.map(({ text }) => text))
    mkdirSync(CACHE, { recursive: true })
    const packed = vectors.map(({ buffer }) => Buffer.from(buffer).toString('base64'))
    writeFileSync(path, JSON.stringify({ rankings, packed }))
  }
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { rankings: Ranking[]; packed: string[] }
  const unpack = (text: string) => new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)
  return { rankings: kept.rankings, vectors: kept.packed.map(unpack) }
}

/** Returns the arguments of `remember` that name the speaker of a note. */
export function speakersOf(notes: readonly Note[]): (note: { readonly id: string }) => { source?: string } {
  const speakers = new Map(notes.flatMap(({ id, speaker }) => (speaker ? [[id, speaker]] : [])))
  return ({ id }) => {
    const source = speakers.get(id)
    return source === undefined ? {} : { source }
  }
}

async function rankingsOf({ notes, questions }: Store, embedder: SharedEmbedder): Promise<Ranking[]> {
  const filling = { embedder, given: speakersOf(notes), config: RANKING_ALONE }
  const { memory, idOf } = await rememberByDate(notes, filling)
  const noteOf = new Map(notes.map(({ id }) => [idOf(id), id]))
  const rankings: Ranking[] = []
  for (const { text } of questions) rankings.push(await rankingOf(memory, text, noteOf))
  await memory.close()
  return rankings
}

async function rankingOf(
  memory: Memory,
  query: string,
  noteOf: ReadonlyMap<string, string>,
): Promise<Ranking> {
  const { blocks, candidates = [] } = await memory.recall({ query, reinforce: false, explain: true })
  const weighed = new Map(candidates.slice(0, FOUND_MOST).map((each) => [each.id, each]))
  const shown = blocks.map(({ id }) => id).filter((id) => weighed.has(id))
  const found = [...new Set([...shown, ...weighed.keys()])].flatMap((block) => {
    const { rank = 0, cosine = 0 } = weighed.get(block)?.explanation?.match ?? {}
    const id = noteOf.get(block)
    return id === undefined ? [] : [{ id, rank, cosine }]
  })
  return { shown: shown.length, found }
}
