import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMemory } from '../../src/index.ts'
import { type Bench, type FlagValues, type Log, listOf, textFlag, wholeNumber } from '../lib/bench.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { milliseconds, type Part } from '../lib/table.ts'
import { filledMemories } from '../speed/filled.ts'
import { type Timing, timeEach } from '../speed/timed.ts'
import { KINDS, type Load, type Measured, openAll, question, runLoad } from './load.ts'
import { inFiles, inPostgres, type Side, serve } from './sides.ts'

/** One place of memories under load. */
interface SideData extends Measured {
  readonly name: Side['name']
  /** The first call on each memory of a service that has just begun, few of them at once. */
  readonly cold: Timing
  readonly bytesPerBlock: number
  readonly peakMegabytes: number
  /** The 95th percentile of other clients' recalls while one token floods, over that without it. */
  readonly flooded: number
}

interface ServiceData {
  /** Recalls in one file by the library, one after the other, in the same run. */
  readonly alone: Timing
  /** One memory of the same size behind a service, under the same clients in the same run. */
  readonly one: Measured
  readonly sides: readonly SideData[]
}

const BUILT = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))
/** Calls that a flooding client keeps under way. */
const FLOOD = 32
/** Memories that are opened at once before the load begins. */
const OPENING = 4

export const service: Bench = {
  name: 'service',
  summary: 'many memories behind one service, as files and in PostgreSQL, under the calls of many clients',
  flags: {
    memories: textFlag('Memories, each with a token', '1000'),
    blocks: textFlag('Blocks in each memory', '1000'),
    clients: textFlag('Clients that call at once', '50'),
    seconds: textFlag('Length of each run', '60'),
    sides: textFlag('Where the memories lie', 'files,postgres'),
  },
  run: (flags, log) => withTemporaryFolder((folder) => measure(flags, folder, log)),
  present: partsOf,
}

async function measure(flags: FlagValues, folder: string, log: Log): Promise<ServiceData> {
  const numberOf = (name: string) => wholeNumber(flags, name)
  const [memories, blocks] = [numberOf('memories'), numberOf('blocks')]
  const load = { clients: numberOf('clients'), seconds: numberOf('seconds'), blocks }
  const template = join(folder, 'template.db')
  await filledMemories(join(folder, 'filled'), log).copyTo(template, blocks)
  const alone = await recallsOf(template, blocks)
  log(`one memory: ${load.clients} clients for ${load.seconds} s`)
  const single = await inFiles({ template, memories: 1, blocks, folder: join(folder, 'one') })
  const { line, stop } = await serve(BUILT, single, folder)
  await openAll(line, 1, blocks)
  const one = await runLoad(line, load, 1)
  await stop()
  const sides: SideData[] = []
  for (const name of listOf(flags, 'sides')) {
    log(`${name}: filling ${memories} memories`)
    const side = await (name === 'files' ? inFiles : inPostgres)({ template, memories, blocks, folder })
    try {
      log(`${name}: ${load.clients} clients for ${load.seconds} s`)
      sides.push(await measureSide(side, load, folder))
    } finally {
      await side.remove()
    }
  }
  return { alone, one, sides }
}

/** Times recalls in one file as a program does that has it open. */
async function recallsOf(path: string, blocks: number): Promise<Timing> {
  await using memory = await openMemory(path, { config: {} })
  await memory.recall({ query: question(0) })
  const places = Array.from({ length: 200 }, (_, i) => ((i + 1) * 7) % blocks)
  return await timeEach(places, (i) => memory.recall({ query: question(i) }))
}

async function measureSide(side: Side, load: Load, home: string): Promise<SideData> {
  const { line, peak, stop } = await serve(BUILT, side, home)
  try {
    const cold = await openAll(line, OPENING, load.blocks)
    const measured = await runLoad(line, load, 1)
    // A few others, with memories that are open, once by themselves and once beside a token that floods.
    const others = { url: line.url, tokens: line.tokens.slice(1, 6) }
    const few = { ...load, clients: 5, seconds: Math.max(5, load.seconds / 4) }
    await runLoad(others, { ...few, seconds: 2 })
    const calm = await runLoad(others, few)
    const flooding = { url: line.url, tokens: line.tokens.slice(0, 1) }
    const [beside] = await Promise.all([runLoad(others, few), runLoad(flooding, { ...few, clients: FLOOD })])
    return {
      ...{ ...measured, name: side.name, cold, bytesPerBlock: side.bytesPerBlock, peakMegabytes: peak() },
      flooded: beside.times.recall.p95 / calm.times.recall.p95,
    }
  } finally {
    await stop()
  }
}

function partsOf({ alone, one, sides }: ServiceData): Part[] {
  const row = (memories: string, call: string, { calls, p50, p95, p99 }: Timing) => [
    ...[memories, call, String(calls), ...[p50, p95, p99].map(milliseconds)],
  ]
  const rowsOf = (name: string, { times }: Measured) => KINDS.map((kind) => row(name, kind, times[kind]))
  const whole = sides.map(({ name, times, ...side }) => [
    ...[name, side.callsPerSecond.toFixed(0), (times.recall.p95 / alone.p95).toFixed(1)],
    ...[(times.recall.p95 / one.times.recall.p95).toFixed(1), side.slowestClient.toFixed(1)],
    ...[side.flooded.toFixed(1), String(side.dreams), String(side.failures)],
    ...[side.peakMegabytes.toFixed(0), side.bytesPerBlock.toFixed(0)],
  ])
  return [
    {
      name: 'times',
      body: {
        head: ['memories', 'call', 'calls', 'p50 ms', 'p95 ms', 'p99 ms'],
        rows: [
          row('one file, library, one caller', 'recall', alone),
          ...rowsOf('one file, service', one),
          ...sides.flatMap((side) => [
            ...rowsOf(side.name, side),
            row(side.name, `first call, ${OPENING} clients`, side.cold),
          ]),
        ],
        textColumns: 2,
      },
    },
    {
      name: 'whole',
      body: {
        head: [
          ...['memories', 'calls/s', 'recall p95 / one file, one caller'],
          ...['recall p95 / one file, same clients', 'slowest client', 'flooded', 'dreams', 'failed'],
          ...['MB at most', 'bytes a block'],
        ],
        rows: whole,
      },
    },
  ]
}
