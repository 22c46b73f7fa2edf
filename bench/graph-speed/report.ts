import type { Part } from '../lib/part.ts'
import { milliseconds, percent, points, type Table } from '../lib/table.ts'
import { p50p95 } from '../speed/timed.ts'
import type { Durable } from './connecting.ts'
import type { CuratePart } from './curating.ts'
import type { GraphSpeed } from './graph-speed.ts'
import { EXPANSIONS, type RecallPart } from './recalling.ts'

/** What is asked of a graph of 50,000 blocks and 250,000 edges; times in milliseconds. */
const LIMITS = { connect: 2, expansion: 0.3, curate: 5_000, lock: 100 }

const verdict = (value: number, limit: number, unit: string) =>
  `${value <= limit ? 'kept' : 'MISSED'} (≤ ${limit} ${unit})`

/** The tables of a result. */
export function partsOf(measured: GraphSpeed): readonly Part[] {
  const { blocks, edges, buildSeconds, megabytes } = measured
  return [
    {
      name: 'size',
      body: `${blocks} active blocks, ${edges} edges, ${megabytes.toFixed(0)} MB, built in ${buildSeconds.toFixed(1)} s`,
    },
    { name: 'writes', body: writesTable(measured) },
    { name: 'recall', body: recallTable(measured.recall) },
    { name: 'expansion', body: expansionLine(measured.recall) },
    { name: 'curate', body: curateTable(measured) },
  ]
}

function writesTable({ commit, connect, outcome, remember, status, dream }: GraphSpeed): Table {
  const row = (name: string, time: Durable, limit?: number) => [
    name,
    p50p95(time),
    milliseconds(time.beforeCommit),
    limit === undefined ? '' : verdict(time.p50, limit, 'ms'),
  ]
  return {
    head: ['ms p50 / p95, each call durable', 'whole', 'before commit', 'wanted'],
    rows: [
      ['a commit of next to nothing', p50p95(commit)],
      row('connect, a new pair', connect.fresh, LIMITS.connect),
      row('connect, reinforced', connect.reinforced, LIMITS.connect),
      row('connect, full blocks, two give way', connect.displacing, LIMITS.connect),
      row('connect, deferred', connect.deferred, LIMITS.connect),
      ['connects, 100 edges', milliseconds(connect.hundred)],
      row('disconnect', connect.disconnect),
      ['outcome, 3 blocks', p50p95(outcome)],
      ['remember', p50p95(remember)],
      ['status', p50p95(status)],
      ['dream, blocks/s', dream.toFixed(0)],
    ],
  }
}

const RECALLS = [
  ['reinforce false', 'look'],
  ['reinforce true', 'reinforce'],
  ['suggest', 'suggest'],
  ['self frame', 'self'],
] as const satisfies readonly (readonly [string, keyof RecallPart])[]

/** Extra cost of a recall with the expansion, as a share of its cost without. */
function more(times: RecallPart['look']): number {
  return times.neighbours.p50 / times.off.p50 - 1
}

function recallTable(recall: RecallPart): Table {
  return {
    head: ['recall, ms p50 / p95', ...EXPANSIONS, 'neighbours, %'],
    rows: RECALLS.map(([name, kind]) => [
      name,
      ...EXPANSIONS.map((expansion) => p50p95(recall[kind][expansion])),
      points(more(recall[kind])),
    ]),
  }
}

function expansionLine(recall: RecallPart): string {
  const worst = Math.max(more(recall.look), more(recall.reinforce))
  return (
    `expansion costs at most ${percent(worst)} % more: ${verdict(Math.round(100 * worst), 100 * LIMITS.expansion, '%')}; ` +
    `an edge brought ${percent(recall.brought)} % of the blocks shown; first recall after opening ${milliseconds(recall.open)} ms`
  )
}

function curateTable({ curate, curateAgain }: GraphSpeed): Table {
  const row = (name: string, cell: (part: CuratePart) => string, wanted = '') => [
    name,
    cell(curate),
    cell(curateAgain),
    wanted,
  ]
  const longest = Math.max(curate.held.longest, curate.waits.longest)
  return {
    head: ['curate', 'first', 'again', 'wanted'],
    rows: [
      row(
        'whole, ms',
        ({ seconds }) => milliseconds(1000 * seconds),
        verdict(1000 * curate.seconds, LIMITS.curate, 'ms'),
      ),
      row('transactions', ({ transactions }) => String(transactions)),
      row('lock held, ms p95', ({ held }) => milliseconds(held.p95)),
      row(
        'lock held, ms longest',
        ({ held }) => milliseconds(held.longest),
        verdict(longest, LIMITS.lock, 'ms'),
      ),
      row('another process waited, ms p95', ({ waits }) => milliseconds(waits.p95)),
      row('another process waited, ms longest', ({ waits }) => milliseconds(waits.longest)),
      row('edges removed', ({ edgesRemoved }) => String(edgesRemoved)),
      row('blocks archived', ({ archived }) => String(archived)),
      row('pairs promoted', ({ promoted }) => String(promoted)),
      row('log entries trimmed', ({ logTrimmed }) => String(logTrimmed)),
    ],
  }
}
