import { expect, expectTypeOf, test } from 'vitest'
import { type Memory, openMemory } from '../../src/client/index.ts'
import { LONG_METHODS, METHODS } from '../../src/client/remote.ts'
import type { Memory as LibraryMemory } from '../../src/engine/memory.ts'
import { openMemory as openFromLibrary } from '../../src/engine/memory.ts'
import { Capture } from '../../src/frames/index.ts'
import { operations } from '../../src/operations/table.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { atService } from './world.ts'

test('every operation is a method, and one of many steps may take long', () => {
  expect([...METHODS, ...LONG_METHODS].sort()).toEqual(operations.map(({ name }) => name).sort())
  for (const { name, cost } of operations) if (cost === 'batch') expect(LONG_METHODS).toContain(name)
})

test('a memory at a service is of the type of a memory in a file', () => {
  expectTypeOf<Memory>().toEqualTypeOf<LibraryMemory>()
  expectTypeOf(openMemory).returns.resolves.toExtend<LibraryMemory>()
  expectTypeOf(openFromLibrary).toBeCallableWith('https://memory.example', { token: 'x' })
})

test('the library opens a service by its address, and says what is there', async () => {
  const { service, token } = await atService()
  await using memory = await openFromLibrary(`${service.url}/`, { token })
  await memory.remember({ content: 'Tea is at four' })
  const found = await memory.recall({ query: 'when is tea' })
  expect(found.blocks.map(({ content }) => content)).toEqual(['Tea is at four'])
  expect(String(found)).toContain(found.summary)
  expect([memory.location, memory.scope]).toEqual([service.url, undefined])
  expect(memory.limits.requestBytes).toBeGreaterThan(0)
  expect(await memory.shouldDream()).toBe(false)
  expect((await memory.settings()).settings.length).toBeGreaterThan(50)
  expect(JSON.stringify(await memory.settings())).not.toContain(service.path)
})

test('items are as in a file', async () => {
  const { memory } = await atService()
  const notes = memory.items('notes', { undoable: false })
  await notes.put({ key: 'tea', value: { at: 4 }, texts: ['Tea is at four'] })
  expect(await notes.get({ key: 'tea' })).toMatchObject({ key: 'tea', value: { at: 4 } })
  expect(await notes.getMany([{ key: 'none' }])).toEqual([undefined])
  expect(await notes.delete({ key: 'tea' })).toBe(true)
})

/** Lives one session and the beginning of another; returns what the memory says of each. */
async function sessionsOf(memory: Memory) {
  const seen: unknown[] = []
  const look = () => seen.push([memory.lastLearnedBlockId, memory.lastRecallBlockIds, memory.sessionBlockIds])
  const contents = ['The kettle is blue', 'Roses need sun', 'The shed needs paint']
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  await memory.dream()
  await memory.session(async (same) => {
    const { blockIds, recallId } = await same.recall({ query: 'which colour has the kettle', topK: 1 })
    look()
    await same.outcome({ helped: blockIds, recallId })
    look()
    await same.remember({ content: 'The gate is green' })
  })
  look()
  await memory.beginSession({ taskType: 'tea' })
  look()
  expect(await memory.endSession()).toBeGreaterThanOrEqual(0)
  return seen
}

test('a session sees what it sees in a file', async () => {
  const { memory } = await atService()
  const file = await openTestMemory()
  expect(await sessionsOf(memory)).toEqual(await sessionsOf(file.memory))
})

test('an argument that JSON cannot say is refused, as for a memory in a file', async () => {
  const { memory } = await atService()
  for (const each of [memory, (await openTestMemory()).memory])
    expect(await refusal(each.remember({ content: 'Tea is at four', at: 1n } as never))).toMatchObject({
      code: 'INVALID_INPUT',
    })
})

test('an agent that may not read settings keeps what a user says for good', async () => {
  const { service } = await atService()
  const memory = await openMemory(service.url, { token: service.token('helper', { tools: 'all' }) })
  expect((await new Capture(memory).taken('s', 'Never push to main.')).ids).toHaveLength(1)
  await memory.close()
})

test('a refusal has the code, the words and the facts of the service', async () => {
  const { memory, service } = await atService()
  const missing = await refusal(memory.forget({ blockId: 'ffffffff' }))
  expect(missing).toMatchObject({ code: 'NOT_FOUND', details: { ids: ['ffffffff'] } })
  expect(missing.recovery).not.toBe('')
  const reader = await openMemory(service.url, { token: service.token('eyes', { capability: 'reader' }) })
  expect(await refusal(reader.remember({ content: 'x' }))).toMatchObject({ code: 'OWNER_ONLY' })
  await reader.close()
  expect(await refusal(reader.recall({ query: 'x' }))).toMatchObject({ code: 'CLOSED' })
})

test('a token that opens nothing is told so, and stands in no error', async () => {
  const { service } = await atService()
  const token = 'elfmem_not-a-token-of-anybody'
  const failure = await refusal(openMemory(service.url, { token }))
  expect(failure).toMatchObject({ code: 'CONFIG_INVALID', details: { option: 'token' } })
  expect(`${failure.stack}${JSON.stringify(failure)}`).not.toContain(token)
})

test.each([
  ['http://memory.example', { token: 'secret' }],
  ['http://192.168.0.1:3536', { token: 'secret' }],
  ['https://ann:secret@memory.example', { token: 'x' }],
  ['https://memory.example/?token=secret', { token: 'x' }],
  ['ftp://memory.example', { token: 'secret' }],
  ['https://memory.example', { token: 'secret\n' }],
  ['https://memory.example', { token: '' }],
  ['https://memory.example', { token: 'secret', config: {} } as never],
  ['https://memory.example', { token: 'secret', retries: -1 }],
])('%s with %j is refused before anything is sent', async (url, options) => {
  const fetch = () => Promise.reject(new Error('was called'))
  const failure = await refusal(openMemory(url, { fetch, ...options }))
  expect(failure.code).toBe('INVALID_INPUT')
  expect(failure.message + failure.recovery).not.toContain('secret')
})
