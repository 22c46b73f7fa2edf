import { expect, test } from 'vitest'
import { CAPABILITIES, type CallContext, mayDo } from '../../src/engine/engine.ts'
import type { Memory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { acceptCaller, callerName } from '../../src/intake/check-input.ts'
import { itemRecords } from '../../src/operations/items/records.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { ownersCalls, shortestCall, textPlaces } from '../attacks/walk.ts'
import { callFor } from '../helpers/call-for.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'

const records: readonly Operation[] = Object.values(itemRecords)

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    expect(error.recovery).not.toContain('elfmem write-items')
    return error.code
  }
}

async function asCaller(as: (typeof CAPABILITIES)[number], scope?: string): Promise<CallContext> {
  const name = await callerName('eve')
  return { principal: acceptCaller('library', { name, as, ...(scope === undefined ? {} : { scope }) }) }
}

const call = (memory: Memory, record: Operation, input: object, context?: CallContext) =>
  callFor(memory, record, input as never, context ?? {})

test.each(CAPABILITIES)('as %s, a record of items that needs more is refused with OWNER_ONLY', async (as) => {
  const { memory } = await openTestMemory()
  const context = await asCaller(as)
  for (const record of records) {
    const isRefused = (await codeOf(call(memory, record, shortestCall(record), context))) === 'OWNER_ONLY'
    expect([record.name, isRefused]).toEqual([record.name, !mayDo({ capability: as }, record.needs)])
    for (const [path, input] of ownersCalls(record)) {
      const code = await codeOf(call(memory, record, input, context))
      expect([record.name, path, code === 'OWNER_ONLY']).toEqual([record.name, path, as !== 'owner'])
    }
  }
})

test('an agent that deletes an item with words of the owner is refused as a whole', async () => {
  const { memory } = await openTestMemory()
  const texts = [{ content: 'Tea is at four.', sourceClass: 'user' as const }]
  await memory.items('notes').put({ key: 'k', value: 1, texts })
  const write = itemRecords.writeItems
  const input = { space: 'notes', writes: [{ key: 'new', value: 1 }, { key: 'k' }] }
  expect(await codeOf(call(memory, write, input, await asCaller('agent')))).toBe('OWNER_ONLY')
  expect((await memory.items('notes').list()).items.map(({ key }) => key)).toEqual(['k'])
})

test('a caller bound to a scope learns by no argument that an item of another exists', async () => {
  const store = await openStore()
  const whole = await openOn(store)
  const theirs = whole.items('notes', { scope: 'theirs' })
  await theirs.put({
    namespace: ['harbour'],
    key: 'vault',
    value: 'Borealis',
    texts: ['Borealis has a vault.'],
  })
  const mine = await openOn(store, { scope: 'mine' })
  const context = await asCaller('owner', 'mine')
  for (const [memory, as] of [
    [mine, {}],
    [whole, context],
  ] as const)
    for (const record of records) {
      if (record.name === 'writeItems') continue
      for (const { path, input } of textPlaces(record, 'notes'))
        for (const word of ['notes', 'harbour', 'vault', 'Borealis has a vault.']) {
          const said = await call(memory, record, input(word), as).then(JSON.stringify, String)
          expect([record.name, path, /borealis/i.test(said.replaceAll(word, ''))]).toEqual([
            record.name,
            path,
            false,
          ])
        }
      const code = await codeOf(call(memory, record, { ...shortestCall(record), scope: 'theirs' }, as))
      expect([record.name, code]).toEqual([record.name, 'OUT_OF_SCOPE'])
    }
  const own = mine.items('notes')
  await own.put({ namespace: ['harbour'], key: 'vault', value: 'mine', texts: ['Borealis has a vault.'] })
  expect(await own.delete({ namespace: ['harbour'], key: 'vault' })).toBe(true)
  expect((await theirs.get({ namespace: ['harbour'], key: 'vault' }))?.value).toBe('Borealis')
  expect((await theirs.search({ query: 'vault', namespace: ['harbour'] })).length).toBe(1)
  expect((await whole.items('notes').list()).items).toEqual([])
  expect(await whole.items('notes').search({ query: 'vault' })).toEqual([])
})

test('put refuses values, labels and lists beyond their limits, and keeps nothing', async () => {
  const settings = { limits: { items: 2 } }
  const { memory } = await openTestMemory({ settings })
  const items = memory.items('notes')
  let deep: unknown = 1
  for (let level = 0; level < 5_000; level += 1) deep = [deep]
  const circle: unknown[] = []
  circle.push(circle)
  const refused = [
    [{ key: 'k', value: 'x'.repeat(1_048_576) }, 'LIMIT_EXCEEDED'],
    [{ key: 'k', namespace: ['l'.repeat(2_000)], value: 1 }, 'LIMIT_EXCEEDED'],
    [{ key: 'k', value: 1, texts: Array.from({ length: 1_001 }, (_, i) => `Fact ${i}.`) }, 'LIMIT_EXCEEDED'],
    [{ key: 'k', value: deep }, 'INVALID_INPUT'],
    [{ key: 'k', value: circle }, 'INVALID_INPUT'],
    [{ key: 'k', value: null }, 'INVALID_INPUT'],
    [{ key: '', value: 1 }, 'INVALID_INPUT'],
    [{ key: 'k', namespace: ['a\u001fb'], value: 1 }, 'INVALID_INPUT'],
    [{ key: 'k', value: 1, texts: [''] }, 'INVALID_INPUT'],
  ] as const
  for (const [given, code] of refused)
    expect([given.key, await codeOf(items.put(given))]).toEqual([given.key, code])
  expect((await items.list()).items).toEqual([])
  await items.put({ key: 'wide', value: Array.from({ length: 100 }, () => 1) })
  await items.put({ key: 'b', value: 1 })
  expect(await codeOf(items.put({ key: 'c', value: 1 }))).toBe('LIMIT_EXCEEDED')
  await items.put({ key: 'b', value: 2 })
  expect((await items.list()).items.map(({ value }) => value)).toEqual([expect.anything(), 2])
})
