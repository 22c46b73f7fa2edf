import { milliseconds, type Part, percent, type Table } from '../lib/table.ts'
import { METRIC_HEADS, METRICS } from '../locomo/metrics.ts'
import { p50p95, type Timing } from '../speed/timed.ts'
import { CONTENDERS } from './contenders.ts'
import type { PeerResult } from './peers.ts'

type Peers = readonly PeerResult[]

/** Adding is compared at this size, or at the largest below it that a contender reached. */
const COMPARED_AT = 5_000
/** Characters that elfmem counts as one token. */
const CHARACTERS_A_TOKEN = 4
const NOT_MEASURED = 'not measured'

/** Returns the tables of a result. */
export function partsOf(peers: Peers): readonly Part[] {
  const sizes = [...new Set(peers.flatMap(({ speed }) => speed?.sizes.map(({ texts }) => texts) ?? []))].sort(
    (a, b) => a - b,
  )
  const compared = sizes.findLast((size) => size <= COMPARED_AT) ?? sizes[0] ?? 0
  const footed = peers.filter(({ footprint }) => footprint)
  const isWhole = peers.some(({ speed, footprint, quality }) => speed && footprint && quality)
  const found = peers.flatMap(({ name, quality }) =>
    quality ? [[name, ...METRICS.map((metric) => percent(quality[metric]))]] : [],
  )
  const parts: readonly Part[] = [
    {
      name: 'contenders',
      body: {
        head: ['memory', 'version', 'how it was driven'],
        rows: peers.map(({ name, version, note }) => [name, version, note]),
        textColumns: 3,
      },
    },
    { name: 'search', title: 'Search, ms p50 / p95', body: searchTable(peers, sizes) },
    { name: 'adding', title: `At ${compared} texts`, body: addTable(peers, compared) },
    { name: 'footprint', title: 'The cost of having it', body: footprintTable(footed) },
    { name: 'tools', title: 'The tools in a prompt', body: toolsTable(footed) },
    { name: 'found', title: 'Evidence found, %', body: { head: ['memory', ...METRIC_HEADS], rows: found } },
    { name: 'missing', body: missingList(peers) },
    // The list is shown only for a run of all parts, so that no loss is hidden.
    { name: 'wins', title: 'Where others win', body: isWhole ? winsOf(peers, compared) : '' },
  ]
  return parts.filter(({ body }) => (typeof body === 'string' ? body !== '' : body.rows.length > 0))
}

function missingList(peers: Peers): string {
  const lines = peers.flatMap(({ key, name, notMeasured, footprint }) => {
    const ways = CONTENDERS.find((each) => each.key === key)?.ways
    const lacking = [
      ...(typeof ways?.server === 'string' ? [`server: ${ways.server}`] : []),
      ...(typeof ways?.server === 'function' && ways.tool === undefined
        ? [`first answer of the server: ${ways.command}`]
        : []),
      ...(typeof ways?.command === 'string' ? [`command: ${ways.command}`] : []),
    ]
    const reasons = [...notMeasured, ...(footprint ? lacking : [])]
    return reasons.map((reason) => `- ${name} not measured: ${reason}.`)
  })
  return lines.join('\n') || 'Everybody was measured in everything.'
}

function at({ speed }: PeerResult, texts: number) {
  return speed?.sizes.find((size) => size.texts === texts)
}

function searchTable(peers: Peers, sizes: readonly number[]): Table {
  const cell = (peer: PeerResult, size: number) => {
    const measured = at(peer, size)
    return measured ? p50p95(measured.search) : '–'
  }
  return {
    head: ['search, ms p50 / p95', ...sizes.map((size) => `${size.toLocaleString('en')} texts`)],
    rows:
      sizes.length === 0 ? [] : peers.map((peer) => [peer.name, ...sizes.map((size) => cell(peer, size))]),
  }
}

function addTable(peers: Peers, size: number): Table {
  return {
    head: [
      ...['memory', 'add, ms p50 / p95', 'then findable, ms a text', 'its sentence found, %'],
      ...['disk, MB', 'peak memory, MB'],
    ],
    rows: peers.flatMap((peer) => {
      const measured = at(peer, size)
      if (!measured) return []
      const { add, settle, found, megabytes } = measured
      return [
        [
          ...[peer.name, p50p95(add), settle === 0 ? 'at once' : milliseconds(settle), percent(found)],
          ...[megabytes.toFixed(1), peer.speed?.peakMegabytes?.toFixed(0) ?? '–'],
        ],
      ]
    }),
  }
}

