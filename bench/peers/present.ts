import type { Part } from '../lib/part.ts'
import { milliseconds, percent, type Table } from '../lib/table.ts'
import { METRICS } from '../locomo/metrics.ts'
import { p50p95 } from '../speed/timed.ts'
import { footprintTable, toolsTable } from './footprint/present.ts'
import type { PeerResult, PeersData } from './peers.ts'
import type { PeerSize } from './speed-part.ts'
import { winsOf } from './wins.ts'

/** The size at which adding is compared. */
const COMPARED_AT = 5_000

/** The tables of a result. */
export function partsOf(data: PeersData): readonly Part[] {
  const { peers } = data
  const parts: Part[] = [{ name: 'contenders', body: contenderTable(peers) }]
  if (sizesOf(peers).length > 0)
    parts.push(
      { name: 'search', title: 'Search, ms p50 / p95', body: searchTable(peers) },
      { name: 'adding', title: `At ${comparedSize(peers)} texts`, body: addTable(peers) },
    )
  if (peers.some(({ footprint }) => footprint))
    parts.push(
      { name: 'footprint', title: 'What it takes to have it', body: footprintTable(peers) },
      { name: 'tools', title: 'What its tools take of a prompt', body: toolsTable(peers) },
    )
  if (peers.some(({ quality }) => quality))
    parts.push({ name: 'found', title: 'Evidence found, %', body: qualityTable(peers) })
  parts.push({ name: 'missing', body: missingList(peers) })
  // Computed from all parts, so that a run of some of them does not hide a loss.
  if (peers.some(({ speed, footprint, quality }) => speed && footprint && quality))
    parts.push({ name: 'wins', title: 'Where others win', body: winsOf(peers, comparedSize(peers)) })
  return parts
}

function missingList(peers: readonly PeerResult[]): string {
  const missing = peers.flatMap(({ name, notMeasured, speed, footprint }) => [
    ...[...notMeasured, ...(footprint?.lacking ?? [])].map((reason) => `- ${name} not measured: ${reason}.`),
    ...(speed?.stopped === undefined ? [] : [`- ${name} not measured at more texts: ${speed.stopped}.`]),
  ])
  return missing.join('\n') || 'Everybody was measured in everything.'
}

function sizesOf(peers: readonly PeerResult[]): number[] {
  const sizes = peers.flatMap(({ speed }) => speed?.sizes.map(({ texts }) => texts) ?? [])
  return [...new Set(sizes)].sort((a, b) => a - b)
}

/** The size at which adding is compared, or the largest below it that somebody reached. */
function comparedSize(peers: readonly PeerResult[]): number {
  return sizesOf(peers).findLast((size) => size <= COMPARED_AT) ?? sizesOf(peers)[0] ?? 0
}

function at(peer: PeerResult | undefined, texts: number): PeerSize | undefined {
  return peer?.speed?.sizes.find((size) => size.texts === texts)
}

function contenderTable(peers: readonly PeerResult[]): Table {
  return {
    head: ['memory', 'version', 'how it was driven'],
    rows: peers.map(({ name, version, note }) => [name, version, note]),
    textColumns: 3,
  }
}

function searchTable(peers: readonly PeerResult[]): Table {
  const sizes = sizesOf(peers)
  return {
    head: ['search, ms p50 / p95', ...sizes.map((size) => `${size.toLocaleString('en')} texts`)],
    rows: peers.map((peer) => [
      peer.name,
      ...sizes.map((size) => {
        const measured = at(peer, size)
        return measured ? p50p95(measured.search) : '–'
      }),
    ]),
  }
}

function addTable(peers: readonly PeerResult[]): Table {
  const size = comparedSize(peers)
  return {
    head: [
      'memory',
      'add, ms p50 / p95',
      'then findable, ms a text',
      'its sentence found, %',
      'disk, MB',
      'peak memory, MB',
    ],
    rows: peers.flatMap((peer) => {
      const measured = at(peer, size)
      if (!measured) return []
      const { add, settle, found, megabytes } = measured
      return [
        [
          peer.name,
          p50p95(add),
          settle === 0 ? 'at once' : milliseconds(settle),
          percent(found),
          megabytes.toFixed(1),
          peer.speed?.peakMegabytes?.toFixed(0) ?? '–',
        ],
      ]
    }),
  }
}

const QUALITY_HEADS = ['R@5', 'R@10', 'R@20', 'hit@5', 'MRR']

function qualityTable(peers: readonly PeerResult[]): Table {
  return {
    head: ['memory', ...QUALITY_HEADS],
    rows: peers.flatMap(({ name, quality }) =>
      quality ? [[name, ...METRICS.map((metric) => percent(quality[metric]))]] : [],
    ),
  }
}
