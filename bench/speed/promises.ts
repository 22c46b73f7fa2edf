import { milliseconds, type Table } from '../lib/table.ts'
import type { SpeedData } from './speed.ts'

/** A number that the product promises on a machine of two cores; `of` returns nothing if a run did not measure it. */
type Promised = readonly [
  what: string,
  of: (data: SpeedData) => number | undefined,
  sign: '≤' | '≥',
  limit: number,
  unit: string,
]

const at = <Part extends { readonly blocks: number }>(parts: readonly Part[], blocks: number) =>
  parts.find((part) => part.blocks === blocks)
const recallAt = ({ engine }: SpeedData, blocks: number) => at(engine, blocks)?.recall.attention

/** How many times the processor time of a new block at 50,000 is that at 1,000. */
function dreamGrowth({ dream }: SpeedData): number | undefined {
  const [few, many] = [at(dream, 1_000), at(dream, 50_000)]
  return few && many && many.cpuMilliseconds / few.cpuMilliseconds
}

const PROMISES: readonly Promised[] = [
  ['recall among 10,000 blocks, vector given, p50', (data) => recallAt(data, 10_000)?.p50, '≤', 3, 'ms'],
  ['recall among 10,000 blocks, vector given, p95', (data) => recallAt(data, 10_000)?.p95, '≤', 8, 'ms'],
  ['recall among 100,000 blocks, vector given, p50', (data) => recallAt(data, 100_000)?.p50, '≤', 12, 'ms'],
  ['recall among 100,000 blocks, vector given, p95', (data) => recallAt(data, 100_000)?.p95, '≤', 30, 'ms'],
  ['remember, p50, most blocks', ({ engine }) => engine.at(-1)?.remember.p50, '≤', 0.8, 'ms'],
  ['rememberMany, most blocks', ({ engine }) => engine.at(-1)?.rememberMany, '≥', 10_000, 'blocks/s'],
  ['dream into an empty memory', ({ dream }) => at(dream, 0)?.perSecond, '≥', 2_000, 'blocks/s'],
  ['dream into 50,000 blocks', ({ dream }) => at(dream, 50_000)?.perSecond, '≥', 1_000, 'blocks/s'],
  ['a block dreamt into 50,000 against into 1,000, processor time', dreamGrowth, '≤', 2, '×'],
  ['dream with the shipped embedder', ({ embedder }) => embedder?.dream, '≥', 150, 'blocks/s'],
]

/** What was promised beside what was measured; what this run did not measure is left out. */
export function promiseTable(data: SpeedData): Table {
  return {
    head: ['promised', 'limit', 'measured', ''],
    rows: PROMISES.flatMap(([what, of, sign, limit, unit]) => {
      const value = of(data)
      if (value === undefined) return []
      const isKept = sign === '≤' ? value <= limit : value >= limit
      return [
        [
          ...[what, `${sign} ${limit.toLocaleString('en')} ${unit}`, `${milliseconds(value)} ${unit}`],
          isKept ? 'kept' : 'MISSED',
        ],
      ]
    }),
  }
}
