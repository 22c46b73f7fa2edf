import { milliseconds, type Table } from '../lib/table.ts'
import type { SpeedData } from './speed.ts'

/** A number that the product promises on a machine of two cores. */
interface Promised {
  readonly what: string
  /** Absent when this run did not measure it. */
  readonly of: (data: SpeedData) => number | undefined
  readonly limit: number
  readonly better: 'less' | 'more'
  readonly unit: string
}

const engine = ({ engine: parts }: SpeedData, blocks: number) => parts.find((part) => part.blocks === blocks)
const fresh = ({ fresh: parts }: SpeedData, blocks: number) => parts.find((part) => part.blocks === blocks)
const dream = ({ dream: parts }: SpeedData, blocks: number) => parts.find((part) => part.blocks === blocks)
const largest = ({ engine: parts }: SpeedData) => parts.at(-1)

/** How many times the processor time of a new block at 50,000 is that at 1,000. */
function dreamGrowth(data: SpeedData): number | undefined {
  const [few, many] = [dream(data, 1_000), dream(data, 50_000)]
  return few && many && many.cpuMilliseconds / few.cpuMilliseconds
}

const PROMISES: readonly Promised[] = [
  ...[
    { blocks: 10_000, p50: 3, p95: 8 },
    { blocks: 100_000, p50: 12, p95: 30 },
  ].flatMap(({ blocks, p50, p95 }): Promised[] => {
    const what = `recall among ${blocks.toLocaleString('en')} blocks, vector given`
    const recall = (data: SpeedData) => engine(data, blocks)?.recall.attention
    return [
      { what: `${what}, p50`, of: (data) => recall(data)?.p50, limit: p50, better: 'less', unit: 'ms' },
      { what: `${what}, p95`, of: (data) => recall(data)?.p95, limit: p95, better: 'less', unit: 'ms' },
    ]
  }),
  {
    what: 'remember, p50, most blocks',
    of: (data) => largest(data)?.remember.p50,
    limit: 0.8,
    better: 'less',
    unit: 'ms',
  },
  {
    what: 'rememberMany, most blocks',
    of: (data) => largest(data)?.rememberMany,
    limit: 10_000,
    better: 'more',
    unit: 'blocks/s',
  },
  {
    what: 'dream into an empty memory',
    of: (data) => dream(data, 0)?.perSecond,
    limit: 2_000,
    better: 'more',
    unit: 'blocks/s',
  },
  {
    what: 'dream into 50,000 blocks',
    of: (data) => dream(data, 50_000)?.perSecond,
    limit: 1_000,
    better: 'more',
    unit: 'blocks/s',
  },
  {
    what: 'a block dreamt into 50,000 against into 1,000, processor time',
    of: dreamGrowth,
    limit: 2,
    better: 'less',
    unit: '×',
  },
  {
    what: 'dream with the shipped embedder',
    of: ({ embedder }) => embedder?.dream,
    limit: 150,
    better: 'more',
    unit: 'blocks/s',
  },
  {
    what: 'open to first recall among 100,000 blocks, new process, p50',
    of: (data) => fresh(data, 100_000)?.openAndRecall.p50,
    limit: 400,
    better: 'less',
    unit: 'ms',
  },
  {
    what: 'resident memory with 100,000 blocks',
    of: (data) => fresh(data, 100_000)?.residentMegabytes,
    limit: 350,
    better: 'less',
    unit: 'MB',
  },
]

/** What was promised beside what was measured; what this run did not measure is left out. */
export function promiseTable(data: SpeedData): Table {
  return {
    head: ['promised', 'limit', 'measured', ''],
    rows: PROMISES.flatMap(({ what, of, limit, better, unit }) => {
      const value = of(data)
      if (value === undefined) return []
      const kept = better === 'less' ? value <= limit : value >= limit
      return [
        [
          what,
          `${better === 'less' ? '≤' : '≥'} ${limit.toLocaleString('en')} ${unit}`,
          `${milliseconds(value)} ${unit}`,
          kept ? 'kept' : 'MISSED',
        ],
      ]
    }),
  }
}
