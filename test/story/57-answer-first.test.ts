import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { ElfmemError } from '../../src/errors.ts'
import { openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { nextTurn } from '../helpers/timer.ts'

const KETTLES = ['The red kettle boils.', 'A red kettle whistles.']

const usesOf = async (store: Store, id: string) =>
  (await store.read((tx) => tx.blocks([id])))[0]?.reinforcementCount

test('an answer is there before its use is written, and with it the entry that it names', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id = ''] = await learn(...KETTLES)
  const before = (await usesOf(store, id)) ?? 0
  const { recallId, blockIds } = await memory.recall({ query: 'red kettle' })
  const [entry] = await store.read((tx) => tx.operations({ limit: 1 }))
  expect(entry).toMatchObject({ id: Number(recallId), operation: 'recall', blockIds })
  expect(await usesOf(store, id)).toBe(before)
  await nextTurn()
  expect(await usesOf(store, id)).toBe(before + 1)
})

test('the next call sees the use, however soon it comes', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id = ''] = await learn(...KETTLES)
  const before = (await usesOf(store, id)) ?? 0
  for (let recalls = 1; recalls <= 3; recalls++) {
    await memory.recall({ query: 'red kettle' })
    expect((await memory.show({ blockId: id })).block.reinforcementCount).toBe(before + recalls)
  }
})

test('a report right after the answer finds its recall, also from another process', async () => {
  const { memory, path, clock, learn } = await openTestMemory()
  const other = await openTestMemory({ path, clock })
  const [id = ''] = await learn(...KETTLES)
  for (const reporting of [memory, other.memory]) {
    const { recallId = '' } = await memory.recall({ query: 'red kettle' })
    expect(await reporting.outcome({ recallId, helped: [id] })).toMatchObject({ recallId, blocksUpdated: 1 })
  }
})

test('closing waits for the use of the last answer', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const open = () =>
    openMemory(path, { embedder: createHashingEmbedder(), clock: createTestClock(), config: {} })
  const memory = await open()
  const { blockId } = await memory.remember({ content: 'The red kettle boils.' })
  await memory.dream()
  const before = (await memory.show({ blockId })).block.reinforcementCount
  await memory.recall({ query: 'red kettle' })
  await memory.close()
  await using again = await open()
  expect((await again.show({ blockId })).block.reinforcementCount).toBe(before + 1)
})

test('uses are written in the order in which the answers were logged', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const store = await openSqliteStore(path)
  const used: string[] = []
  const watched = watching(store, (ids) => used.push(...ids))
  const { memory, learn } = await openTestMemory({ path, store: watched })
  const contents = ['The red kettle boils.', 'Copper pipes leak at night.', 'The harbour opens at dawn.']
  await learn(...contents)
  await Promise.all(contents.map((query) => memory.recall({ query, topK: 1 })))
  await nextTurn()
  const logged = await store.read((tx) => tx.operations({ limit: 3 }))
  expect(used).toEqual(logged.toReversed().flatMap(({ blockIds }) => blockIds))
  expect(new Set(used).size).toBe(3)
  await memory.close()
  await store.close()
})

test('a use that cannot be written refuses nothing; status, the log and a warning tell it until one is written', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const file = join(temporaryFolder(), 'elfmem.log')
  const store = await openSqliteStore(path)
  let isFull = false
  const failing = watching(store, () => {
    if (isFull) throw new ElfmemError('STORE_FULL', 'The disk is full.', { recovery: 'Free some space.' })
  })
  const settings = { log: { level: 'error' as const, file } }
  const { memory, learn } = await openTestMemory({ path, store: failing, settings })
  const [id = ''] = await learn(...KETTLES)
  const warnings: string[] = []
  const warned = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', warned)
  isFull = true
  const { blockIds } = await memory.recall({ query: 'red kettle' })
  expect(blockIds).toContain(id)
  const lost = 'the use of what the last recall showed could not be written: The disk is full.'
  expect((await memory.status()).reasons).toContain(lost)
  await expect.poll(() => warnings.join()).toContain('The disk is full.')
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('STORE_FULL')
  process.off('warning', warned)
  isFull = false
  await memory.recall({ query: 'red kettle' })
  expect((await memory.status()).reasons).not.toContain(lost)
  await memory.close()
  await store.close()
})

/** The store; whoever watches is told which blocks are about to be counted as used. */
function watching(store: Store, tell: (ids: readonly string[]) => void): Store {
  return {
    ...store,
    get statements() {
      return store.statements
    },
    write: (work, options) =>
      store.write((tx) => {
        const reinforceBlocks: typeof tx.reinforceBlocks = (ids, hours) => {
          tell(ids)
          return tx.reinforceBlocks(ids, hours)
        }
        const watched = new Proxy(tx, {
          get: (target, name) => {
            if (name === 'reinforceBlocks') return reinforceBlocks
            const value: unknown = Reflect.get(target, name, target)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
        return work(watched)
      }, options),
  }
}
