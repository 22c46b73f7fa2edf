import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ElfmemStore } from '../../../src/integrations/langgraph/index.ts'
import { textsAt } from '../../../src/integrations/langgraph/texts.ts'
import { piecesOf } from '../../../src/integrations/shared/pieces.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../../helpers/memory.ts'

async function openStore(options: TestMemoryOptions = {}) {
  const opened = await openTestMemory(options)
  return { ...opened, store: new ElfmemStore(opened.memory) }
}

test('labels and keys that look alike are different places', async () => {
  const { store } = await openStore()
  const labels = ['é', 'e\u0301', 'É', '🦆', '*', ' ', 'a/b', '\u202egnp', '__proto__', 'x'.repeat(1_000)]
  for (const label of labels) await store.put([label], label, { label })
  for (const label of labels) expect((await store.get([label], label))?.value).toEqual({ label })
  expect((await store.listNamespaces()).flat().sort()).toEqual(labels.toSorted())
  expect(await store.search(['e'], { limit: 100 })).toEqual([])
})

test('a place that the file cannot hold is refused as a whole batch, with the way out', async () => {
  const { store } = await openStore()
  const value = { text: 'tea' }
  const wrong: readonly (readonly [string[], string])[] = [
    [['n'], ''],
    [['n'], 'a\0b'],
    [['n'], 'half \ud800'],
    [['half \udfff'], 'k'],
    [['a\u001fb'], 'k'],
    [Array.from({ length: 40 }, (_, at) => `${at}`), 'k'],
  ]
  for (const [namespace, key] of wrong) {
    const refused = await refusal(
      store.batch([
        { namespace: ['n'], key: 'k', value },
        { namespace, key, value },
      ]),
    )
    expect(['INVALID_INPUT', 'LIMIT_EXCEEDED']).toContain(refused.code)
    expect(refused.recovery).not.toBe('')
  }
  expect(await store.search([])).toEqual([])
})

test('fields named like those of every object are fields like others', async () => {
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

test('a value of a megabyte is kept whole and found by its beginning, and a larger one refused', async () => {
  const { store } = await openStore()
  const filler = 'Nothing happens in this sentence of filler. '.repeat(23_000)
  const value = { text: `The lighthouse keeper is called Odile. ${filler}` }
  await store.put(['n'], 'long', value)
  await store.put(['n'], 'other', { text: 'Boats leave at nine.' })
  expect((await store.get(['n'], 'long'))?.value).toEqual(value)
  expect((await store.search(['n'], { query: 'lighthouse keeper Odile', limit: 1 }))[0]?.key).toBe('long')
  const refused = await refusal(store.put(['n'], 'long', { text: filler.repeat(2) }))
  expect(refused).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    recovery: expect.stringContaining('several items'),
  })
  expect((await store.get(['n'], 'long'))?.value).toEqual(value)
})

test('values that JSON cannot say, or without end, are refused or read as JSON has them', async () => {
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

test('many batches at once are done one after the other', async () => {
  const { store } = await openStore()
  const counts = Array.from({ length: 50 }, (_, n) => n)
  const batch = (n: number) =>
    store.batch([
      { namespace: ['n'], key: 'shared', value: { n } },
      { namespace: ['n', `${n}`], key: 'own', value: { text: `Boat ${n} has left.` } },
      { namespacePrefix: ['n'], query: `boat ${n}`, limit: 5 },
    ])
  await Promise.all(counts.map(batch))
  expect((await store.search(['n'], { limit: 100 })).length).toBe(51)
  const shared = (await store.get(['n'], 'shared'))?.value.n
  expect(counts).toContain(shared)
})

test('a store of a closed memory refuses with CLOSED, and one of a reader reads', async () => {
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

test('a password in a value is taken out before anything is stored', async () => {
  const { store } = await openStore()
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  await store.put(['n'], 'k', { text: `The token is ${secret}.` })
  expect(JSON.stringify(await store.search(['n'], { query: 'token' }))).not.toContain(secret)
})

test('any text is cut into whole pieces of at most 2,000 characters, and none of the first 60,000 is left out', () => {
  const character = fc.constantFrom('a', 'b', ' ', '\n', '.', '!', '🦆', '\ud800', '\0', 'é')
  const texts = fc.array(character, { maxLength: 5_000, size: 'max' }).map((list) => list.join(''))
  const bare = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd').replaceAll(/\s/g, '')
  fc.assert(
    fc.property(texts, (text) => {
      const pieces = piecesOf(text)
      expect(bare(pieces.join(''))).toBe(bare(text))
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(2_000)
        expect([piece.isWellFormed(), piece.trim()]).toEqual([true, piece])
        expect(piece).not.toBe('')
      }
    }),
    { numRuns: 300 },
  )
  expect(piecesOf('x'.repeat(1_000_000)).join('').length).toBe(64_000)
})

test('no path makes texts of a value fail', () => {
  const paths = fc.array(
    fc.string({ unit: fc.constantFrom('a', '.', '[', ']', '*', '{', '}', ',', '0', '-', '$') }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), paths, (value, given) => {
      for (const text of textsAt(value, given)) expect(text.trim()).toBe(text)
    }),
  )
})
