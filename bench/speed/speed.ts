import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Bench,
  type FlagValues,
  type Log,
  listOf,
  namesIn,
  textFlag,
  wholeNumber,
} from '../lib/bench.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { milliseconds, type Part, type Table } from '../lib/table.ts'
import { type DreamPart, measureDream, measureEmbedder } from './dream-part.ts'
import { type EnginePart, FRAMES, measureEngine } from './engine-part.ts'
import { filledMemories } from './filled.ts'
import { measureProcesses, type ProcessPart } from './process-part.ts'
import { p50p95, type Timing } from './timed.ts'

const PARTS = ['engine', 'dream', 'embedder', 'process'] as const

interface SpeedData {
  readonly engine: readonly EnginePart[]
  readonly dream: readonly DreamPart[]
  /** Blocks a second dreamt with the shipped embedder. */
  readonly embedder?: number
  readonly processes: readonly ProcessPart[]
}

const BIN = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))

export const speed: Bench = {
  name: 'speed',
  summary: 'what every operation, the shipped embedder and whole processes cost',
  flags: {
    sizes: textFlag('Blocks in memory', '1000,10000,100000'),
    'dream-sizes': textFlag('Blocks in memory before a dream', '0,1000,10000,50000,100000'),
    dreamt: textFlag('Blocks dreamt at each of these sizes', '1000'),
    runs: textFlag('Processes started of each kind', '7'),
    only: textFlag(`Comma-separated parts: ${PARTS.join(', ')}; all by default`),
  },
  run: (flags, log) => withTemporaryFolder((folder) => measure(flags, folder, log)),
  present: partsOf,
}

async function measure(flags: FlagValues, folder: string, log: Log): Promise<SpeedData> {
  const only = namesIn(flags, 'only', PARTS)
  const wants = (part: (typeof PARTS)[number]) => only.length === 0 || only.includes(part)
  if (wants('process') && !existsSync(BIN)) throw new Error('The built command is missing: npm run build')
  const filled = filledMemories(join(folder, 'filled'), log)
  const runs = wholeNumber(flags, 'runs')
  const embedder = wants('embedder') ? await measureEmbedder(join(folder, 'embedder.db')) : undefined
  const dream: DreamPart[] = []
  for (const blocks of wants('dream') ? sizesOf(flags, 'dream-sizes', 0) : []) {
    log(`${blocks} blocks: dreaming more`)
    const path = join(folder, `dream-${blocks}.db`)
    if (blocks > 0) await filled.copyTo(path, blocks)
    dream.push(await measureDream(path, blocks, wholeNumber(flags, 'dreamt')))
  }
  const engine: EnginePart[] = []
  const processes: ProcessPart[] = []
  for (const blocks of sizesOf(flags, 'sizes', 100)) {
    const path = join(folder, `${blocks}.db`)
    await filled.copyTo(path, blocks)
    if (wants('process')) {
      log(`${blocks} blocks: the command and the server`)
      const home = join(folder, `home-${blocks}`)
      mkdirSync(home)
      processes.push(await measureProcesses({ bin: BIN, path, home, blocks, runs }))
    }
    if (wants('engine')) {
      log(`${blocks} blocks: every operation`)
      engine.push(await measureEngine(path, blocks, runs))
    }
  }
  return { engine, dream, processes, ...(embedder !== undefined && { embedder }) }
}

function sizesOf(flags: FlagValues, name: string, least: number): number[] {
  const sizes = listOf(flags, name).map(Number)
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < least))
    throw new Error(`--${name} wants whole numbers of ${least} or more`)
  return sizes.sort((a, b) => a - b)
}

type Rows<T> = readonly (readonly [name: string, cell: (part: T) => string])[]

const withLongest = (timing: Timing) => `${p50p95(timing)} / ${milliseconds(timing.max)}`

const ENGINE_ROWS: Rows<EnginePart> = [
  ['remember', ({ remember }) => withLongest(remember)],
  ['rememberMany, blocks/s', ({ rememberMany }) => rememberMany.toFixed(0)],
  ...FRAMES.map(
    (frame) => [`recall ${frame}`, (part: EnginePart) => withLongest(part.recall[frame])] as const,
  ),
  ...FRAMES.map(
    (frame) =>
      [`recall ${frame}, reinforce false`, (part: EnginePart) => withLongest(part.look[frame])] as const,
  ),
  ['recall attention, processor time', ({ recallCpu }) => milliseconds(recallCpu)],
  ['outcome of three blocks', ({ outcome }) => withLongest(outcome)],
  ['connect', ({ connect }) => withLongest(connect)],
  ['curate, then again', (part) => [part.curate, part.curateAgain].map(milliseconds).join(', ')],
  ['open', ({ open }) => withLongest(open)],
  ['first recall, loads the index', ({ firstRecall }) => withLongest(firstRecall)],
  ['statements a recall', ({ statementsPerRecall }) => statementsPerRecall.toFixed(1)],
  ['file, MB', ({ fileMegabytes }) => fileMegabytes.toFixed(1)],
]

const PROCESS_ROWS: Rows<ProcessPart> = [
  ['elfmem status', ({ status }) => p50p95(status)],
  ['elfmem recall', ({ recall }) => p50p95(recall)],
  ['MCP handshake', ({ handshake }) => p50p95(handshake)],
  ['MCP ping, warm server', ({ serverPing }) => p50p95(serverPing)],
  ['MCP recall, warm server', ({ serverRecall }) => p50p95(serverRecall)],
  ['server peak memory, MB', ({ serverMegabytes }) => serverMegabytes.toFixed(0)],
]

/** A number that the product promises on a machine of two cores; `of` returns nothing if a run did not measure it. */
type Promised = readonly [
  what: string,
  of: (data: SpeedData) => number | undefined,
  sign: '≤' | '≥',
  limit: number,
  unit: string,
]

const at = <T extends { readonly blocks: number }>(parts: readonly T[], blocks: number) =>
  parts.find((part) => part.blocks === blocks)
const recallAt = ({ engine }: SpeedData, blocks: number) => at(engine, blocks)?.recall.attention

/** Returns how many times the processor time of a new block at 50,000 is that at 1,000. */
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
  ['dream with the shipped embedder', ({ embedder }) => embedder, '≥', 150, 'blocks/s'],
]

function partsOf(data: SpeedData): readonly Part[] {
  const promises = PROMISES.flatMap(([what, of, sign, limit, unit]) => {
    const value = of(data)
    if (value === undefined) return []
    const verdict = (sign === '≤' ? value <= limit : value >= limit) ? 'kept' : 'MISSED'
    return [
      [what, `${sign} ${limit.toLocaleString('en')} ${unit}`, `${milliseconds(value)} ${unit}`, verdict],
    ]
  })
  const parts: readonly Part[] = [
    { name: 'engine', body: columns('ms p50 / p95 / longest', data.engine, ENGINE_ROWS) },
    { name: 'processes', body: columns('ms p50 / p95', data.processes, PROCESS_ROWS) },
    { name: 'promises', body: { head: ['promised', 'limit', 'measured', ''], rows: promises } },
  ]
  return parts.filter(({ body }) => typeof body === 'string' || body.rows.length > 0)
}

function columns<T extends { readonly blocks: number }>(
  head: string,
  parts: readonly T[],
  rows: Rows<T>,
): Table {
  return {
    head: [head, ...parts.map(({ blocks }) => `${blocks.toLocaleString('en')} blocks`)],
    rows: parts.length === 0 ? [] : rows.map(([name, cell]) => [name, ...parts.map(cell)]),
  }
}
