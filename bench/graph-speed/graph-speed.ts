import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Memory, openMemory, type Store } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { saveMeta } from '../../src/store/log.ts'
import { type Bench, wholeNumber } from '../lib/bench.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { textOf } from '../lib/part.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { sentence } from '../speed/sentences.ts'
import { type Timing, timed, timeEach } from '../speed/timed.ts'
import { build } from './build.ts'
import { type ConnectPart, measureConnecting } from './connecting.ts'
import { type CuratePart, measureCurating } from './curating.ts'
import { measureRecalling, type RecallPart } from './recalling.ts'
import { partsOf } from './report.ts'
import { ToldEmbedder } from './told-embedder.ts'
import { watchStore } from './watched-store.ts'
import { createWorld, type World } from './world.ts'

/** Everything at one size. Times in milliseconds unless said otherwise. */
export interface GraphSpeed {
  readonly blocks: number
  readonly edges: number
  readonly buildSeconds: number
  readonly megabytes: number
  /** A durable write of next to nothing: what the disk alone costs. */
  readonly commit: Timing
  readonly connect: ConnectPart
  readonly outcome: Timing
  readonly remember: Timing
  readonly curate: CuratePart
  /** A curation right after another, with nothing left to do. */
  readonly curateAgain: CuratePart
  readonly status: Timing
  /** Blocks a second, the index loaded already. */
  readonly dream: number
  readonly recall: RecallPart
}

const DREAMT = 200
const REPORTS = 100
const PROBES = 50

export const graphSpeed: Bench = {
  name: 'graph-speed',
  summary: 'what connecting, recalling along edges and curating cost in a large graph',
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
    const [blocks, edges] = [wholeNumber(flags, 'blocks'), wholeNumber(flags, 'edges')]
    const measured = await withTemporaryFolder((folder) => measure({ folder, blocks, edges, log }))
    return { report: textOf(partsOf(measured)), data: measured }
  },
  present: partsOf,
}

interface Wanted {
  readonly folder: string
  readonly blocks: number
  readonly edges: number
  readonly log: (line: string) => void
}

async function measure({ folder, blocks, edges, log }: Wanted): Promise<GraphSpeed> {
  const path = join(folder, 'graph.db')
  log('building')
  const world = createWorld(blocks, edges)
  const buildSeconds = (await timed(() => fill(path, world))) / 1000
  const megabytes = statSync(path).size / 1e6
  log(`built in ${buildSeconds.toFixed(1)} s; recalling`)
  const recall = await measureRecalling(path, world)
  const store = watchStore(await openSqliteStore(path))
  try {
    await using memory = await openMemory(path, { store, embedder: new ToldEmbedder(), config: {} })
    log('connecting')
    const commit = await timeEach(numbers(PROBES), (i) =>
      store.write((tx) => saveMeta(tx, 'probe', String(i))),
    )
    const connect = await measureConnecting(memory, { world, held: store.held })
    const outcome = await measureOutcome(memory, world)
    const remember = await timeEach(numbers(DREAMT), (i) => memory.remember({ content: sentence(i) }))
    log('curating')
    const curate = await measureCurating(memory, { path, held: store.held })
    const curateAgain = await measureCurating(memory, { path, held: store.held })
    log('dreaming')
    const status = await timeEach(numbers(10), () => memory.status())
    await memory.recall({ query: sentence(0), reinforce: false })
    const { promoted, seconds } = await dreamAll(memory)
    return {
      blocks: world.blocks.length,
      edges: world.edges.length,
      buildSeconds,
      megabytes,
      commit,
      connect,
      outcome,
      remember,
      curate,
      curateAgain,
      status,
      dream: promoted / seconds,
      recall,
    }
  } finally {
    await store.close()
  }
}

async function fill(path: string, world: World): Promise<void> {
  const store: Store = await openSqliteStore(path)
  try {
    await build(store, world)
  } finally {
    await store.close()
  }
}

function measureOutcome(memory: Memory, { crowd }: World): Promise<Timing> {
  return timeEach(numbers(REPORTS), (i) => {
    const [one = '', two = '', three = ''] = [0, 1, 2].map((j) => crowd[(i * 113 + j * 4) % crowd.length])
    return memory.outcome({ helped: [one, two], beside: [three] })
  })
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}
