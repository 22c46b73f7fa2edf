import { milliseconds, percent, points, table } from '../lib/table.ts'
import type { Timing } from '../speed/timed.ts'
import type { Durable } from './connecting.ts'
import type { CuratePart } from './curating.ts'
import type { GraphSpeed } from './graph-speed.ts'
import { EXPANSIONS, type RecallPart } from './recalling.ts'

/** What is asked of a graph of 50,000 blocks and 250,000 edges; times in milliseconds. */
const LIMITS = { connect: 2, expansion: 0.3, curate: 5_000, lock: 100 }

const both = ({ p50, p95 }: Timing) => `${milliseconds(p50)} / ${milliseconds(p95)}`
const verdict = (value: number, limit: number, unit: string) =>
  `${value <= limit ? 'kept' : 'MISSED'} (≤ ${limit} ${unit})`

export function reportOf(measured: GraphSpeed): string {
  const { blocks, edges, buildSeconds, megabytes } = measured
  return [
    `${blocks} active blocks, ${edges} edges, ${megabytes.toFixed(0)} MB, built in ${buildSeconds.toFixed(1)} s`,
    writesTable(measured),
    recallTable(measured.recall),
    curateTable(measured),
  ].join('\n\n')
}

function writesTable({ commit, connect, outcome, remember, status, dream }: GraphSpeed): string {
  const row = (name: string, time: Durable, limit?: number) => [
    name,
    both(time),
    milliseconds(time.beforeCommit),
    limit === undefined ? '' : verdict(time.p50, limit, 'ms'),
  ]
  return table(
    ['ms p50 / p95, each call durable', 'whole', 'before commit', 'wanted'],
    [
      ['a commit of next to nothing', both(commit)],
      row('connect, a new pair', connect.fresh, LIMITS.connect),
      row('connect, reinforced', connect.reinforced, LIMITS.connect),
      row('connect, full blocks, two give way', connect.displacing, LIMITS.connect),
      row('connect, deferred', connect.deferred, LIMITS.connect),
      ['connects, 100 edges', milliseconds(connect.hundred)],
      row('disconnect', connect.disconnect),
      ['outcome, 3 blocks', both(outcome)],
      ['remember', both(remember)],
      ['status', both(status)],
      ['dream, blocks/s', dream.toFixed(0)],
    ],
  )
}

const RECALLS = [
  ['reinforce false', 'look'],
  ['reinforce true', 'reinforce'],
  ['suggest', 'suggest'],
  ['self frame', 'self'],
] as const satisfies readonly (readonly [string, keyof RecallPart])[]

function recallTable(recall: RecallPart): string {
  const more = (times: RecallPart['look'], expansion: 'neighbours' | 'pagerank') =>
    times[expansion].p50 / times.off.p50 - 1
  const worst = Math.max(
    ...(['look', 'reinforce'] as const).flatMap((kind) => [
      more(recall[kind], 'neighbours'),
      more(recall[kind], 'pagerank'),
    ]),
  )
  return [
    table(
      ['recall, ms p50 / p95', ...EXPANSIONS, 'neighbours, %', 'pagerank, %'],
      RECALLS.map(([name, kind]) => [
        name,
        ...EXPANSIONS.map((expansion) => both(recall[kind][expansion])),
        points(more(recall[kind], 'neighbours')),
        points(more(recall[kind], 'pagerank')),
      ]),
    ),
    `expansion costs at most ${percent(worst)} % more: ${verdict(Math.round(100 * worst), 100 * LIMITS.expansion, '%')}; ` +
      `an edge brought ${percent(recall.brought)} % of the blocks shown; first recall after opening ${milliseconds(recall.open)} ms`,
  ].join('\n')
}

function curateTable({ curate, curateAgain }: GraphSpeed): string {
  const row = (name: string, cell: (part: CuratePart) => string, wanted = '') => [
    name,
    cell(curate),
    cell(curateAgain),
    wanted,
  ]
  const longest = Math.max(curate.held.longest, curate.waits.longest)
  return table(
    ['curate', 'first', 'again', 'wanted'],
    [
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
  )
}
