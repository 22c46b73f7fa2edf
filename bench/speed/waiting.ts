import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/index.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { placed } from './filled.ts'

/**
 * How long others wait for one long call: the longest time in which nothing else of the process had its turn, and the
 * longest time another writer of the file waited for its lock. `node bench/speed/waiting.ts [blocks] [rounds]`.
 */
const BLOCKS = Number(process.argv[2] ?? 20_000)
const ROUNDS = Number(process.argv[3] ?? 3)

/** Milliseconds. */
interface Waits {
  readonly whole: number
  readonly turn: number
  readonly lock: number
}

async function measure(path: string, work: () => Promise<unknown>): Promise<Waits> {
  const other = new Worker(new URL(import.meta.url), { workerData: path })
  await once(other, 'message')
  let [turn, last, done] = [0, performance.now(), false]
  const tick = () => {
    const now = performance.now()
    turn = Math.max(turn, now - last)
    last = now
    if (!done) setTimeout(tick, 1)
  }
  tick()
  const started = performance.now()
  await work()
  tick()
  const whole = performance.now() - started
  done = true
  other.postMessage('end')
  const [lock] = (await once(other, 'message')) as [number]
  return { whole, turn, lock }
}

/** Another writer: takes the lock again and again, and tells how long it waited for it at most. */
async function writeOn(path: string): Promise<void> {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 0')
  let [longest, ended] = [0, false]
  parentPort?.once('message', () => {
    ended = true
  })
  parentPort?.postMessage('ready')
  while (!ended) {
    const started = performance.now()
    while (!isTaken(database)) await sleep(1)
    longest = Math.max(longest, performance.now() - started)
    await sleep(1)
  }
  database.close()
  parentPort?.postMessage(longest)
}

function isTaken(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch {
    return false
  }
}

const open = (path: string) =>
  openMemory(path, { as: 'owner', embedder: createHashingEmbedder(), config: {} })

async function compare(folder: string): Promise<void> {
  const path = join(folder, 'memory.db')
  const given = join(folder, 'memory.jsonl')
  await using memory = await open(path)
  await rememberAll(
    memory,
    Array.from({ length: BLOCKS }, (_, i) => placed(i)),
  )
  await dreamAll(memory)
  await memory.export({ path: given })
  const told: Record<string, Waits[]> = {}
  const add = (what: string, waits: Waits) => {
    told[what] = [...(told[what] ?? []), waits]
  }
  for (let round = 0; round < ROUNDS; round++) {
    const [empty, small] = [join(folder, `empty-${round}.db`), join(folder, `small-${round}.db`)]
    await using whole = await open(empty)
    add(
      'import into an empty memory',
      await measure(empty, () => whole.import({ path: given, trusted: true })),
    )
    await using other = await open(small)
    await other.remember({ content: 'Something is here.' })
    await other.dream()
    add(
      'import into another memory',
      await measure(small, () => other.import({ path: given, trusted: true })),
    )
    add('doctor', await measure(path, () => memory.doctor()))
    add('doctor with fix', await measure(path, () => memory.doctor({ fix: true })))
    add('backup', await measure(path, () => memory.backup()))
    add('curate', await measure(path, () => memory.curate()))
  }
  console.log(`${BLOCKS} blocks, ${ROUNDS} rounds, milliseconds: median (most)`)
  for (const [what, all] of Object.entries(told))
    console.log(
      `${what}: whole ${spread(all, 'whole')}, no turn for ${spread(all, 'turn')}, no lock for ${spread(all, 'lock')}`,
    )
}

function spread(all: readonly Waits[], what: keyof Waits): string {
  const values = all.map((each) => each[what]).sort((one, other) => one - other)
  return `${values[(values.length - 1) >> 1]?.toFixed(0)} (${values.at(-1)?.toFixed(0)})`
}

if (isMainThread) await withTemporaryFolder(compare)
else await writeOn(String(workerData))
