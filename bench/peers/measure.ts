import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Log } from '../lib/bench.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/embedders.ts'
import { sizeOf } from '../lib/files.ts'
import { mean } from '../lib/statistics.ts'
import { askAll, rememberTurns } from '../locomo/ask.ts'
import type { Conversation } from '../locomo/loader.ts'
import { type Found, judge, type Means, meansOf } from '../locomo/metrics.ts'
import { questionAbout, sentence } from '../speed/sentences.ts'
import { type Timing, timing } from '../speed/timed.ts'
import type { Contender } from './contenders.ts'
import { PeerDriver } from './driver.ts'
import type { Installed } from './install.ts'

/** A contender that is installed. */
export interface Ready {
  readonly contender: Contender
  readonly installed: Installed
}

/** The measures of a contender that holds so many texts. Times are in milliseconds. */
interface PeerSize {
  readonly texts: number
  readonly search: Timing
  /** Time of a call that takes in one text. */
  readonly add: Timing
  /** Time to make a text findable, for each new text of this size; 0 if that is no step of its own. */
  readonly settle: number
  /** Share of the questions whose sentence is among the five found. */
  readonly found: number
  readonly megabytes: number
}

/** A contender's times, size by size. */
export interface PeerSpeed {
  readonly version: string
  readonly sizes: readonly PeerSize[]
  readonly peakMegabytes?: number
}

const HASHED = 384
/** Searches and single additions timed at each size. */
const SEARCHES = 100
const ADDS = 50

/** Returns the places of the sentences that are asked for when there are so many. */
function askedAt(size: number): number[] {
  return Array.from({ length: SEARCHES }, (_, i) => (i * 7_919 + 13) % size)
}

/** Fills a contender step by step with sentences and measures it at each size; the single additions of a size stay in it. */
export async function measureSpeed(
  { contender, installed }: Ready,
  { home, sizes, log }: { readonly home: string; readonly sizes: readonly number[]; readonly log: Log },
): Promise<PeerSpeed> {
  const most = Math.max(...sizes)
  const texts = Array.from({ length: most + ADDS * sizes.length }, (_, i) => sentence(i))
  const questions = sizes.flatMap((size) => askedAt(size).map(questionAbout))
  const vectors = await shareEmbedder(createHashingEmbedder({ dimensions: HASHED })).vectorsOf([
    ...texts,
    ...questions,
  ])
  const corpus = { texts, questions, dimensions: HASHED, embedder: 'hashing' as const, vectors }
  await using driver = await PeerDriver.open(contender, installed, home, corpus)
  const measured: PeerSize[] = []
  for (const [i, size] of sizes.entries()) {
    log(`${contender.name}: ${size} texts`)
    const before = sizes[i - 1] ?? 0
    const { settleMs } = await driver.ask('fill', { from: before, until: size })
    const places = { from: i * SEARCHES, until: (i + 1) * SEARCHES }
    const { ms, found } = await driver.ask('search', { ...places, topK: 5, effects: true })
    const asked = askedAt(size)
    const megabytes = sizeOf(join(home, 'memory')) / 1e6
    const late = most + i * ADDS
    const added = await driver.ask('add', { from: late, until: late + ADDS })
    measured.push({
      ...{ texts: size, search: timing(ms), add: timing(added.ms), megabytes },
      settle: settleMs / (size - before),
      found: mean(found.map((each, at) => Number(each.includes(asked[at] as number)))),
    })
  }
  return { version: driver.version, sizes: measured, ...(await driver.ask('close', {})) }
}

const TOP_K = 20

/** Measures what a contender finds of the evidence: one memory a conversation, one text a turn, each question asked for its first 20. */
export async function measureQuality(
  { contender, installed }: Ready,
  {
    home,
    conversations,
    embedder,
  }: {
    readonly home: string
    readonly conversations: readonly Conversation[]
    readonly embedder: SharedEmbedder
  },
): Promise<Means> {
  const all: Found[] = []
  for (const { id, turns, questions } of conversations) {
    const place = join(home, id)
    mkdirSync(place, { recursive: true })
    if (contender.key === 'elfmem') {
      // Speaker, session and time are arguments of `remember`, as in the bench of conversations.
      const kept = await rememberTurns(join(place, 'memory.db'), turns, embedder)
      all.push(...(await askAll(kept, questions, { embedder, topK: TOP_K })))
      continue
    }
    // Other memories know no speaker. Their texts name it, because they would find far less without it.
    const texts = turns.map(({ speaker, content }) => `${speaker}: ${content}`)
    const asked = questions.map(({ text }) => text)
    const vectors = await embedder.vectorsOf([...texts, ...asked])
    const dimensions = (vectors[0] as Float32Array).length
    const corpus = { texts, questions: asked, dimensions, embedder: 'shipped' as const, vectors }
    await using driver = await PeerDriver.open(contender, installed, place, corpus)
    await driver.ask('fill', { from: 0, until: texts.length })
    const range = { from: 0, until: asked.length }
    const { found } = await driver.ask('search', { ...range, topK: TOP_K, effects: false })
    for (const [i, places] of found.entries()) {
      const ranked = places.map((at) => [(turns[at] as { readonly id: string }).id])
      all.push(judge(ranked, questions[i]?.evidence ?? new Set()))
    }
  }
  return meansOf(all)
}