function footprintTable(peers: Peers): Table {
  const cell = (time: Timing | undefined) => (time ? p50p95(time) : NOT_MEASURED)
  return {
    head: [
      ...['memory', 'install, MB', 'server lists its tools, ms p50 / p95'],
      ...['server answers, ms p50 / p95', 'command answers, ms p50 / p95'],
    ],
    rows: peers.map(({ name, footprint }) => [
      ...[name, megabytesOf((footprint?.installBytes ?? 0) / 1e6)],
      ...[footprint?.listed, footprint?.answered, footprint?.command].map(cell),
    ]),
  }
}

function toolsTable(peers: Peers): Table {
  const head = ['memory', 'tools', 'characters', 'tokens', 'tokens without output schemas']
  const rows = peers.map(({ name, footprint }) => {
    const tools = footprint?.tools
    if (!tools) return [name, ...Array(head.length - 1).fill(NOT_MEASURED)]
    const { count, characters, promptCharacters } = tools
    const numbers = [count, characters, tokensOf(characters), tokensOf(promptCharacters)]
    return [name, ...numbers.map((value) => value.toLocaleString('en'))]
  })
  return { head, rows }
}

function tokensOf(characters: number): number {
  return Math.floor(characters / CHARACTERS_A_TOKEN)
}

/** Returns megabytes with as many decimals as tell something. */
function megabytesOf(megabytes: number): string {
  return megabytes.toFixed(megabytes < 10 ? 1 : 0)
}

/** A measure in which somebody may be ahead of elfmem; it returns nothing where it was not measured. */
type Measure = readonly [
  what: string,
  of: (peer: PeerResult) => number | undefined,
  show: (value: number) => string,
]

const ms = (value: number) => `${milliseconds(value)} ms`
const share = (value: number) => `${percent(value)} %`
const megabytes = (value: number) => `${megabytesOf(value)} MB`

/** Returns the measures in which somebody is ahead of elfmem, as a list in Markdown; computed, so that no loss is left out. */
function winsOf(peers: Peers, size: number): string {
  const texts = `${size.toLocaleString('en')} texts`
  // The time of a search says nothing about a system that finds none of its sentences.
  const finding = (peer: PeerResult) => (at(peer, size)?.found === 0 ? undefined : at(peer, size))
  const findable = (peer: PeerResult) => {
    const measured = at(peer, size)
    return measured && measured.add.p50 + measured.settle
  }
  const costs: readonly Measure[] = [
    [`search among ${texts}, p50`, (peer) => finding(peer)?.search.p50, ms],
    [`search among ${texts}, p95`, (peer) => finding(peer)?.search.p95, ms],
    ['adding a text, p50', (peer) => at(peer, size)?.add.p50, ms],
    ['time until an added text can be found', findable, ms],
    ['disk', (peer) => at(peer, size)?.megabytes, megabytes],
    ['peak memory', ({ speed }) => speed?.peakMegabytes, megabytes],
    ['install', ({ footprint }) => footprint && footprint.installBytes / 1e6, megabytes],
    ['server lists its tools, p50', ({ footprint }) => footprint?.listed?.p50, ms],
    ['server answers a search, p50', ({ footprint }) => footprint?.answered?.p50, ms],
    ['command answers a search, p50', ({ footprint }) => footprint?.command?.p50, ms],
    [
      'tools in a prompt',
      ({ footprint }) => footprint?.tools?.characters,
      (characters) => `${tokensOf(characters).toLocaleString('en')} tokens`,
    ],
  ]
  const gains: readonly Measure[] = [
    ['own sentence found', (peer) => at(peer, size)?.found, share],
    ...METRICS.map(
      (metric, i) => [METRIC_HEADS[i] ?? '', (peer: PeerResult) => peer.quality?.[metric], share] as const,
    ),
  ]
  const ours = peers.find(({ key }) => key === 'elfmem')
  const linesOf = (measures: readonly Measure[], sign: 1 | -1) =>
    measures.flatMap(([what, of, show]) => {
      const own = ours && of(ours)
      if (own === undefined) return []
      const ahead = peers.filter((peer) => sign * ((of(peer) ?? own) - own) > 0)
      if (ahead.length === 0) return []
      const who = ahead.map((peer) => `${peer.name} ${show(of(peer) as number)}`).join(', ')
      return [`- ${what}: ${who}; elfmem ${show(own)}`]
    })
  const lines = [...linesOf(costs, -1), ...linesOf(gains, 1)]
  return lines.length === 0 ? 'Nobody is ahead of elfmem in anything measured here.' : lines.join('\n')
}
