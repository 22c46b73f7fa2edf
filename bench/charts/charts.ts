import type { Result } from '../lib/result.ts'
import { milliseconds, percent } from '../lib/table.ts'
import type { PeersData } from '../peers/peers.ts'
import type { SpeedData } from '../speed/speed.ts'
import { barChart } from './bar-chart.ts'
import { lineChart, type Series } from './line-chart.ts'

type Results = ReadonlyMap<string, Result>

/** The pictures of the page by their file names, as far as there are results for them. */
export function chartsOf(results: Results): Readonly<Record<string, string>> {
  const speed = results.get('speed')?.data as SpeedData | undefined
  const peers = results.get('peers')?.data as PeersData | undefined
  return {
    ...(peers?.peers.some(({ speed: times }) => times) ? { 'search-time.svg': searchTime(peers) } : {}),
    ...(peers?.peers.some(({ quality: found }) => found) ? { 'quality.svg': quality(peers) } : {}),
    ...(speed && speed.dream.length > 0 ? { 'dream.svg': dream(speed, peers) } : {}),
    ...(speed && speed.engine.length > 1 ? { 'recall-time.svg': recallTime(speed) } : {}),
  }
}

function searchTime({ peers }: PeersData): string {
  const series = peers.map(
    ({ name, speed }): Series => ({
      name,
      points: speed?.sizes.map(({ texts, search }) => ({ x: texts, y: search.p50 })) ?? [],
    }),
  )
  return lineChart({
    title: 'One search among so many texts',
    description: `Median milliseconds of a search, question vectors given, by the number of texts: ${inWords(series)}.`,
    xLabel: 'texts',
    yLabel: 'ms, median',
    series,
  })
}

function quality({ peers }: PeersData): string {
  const bars = peers.flatMap(({ key, name, quality: found }) =>
    found ? [{ name, value: found.recall10, ours: key === 'elfmem' }] : [],
  )
  const said = bars.map(({ name, value }) => `${name} ${percent(value)}`).join(', ')
  return barChart({
    title: 'Evidence among the first ten (LoCoMo, recall@10, %)',
    description: `Share of the evidence of a question found among the first ten texts: ${said}.`,
    bars,
  })
}

function dream({ dream: parts }: SpeedData, peers: PeersData | undefined): string {
  const python = peers?.peers.find(({ key }) => key === 'python-elfmem')?.speed?.sizes ?? []
  const series: Series[] = [
    {
      name: 'elfmem',
      // A logarithm has no place for an empty memory.
      points: parts
        .filter(({ blocks }) => blocks > 0)
        .map(({ blocks, perSecond }) => ({ x: blocks, y: perSecond })),
    },
    {
      name: 'Python elfmem',
      points: python.map(({ texts, settle }) => ({ x: texts, y: 1000 / settle })),
    },
  ]
  return lineChart({
    title: 'Blocks dreamt in a second',
    description: `Blocks a second, vectors given or hashed, by the blocks that are there: ${inWords(series)}.`,
    xLabel: 'blocks in memory',
    yLabel: 'blocks a second',
    series,
  })
}

function recallTime({ engine }: SpeedData): string {
  const line = (name: string, of: (part: SpeedData['engine'][number]) => number): Series => ({
    name,
    points: engine.map((part) => ({ x: part.blocks, y: of(part) })),
  })
  const series = [
    line('median', ({ recall }) => recall.attention.p50),
    line('95th percentile', ({ recall }) => recall.attention.p95),
    line('reinforce: false', ({ look }) => look.attention.p50),
  ]
  return lineChart({
    title: 'One recall of elfmem among so many blocks',
    description: `Milliseconds of a recall, question vectors given, by the blocks in memory: ${inWords(series)}.`,
    xLabel: 'blocks in memory',
    yLabel: 'ms',
    series,
  })
}

function inWords(series: readonly Series[]): string {
  return series
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const last = points.at(-1) as Series['points'][number]
      return `${name} ${milliseconds(last.y)} at ${last.x.toLocaleString('en')}`
    })
    .join('; ')
}
