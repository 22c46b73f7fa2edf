import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Memory } from '../../src/index.ts'
import { rememberByDate } from '../lib/by-date.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import type { NoteSet, Question } from './sets.ts'

/** The settings of a recall without any rule of versions. */
const UNARRANGED = { recall: { newerFirst: 100 } }

/** The ranking of one question. */
export interface Ranking {
  /** Number of entries that the answer shows. */
  readonly shown: number
  /** The best of the ranking, those of the answer first and in its order. */
  readonly found: readonly { readonly id: string; readonly rank: number; readonly cosine: number }[]
}

/** A set with the rankings of its questions in their order, and the vectors of its notes by their texts. */
export interface RankedSet {
  readonly set: NoteSet
  readonly rankings: readonly Ranking[]
  readonly vectors: ReadonlyMap<string, Float32Array>
}

const CACHE = join(tmpdir(), 'elfmem-fit-versions')
const FOUND = 40

/** Ranks the questions of a set, or reads the rankings that an earlier run left in the temporary folder. */
export async function ranked(set: NoteSet, embedder: SharedEmbedder, anew = false): Promise<RankedSet> {
  const key = createHash('sha256')
    .update(JSON.stringify([set, UNARRANGED]))
    .digest('hex')
  const path = join(CACHE, `${key}.json`)
  const texts = [...new Set(set.notes.map(({ text }) => text))]
  if (anew || !existsSync(path)) {
    const rankings = await rankingsOf(set, embedder)
    const vectors = (await embedder.vectorsOf(texts)).map((vector) =>
      Buffer.from(vector.buffer).toString('base64'),
    )
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(path, JSON.stringify({ rankings, vectors }))
  }
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { rankings: Ranking[]; vectors: string[] }
  const vectorOf = (packed: string) => new Float32Array(Uint8Array.from(Buffer.from(packed, 'base64')).buffer)
  return {
    set,
    rankings: kept.rankings,
    vectors: new Map(kept.vectors.map((packed, i) => [texts[i] as string, vectorOf(packed)])),
  }
}

/** Remembers the notes of each store by date and asks its questions at the end. */
async function rankingsOf({ notes, questions }: NoteSet, embedder: SharedEmbedder): Promise<Ranking[]> {
  const rankings = new Map<Question, Ranking>()
  for (const [store, asked] of Map.groupBy(questions, (question) => question.store)) {
    const own = notes.filter((note) => note.store === store)
    const speakers = new Map(own.map(({ id, speaker }) => [id, speaker]))
    const given = ({ id }: { readonly id: string }) => {
      const source = speakers.get(id)
      return source === undefined ? {} : { source }
    }
    const { memory, idOf } = await rememberByDate(own, { embedder, given, config: UNARRANGED })
    const noteOf = new Map(own.map(({ id }) => [idOf(id), id]))
    for (const question of asked) rankings.set(question, await rankingOf(memory, question.text, noteOf))
    await memory.close()
  }
  return questions.map((question) => rankings.get(question) as Ranking)
}

async function rankingOf(
  memory: Memory,
  text: string,
  noteOf: ReadonlyMap<string, string>,
): Promise<Ranking> {
  const { blocks, candidates = [] } = await memory.recall({
    query: text.replace(/["“”„]/g, ''),
    ...{ reinforce: false, explain: 'candidates' },
  })
  const weighed = new Map(candidates.slice(0, FOUND).map((each) => [each.id, each]))
  const served = blocks.map(({ id }) => id).filter((id) => weighed.has(id))
  const found = [...new Set([...served, ...weighed.keys()])].flatMap((id) => {
    const { rank = 0, cosine = 0 } = weighed.get(id)?.explanation?.match ?? {}
    const note = noteOf.get(id)
    return note === undefined ? [] : [{ id: note, rank, cosine }]
  })
  return { shown: served.length, found }
}
