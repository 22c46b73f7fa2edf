import { expect, test } from 'vitest'
import { ElfmemStore } from '../../../src/integrations/langgraph/index.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../../helpers/memory.ts'

async function openStore(options: TestMemoryOptions = {}) {
  const opened = await openTestMemory(options)
  return { ...opened, store: new ElfmemStore(opened.memory) }
}

test('put and search take fields named like those of every object', async () => {
  const { store } = await openStore()
  const value = JSON.parse('{"__proto__": {"text": "Ana"}, "constructor": 1, "toString": "tea"}')
  await store.put(['n'], 'k', value, ['__proto__.text'])
  expect(JSON.stringify((await store.get(['n'], 'k'))?.value)).toBe(JSON.stringify(value))
  const keys = async (filter: object) => (await store.search(['n'], { filter })).map(({ key }) => key)
  expect(await keys({ constructor: 1 })).toEqual(['k'])
  expect(await keys({ valueOf: undefined })).toEqual(['k'])
  expect(await keys({ hasOwnProperty: { $ne: 1 } })).toEqual(['k'])
  expect(await keys(JSON.parse('{"constructor": {"__proto__": 1}}'))).toEqual([])
  expect(({} as { text?: string }).text).toBeUndefined()
})

test('put refuses values that JSON cannot say', async () => {
  const { store } = await openStore()
  let deep: object = {}
  for (let level = 0; level < 20_000; level++) deep = { deep }
  const circle: Record<string, unknown> = { text: 'a' }
  circle.one = circle.two = circle
  for (const value of [deep, circle, { n: 1n }, undefined, () => 1])
    expect((await refusal(store.put(['n'], 'k', value as never))).code).toBe('INVALID_INPUT')
  await store.put(['n'], 'k', { at: new Date(0), gone: undefined, half: '\ud800', list: [Number.NaN] })
  expect((await store.get(['n'], 'k'))?.value).toEqual({
    ...{ at: '1970-01-01T00:00:00.000Z', half: '\ud800', list: [null] },
  })
  expect((await store.search(['n'], { query: '1970' })).map(({ key }) => key)).toEqual(['k'])
})

test('a store of a closed memory refuses, and one of a reader only reads', async () => {
  const { memory, path, store } = await openStore()
  await store.put(['n'], 'k', { text: 'Ana drinks tea.' })
  await memory.close()
  for (const call of [
    () => store.get(['n'], 'k'),
    () => store.put(['n'], 'k', {}),
    () => store.search(['n'], { query: 'tea' }),
  ])
    expect((await refusal(call())).code).toBe('CLOSED')
  const reader = (await openStore({ path, as: 'reader' })).store
  expect((await reader.search(['n'], { query: 'tea' })).map(({ key }) => key)).toEqual(['k'])
  expect((await refusal(reader.delete(['n'], 'k'))).code).toBe('OWNER_ONLY')
})

test('put takes secrets out of a value', async () => {
  const { store } = await openStore()
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  await store.put(['n'], 'k', { text: `The token is ${secret}.` })
  expect(JSON.stringify(await store.search(['n'], { query: 'token' }))).not.toContain(secret)
})
