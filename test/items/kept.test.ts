import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { tracesIn } from '../helpers/traces.ts'

const PORT = 'Staging listens on port 4210.'
const TEA = 'Tea is at four.'

async function exported(memory: Memory): Promise<string> {
  const path = join(temporaryFolder(), 'export.jsonl')
  await memory.export({ path })
  return path
}

const failedChecks = async (memory: Memory) =>
  (await memory.doctor()).checks.filter(({ outcome }) => outcome === 'fail')
const keysOf = async (memory: Memory) =>
  (await memory.items('notes').list({ limit: 50 })).items.map(({ key, value }) => [key, value])
const foundBy = async (memory: Memory, query: string, ...namespace: string[]) =>
  (await memory.items('notes').search({ query, namespace })).map(({ key }) => key)

test('import into a memory in use adds the items that it lacks with their texts', async () => {
  const here = await openTestMemory()
  const there = await openTestMemory()
  await here.memory.items('notes').put({ namespace: ['mine'], key: 'port', value: 'here', texts: [PORT] })
  await here.memory.items('notes').put({ namespace: ['both'], key: 'same', value: 'here' })
  await there.memory.items('notes').put({ namespace: ['yours'], key: 'port', value: 'there', texts: [PORT] })
  await there.memory.items('notes').put({ namespace: ['both'], key: 'same', value: 'there', texts: [TEA] })
  await there.memory.dream()
  const path = await exported(there.memory)
  await here.memory.import({ path, trusted: true })
  expect(await keysOf(here.memory)).toEqual([
    ['port', 'here'],
    ['same', 'here'],
    ['port', 'there'],
  ])
  expect(await foundBy(here.memory, 'staging port', 'yours')).toEqual(['port'])
  const again = await here.memory.import({ path, trusted: true })
  expect([again.taken.items, again.taken.item_blocks]).toEqual([undefined, undefined])
  expect(await failedChecks(here.memory)).toEqual([])
})

test('undo of a put and of a delete brings an item back with its text', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  const waiting = async () => (await memory.inbox()).blocks.map(({ content }) => content)
  await items.put({ key: 'k', value: 'one', texts: ['Staging listens on port 4210.'] })
  const before = [(await items.list()).items, await waiting()]
  for (const change of [() => items.put({ key: 'k', value: 'two' }), () => items.delete({ key: 'k' })]) {
    await change()
    expect([(await items.list()).items, await waiting()]).not.toEqual(before)
    expect(await waiting()).toEqual([])
    await memory.undo()
    expect([(await items.list()).items, await waiting()]).toEqual(before)
  }
})

const SECRET = 'Rosalinde Quatrain hides the vault combination 471199 behind a crimson lantern upstairs'

test('erase takes along each item that holds the words of the block', async () => {
  const { memory, path } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ key: 'letter', value: { text: `${SECRET}\nAnd more.` }, texts: [SECRET] })
  await items.put({ key: 'quoted', value: [`She said: ${SECRET}`] })
  await items.put({ namespace: [SECRET], key: 'in a label', value: 1 })
  await items.put({ key: 'harmless', value: 'The lantern of the pier is green', texts: [TEA] })
  await items.delete({ key: 'quoted' })
  await items.put({ key: 'quoted', value: SECRET.toUpperCase().toLowerCase() })
  await memory.dream()
  await memory.backup()
  await memory.export({ name: 'before.jsonl' })
  const { blocks } = await memory.ls({})
  const id = blocks.find(({ content }) => content === SECRET)!.id
  await memory.erase({ blockIds: [id], copies: 'delete', yes: true })
  expect(await keysOf(memory)).toEqual([['harmless', 'The lantern of the pier is green']])
  expect(await foundBy(memory, 'when is tea')).toEqual(['harmless'])
  expect(tracesIn(join(path, '..'), [SECRET])).toEqual([])
  expect(await failedChecks(memory)).toEqual([])
})
