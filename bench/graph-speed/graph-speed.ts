import { join } from 'node:path'
import { type Memory, openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { saveMeta } from '../../src/store/log.ts'
import { type Bench, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { median } from '../lib/statistics.ts'
import { milliseconds } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { p50p95, type Timing, timed, timeEach } from '../speed/timed.ts'
import { build } from './build.ts'
import { watchStore } from './watched-store.ts'
import { createWorld, EMBEDDER, type World } from './world.ts'

/** Times of durable writes in a large graph, in milliseconds. */
interface GraphSpeed {
  readonly blocks: number
  readonly edges: number
  readonly writes: readonly Row[]
}

interface Row {
  readonly name: string
  /** Times of whole calls, or of a single one. */
  readonly whole: Timing | number
  /** The median time until the commit, which is the part that is not the disk's. */
  readonly beforeCommit?: number
}

type Pair = readonly [source: string, target: string]

const CALLS = 100
const PROBES = 50

export const graphSpeed: Bench = {
  name: 'graph-speed',
  summary: 'what connecting, reporting and a look at the status cost in a large graph',
  flags: {
    blocks: {
      type: 'string',
      default: '50000',
      description: 'Blocks in topics; a few lonely ones come on top',
    },
    edges: {
      type: 'string',
      default: '250000',
      description: 'Edges among them, at most five times as many: then every block is full',
    },
  },
  run: async (flags, log) => {
    const world = createWorld(wholeNumber(flags, 'blocks'), wholeNumber(flags, 'edges'))
    const data = await withTemporaryFolder((folder) => measure(join(folder, 'graph.db'), world, log))
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

async function measure(path: string, world: World, log: (line: string) => void): Promise<GraphSpeed> {
  const store = watchStore(await openSqliteStore(path))
  try {
    log('building')
    await build(store, world)
    await using memory = await openMemory(path, { store, embedder: EMBEDDER, config: {} })
    log('writing')
    const each = async <T>(name: string, items: readonly T[], work: (item: T) => Promise<unknown>) => {
      store.held.length = 0
      const whole = await timeEach(items, work)
      return { name, whole, beforeCommit: median(store.held.map(({ beforeCommit }) => beforeCommit)) }
    }
    const commit = await timeEach(numbers(PROBES), (i) =>
      store.write((tx) => saveMeta(tx, 'probe', String(i))),
    )
    const connects = await measureConnecting(memory, world, each)
    const outcome = await timeEach(numbers(CALLS), (i) => {
      const [one = '', two = '', three = ''] = [0, 1, 2].map(
        (j) => world.crowd[(i * 113 + j * 4) % world.crowd.length],
      )
      return memory.outcome({ helped: [one, two], beside: [three] })
    })
    const status = await timeEach(numbers(10), () => memory.status())
    return {
      blocks: world.blocks.length,
      edges: world.edges.length,
      writes: [
        { name: 'a commit of next to nothing', whole: commit },
        ...connects,
        { name: 'outcome of three blocks', whole: outcome },
        { name: 'status', whole: status },
      ],
    }
  } finally {
    await store.close()
  }
}

async function measureConnecting(
  memory: Memory,
  { lonely, crowd, fixed }: World,
  each: (name: string, items: readonly Pair[], work: (pair: Pair) => Promise<unknown>) => Promise<Row>,
): Promise<Row[]> {
  const at = (ids: readonly string[], i: number) => ids[i % ids.length] as string
  const pairs = (ends: (i: number) => Pair) => numbers(CALLS).map(ends)
  const wants = (wanted: string, action: string) => {
    if (action !== wanted) throw new Error(`wanted ${wanted}, was ${action}`)
  }
  const joins =
    (wanted: string) =>
    async ([source, target]: Pair) => {
      const note = 'seen together'
      wants(wanted, (await memory.connect({ source, target, relation: 'supports', note })).action)
    }
  const half = Math.floor(crowd.length / 2)
  const alone = pairs((i) => [at(lonely, i), at(lonely, i + 1)])
  const apart = pairs((i) => [at(crowd, 37 * i), at(crowd, 37 * i + 13 + half)])
  const many = pairs((i) => [at(crowd, 41 * i + 7), at(crowd, 41 * i + 20 + half)])
  const hopeless = pairs((i) => [at(fixed, i), at(lonely, Math.floor(i / fixed.length) + i)])
  const edges = many.map(([source, target]) => ({ source, target, relation: 'elaborates' }))
  await joins('created')([at(lonely, CALLS + 1), at(lonely, CALLS + 2)])
  return [
    await each('connect, a new pair', alone, joins('created')),
    await each('connect, reinforced', alone, joins('reinforced')),
    await each('connect, full blocks, two edges evicted', apart, joins('created')),
    await each('connect, deferred', hopeless, joins('deferred')),
    { name: 'connects, 100 edges', whole: await timed(() => memory.connects({ edges })) },
    await each('disconnect', apart, async ([source, target]) =>
      wants('removed', (await memory.disconnect({ source, target })).action),
    ),
  ]
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

function partsOf({ blocks, edges, writes }: GraphSpeed): readonly Part[] {
  const rows = writes.map(({ name, whole, beforeCommit }) => [
    name,
    typeof whole === 'number' ? milliseconds(whole) : p50p95(whole),
    beforeCommit === undefined ? '' : milliseconds(beforeCommit),
  ])
  return [
    { name: 'size', body: `${blocks} active blocks, ${edges} edges` },
    { name: 'writes', body: { head: ['ms p50 / p95', 'whole', 'before the commit'], rows } },
  ]
}
