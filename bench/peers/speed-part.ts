import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { sizeOf } from '../lib/folder-size.ts'
import { mean } from '../lib/statistics.ts'
import { questionAbout, sentence } from '../speed/sentences.ts'
import { type Timing, timing } from '../speed/timed.ts'
import type { Contender } from './contenders.ts'
import { writeCorpus } from './corpus.ts'
import { PeerDriver } from './driver.ts'
import type { Installed } from './install.ts'

/** A contender holding so many texts. Times in milliseconds. */
export interface PeerSize {
  readonly texts: number
  readonly search: Timing
  /** Mean processor time of a search; absent where another process does the work. */
  readonly searchCpu?: number
  /** Taking in one text, until the call returns. */
  readonly add: Timing
  /** Making a text findable where that is a step of its own, for each text that was new at this size; else 0. */
  readonly settle: number
  /** Share of the questions whose sentence is among those found. */
  readonly found: number
  readonly megabytes: number
}

/** A contender's times, size by size. */
export interface PeerSpeed {
  readonly version: string
  readonly sizes: readonly PeerSize[]
  readonly peakMegabytes?: number
  /** Texts embedded though no vector was given for them. */
  readonly computed: number
  /** Why larger sizes are missing. */
  readonly stopped?: string
}

export interface SpeedPlan {
  readonly folder: string
  /** Texts asked for. */
  readonly topK: number
  /** Ascending. */
  readonly sizes: readonly number[]
  /** Searches and single additions timed at each size. */
  readonly searches: number
  readonly adds: number
  /** A size is not begun when filling it would probably take longer. */
  readonly fillSeconds: number
  readonly searchSeconds: number
}

const HASHED = 384

/** Writes the sentences and for each size its questions, the same for everybody. */
export async function writeSentences(folder: string, { sizes, searches, adds }: SpeedPlan): Promise<void> {
  const most = Math.max(...sizes) + adds * sizes.length
  const texts = Array.from({ length: most }, (_, i) => sentence(i))
  const questions = sizes.flatMap((size) => askedAt(size, searches).map(questionAbout))
  const vectors = await createHashingEmbedder({ dimensions: HASHED }).embed([...texts, ...questions])
  mkdirSync(folder, { recursive: true })
  writeCorpus(folder, { texts, questions, dimensions: HASHED, embedder: 'hashing', vectors })
}

/** Which sentences are asked for when there are so many. */
function askedAt(size: number, searches: number): number[] {
  return Array.from({ length: searches }, (_, i) => (i * 7_919 + 13) % size)
}

/** Fills a contender step by step and measures it at each size; the single additions of a size stay in it. */
export async function measurePeerSpeed(
  contender: Contender,
  installed: Extract<Installed, { command: string }>,
  {
    plan,
    corpus,
    log,
  }: { readonly plan: SpeedPlan; readonly corpus: string; readonly log: (line: string) => void },
): Promise<PeerSpeed> {
  const folder = join(plan.folder, contender.key)
  mkdirSync(folder)
  await using driver = new PeerDriver(contender, installed)
  const { version } = await driver.ask<'open'>({ op: 'open', corpus, folder, packages: installed.packages })
  const measured: PeerSize[] = []
  let filled = 0
  let stopped: string | undefined
  let perText = 0
  for (const [i, texts] of plan.sizes.entries()) {
    // What each text took so far, were it to grow with the number of texts.
    const expected = (perText * (texts - filled) * (filled === 0 ? 1 : texts / filled)) / 1000
    if (expected > plan.fillSeconds) {
      stopped = `filling it with ${texts} texts would take about ${expected.toFixed(0)} s`
      log(`${contender.name}: ${stopped}`)
      break
    }
    log(`${contender.name}: ${texts} texts`)
    const fill = { op: 'fill', from: filled, until: texts, seconds: plan.fillSeconds } as const
    const { until, addMs, settleMs } = await driver.ask<'fill'>(fill)
    if (until < texts) {
      stopped = `it held ${until} texts after ${plan.fillSeconds} more seconds of filling`
      log(`${contender.name}: ${stopped}`)
      break
    }
    const count = texts - filled
    perText = (addMs + settleMs) / count
    filled = texts
    const from = i * plan.searches
    const { ms, cpuMs, found } = await driver.ask<'search'>({
      op: 'search',
      from,
      until: from + plan.searches,
      topK: plan.topK,
      seconds: plan.searchSeconds,
      effects: true,
    })
    const asked = askedAt(texts, plan.searches)
    const hits = found.map((places, at) => (places.includes(asked[at] as number) ? 1 : 0))
    const megabytes = sizeOf(folder) / 1e6
    const late = Math.max(...plan.sizes) + i * plan.adds
    const added = await driver.ask<'add'>({ op: 'add', from: late, until: late + plan.adds })
    measured.push({
      texts,
      search: timing(ms),
      ...(cpuMs === undefined ? {} : { searchCpu: cpuMs / ms.length }),
      add: timing(added.ms),
      settle: settleMs / count,
      found: mean(hits),
      megabytes,
    })
  }
  const { peakMegabytes, computed } = await driver.ask<'close'>({ op: 'close' })
  return {
    version,
    sizes: measured,
    computed,
    ...(peakMegabytes === undefined ? {} : { peakMegabytes }),
    ...(stopped === undefined ? {} : { stopped }),
  }
}
