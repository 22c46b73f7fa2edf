import { join } from 'node:path'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/index.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import type { Store } from '../../src/store/transaction.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { rememberAll } from '../lib/remember-many.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { placed } from './filled.ts'

/**
 * What it costs to keep what undo needs: processor time of remember and dream with it and without, in turns, with the
 * hashing embedder, which makes the rest as cheap as it can be. `node bench/speed/recording.ts [rounds]`.
 */
const ROUNDS = Number(process.argv[2] ?? 20)
const [SINGLE, WAITING] = [300, 640]

interface Costs {
  /** Median microseconds of a remember. */
  readonly remember: number
  /** Microseconds of a dream for each block. */
  readonly dream: number
}

async function measure(folder: string, round: number, isRecorded: boolean): Promise<Costs> {
  const store = await openSqliteStore(join(folder, `${round}-${isRecorded}.db`))
  const memory = await openMemory('', {
    store: isRecorded ? store : unrecorded(store),
    embedder: createHashingEmbedder(),
    config: {},
  })
  const times: number[] = []
  for (let i = 0; i < SINGLE; i++) times.push(await processorTime(() => memory.remember(placed(i))))
  const many = Array.from({ length: WAITING }, (_, i) => placed(SINGLE + i))
  await rememberAll(memory, many)
  const dream = await processorTime(() => dreamAll(memory))
  await memory.close()
  await store.close()
  return { remember: middle(times), dream: dream / (SINGLE + WAITING) }
}

/** The same store, told of no write that it could be taken back. */
function unrecorded(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'write')
        return (work: Parameters<Store['write']>[0], options: object) =>
          target.write(work, { ...options, undoable: false })
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function middle(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] as number
}

/** The mean of the least three: what else runs on the machine only ever adds. */
function least(values: readonly number[]): number {
  const [one = 0, two = 0, three = 0] = [...values].sort((a, b) => a - b)
  return (one + two + three) / 3
}

await withTemporaryFolder(async (folder) => {
  const costs: Readonly<Record<'with' | 'without', Costs[]>> = { with: [], without: [] }
  for (let round = 0; round <= ROUNDS; round++)
    for (const isRecorded of round % 2 === 0 ? [true, false] : [false, true]) {
      const cost = await measure(folder, round, isRecorded)
      if (round > 0) costs[isRecorded ? 'with' : 'without'].push(cost)
    }
  for (const what of ['remember', 'dream'] as const) {
    const [withIt, without] = [costs.with, costs.without].map((all) => all.map((each) => each[what]))
    const told = [least, middle].map(
      (of) => `${of(withIt ?? []).toFixed(0)} µs with, ${of(without ?? []).toFixed(0)} without`,
    )
    console.log(`${what}: least ${told[0]}; median ${told[1]} (${ROUNDS} rounds each)`)
  }
})
