import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMemory } from '../../src/index.ts'
import { type Bench, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { milliseconds, type Table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { filledMemories } from '../speed/filled.ts'
import { type Timing, timed, timing } from '../speed/timed.ts'
import { type Kind, type Measured, openAll, question, runLoad, type Spread } from './load.ts'
import { type Filling, inFiles, inPostgres, type Side, serve } from './sides.ts'

/** One place of memories under load. */
interface SideData extends Measured {
  readonly name: Side['name']
  /** The first call on each memory of a service that has just begun, few of them at once. */
  readonly cold: Spread
  readonly bytesPerBlock: number
  readonly peakBytes: number
  /** The 95th percentile of other clients' recalls while one token floods, over that without it. */
  readonly flooded: number
}

/** All that the bench measured. */
interface ServiceData {
  readonly memories: number
  readonly blocks: number
  readonly clients: number
  readonly seconds: number
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
    memories: { type: 'string', default: '1000', description: 'Memories, each with a token' },
    blocks: { type: 'string', default: '1000', description: 'Blocks in each memory' },
    clients: { type: 'string', default: '50', description: 'Clients that call at once' },
    seconds: { type: 'string', default: '60', description: 'Length of each run' },
    sides: { type: 'string', default: 'files,postgres', description: 'Where the memories lie' },
  },
  run: async (flags, log) => {
    const data = await withTemporaryFolder((folder) => measure(flags, folder, log))
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

async function measure(flags: FlagValues, folder: string, log: (line: string) => void): Promise<ServiceData> {
  const numberOf = (name: string) => wholeNumber(flags, name)
  const [memories, blocks] = [numberOf('memories'), numberOf('blocks')]
  const load = { clients: numberOf('clients'), seconds: numberOf('seconds'), blocks }
  const template = join(folder, 'template.db')
  await filledMemories(join(folder, 'filled'), log).copyTo(template, blocks)
  const alone = await recallsOf(template, blocks)
  log(`one memory: ${load.clients} clients for ${load.seconds} s`)
  const single = await inFiles({ template, memories: 1, blocks, folder: join(folder, 'one') })
  const one = await measureOne(single, load, folder)
  const sides: SideData[] = []
  for (const name of listOf(flags, 'sides')) {
    log(`${name}: filling ${memories} memories`)
    const filling: Filling = { template, memories, blocks, folder }
    const side = await (name === 'files' ? inFiles(filling) : inPostgres(filling))
    try {
      log(`${name}: ${load.clients} clients for ${load.seconds} s`)
      sides.push(await measureSide(side, load, folder))
    } finally {
      await side.remove()
    }
  }
  return { memories, ...load, alone, one, sides }
}

/** Recalls in one file as a program does that has it open. */
async function recallsOf(path: string, blocks: number): Promise<Timing> {
  await using memory = await openMemory(path, { config: {} })
  await memory.recall({ query: question(0) })
  const times: number[] = []
  for (let i = 1; i <= 200; i++)
    times.push(await timed(() => memory.recall({ query: question((i * 7) % blocks) })))
  return timing(times)
}

type Wanted = Pick<ServiceData, 'clients' | 'seconds' | 'blocks'>

async function measureOne(side: Side, load: Wanted, home: string): Promise<Measured> {
  const { line, stop } = await serve(BUILT, side, home)
  try {
    await openAll(line, { ...load, clients: 1 })
    return await runLoad(line, { ...load, dreams: true })
  } finally {
    await stop()
  }
}

async function measureSide(side: Side, load: Wanted, home: string): Promise<SideData> {
  const { line, peakBytes, stop } = await serve(BUILT, side, home)
  try {
    const cold = await openAll(line, { ...load, clients: OPENING })
    const measured = await runLoad(line, { ...load, dreams: true })
    // A few others, with memories that are open, once by themselves and once beside a token that floods.
    const others = { url: line.url, tokens: line.tokens.slice(1, 6) }
    const few = { ...load, clients: 5, seconds: Math.max(5, load.seconds / 4), dreams: false }
    await runLoad(others, { ...few, seconds: 2 })
    const calm = await runLoad(others, few)
    const flooding = { url: line.url, tokens: line.tokens.slice(0, 1) }
    const [beside] = await Promise.all([runLoad(others, few), runLoad(flooding, { ...few, clients: FLOOD })])
    const flooded = beside.times.recall.p95 / calm.times.recall.p95
    return {
      ...measured,
      ...{ name: side.name, cold, bytesPerBlock: side.bytesPerBlock },
      flooded,
      peakBytes: peakBytes(),
    }
  } finally {
    await stop()
  }
}

function partsOf(data: ServiceData): Part[] {
  const { memories, blocks, clients, alone, one, sides } = data
  const spread = ({ calls, p50, p95, p99 }: Spread) => [
    String(calls),
    ...[p50, p95, p99].map((each) => milliseconds(each)),
  ]
  const timesOf = (name: string, { times }: Measured) =>
    (Object.entries(times) as [Kind, Spread][]).map(([kind, each]) => [name, kind, ...spread(each)])
  const rows = sides.flatMap((side) => [
    ...timesOf(side.name, side),
    [side.name, `first call, ${OPENING} clients`, ...spread(side.cold)],
  ])
  const times: Table = {
    head: ['memories', 'call', 'calls', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows: [
      ['one file, library, one caller', 'recall', ...spread({ ...alone, p99: alone.max })],
      ...timesOf('one file, service', one),
      ...rows,
    ],
    textColumns: 2,
  }
  const whole: Table = {
    head: [
      'memories',
      'calls/s',
      'recall p95 / one file, one caller',
      'recall p95 / one file, same clients',
      'slowest client',
      'flooded',
      'dreams',
      'failed',
      'MB at most',
      'bytes a block',
    ],
    rows: sides.map((side) => [
      side.name,
      side.callsPerSecond.toFixed(0),
      (side.times.recall.p95 / alone.p95).toFixed(1),
      (side.times.recall.p95 / one.times.recall.p95).toFixed(1),
      side.slowestClient.toFixed(1),
      side.flooded.toFixed(1),
      String(side.dreams),
      String(side.failures),
      (side.peakBytes / 1e6).toFixed(0),
      side.bytesPerBlock.toFixed(0),
    ]),
  }
  const title = `${memories} memories of ${blocks} blocks, ${clients} clients`
  return [
    { name: 'times', title, body: times },
    { name: 'whole', title: 'as a whole', body: whole },
  ]
}
