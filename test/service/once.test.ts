import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { table } from '../../src/operations/table.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { requests } from '../../src/store/tables.ts'
import type { Store } from '../../src/store/transaction.ts'
import { callFor } from '../helpers/call-for.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const TEXT = 'The staging server listens on port 4210'
const outcomesOf = async (memory: Memory, blockId: string) =>
  (await memory.history({ blockId, limit: 50 })).operations.filter(({ operation }) => operation === 'outcome')
    .length

test('a write that is called again with its key is done once, and answered as before', async () => {
  const { memory } = await openTestMemory()
  const first = await memory.remember({ content: TEXT }, { once: 'a' })
  expect(first.status).toBe('created')
  expect(await memory.remember({ content: TEXT }, { once: 'a' })).toEqual(first)
  expect((await memory.remember({ content: TEXT }, { once: 'b' })).status).toBe('duplicate')
  await memory.dream({}, { once: 'a' })
  const { blockId } = first
  const report = { signal: 1, blockIds: [blockId] }
  const reported = await memory.outcome(report, { once: 'c' })
  expect(await memory.outcome(report, { once: 'c' })).toEqual(reported)
  expect(await outcomesOf(memory, blockId)).toBe(1)
  await memory.outcome(report)
  expect(await outcomesOf(memory, blockId)).toBe(2)
})

test('a key with another input is refused, and one that is none, too', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: TEXT }, { once: 'a' })
  const other = { content: 'The ferry leaves at nine' }
  expect(await refusal(memory.remember(other, { once: 'a' }))).toMatchObject({ code: 'CONFLICT' })
  for (const once of ['', ' ', 'a b', 'ä', 'x'.repeat(129), 'a\n'])
    expect(await refusal(memory.remember(other, { once })), once).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.history({ limit: 50 })).operations).toHaveLength(1)
})

test('keys of two holders, and of two operations, are apart', async () => {
  const { memory } = await openTestMemory()
  const by = (actor: string, scope?: string) => {
    const principal = { actor, capability: 'agent', ...(scope === undefined ? {} : { scope }) } as const
    return (content: string) => callFor(memory, table.remember, { content }, { principal, once: 'a' })
  }
  const answers = [
    await by('http:ann')('One'),
    await by('http:ben')('Two'),
    await by('http:ann', 'x')('Three'),
  ]
  expect(answers).toMatchObject([{ status: 'created' }, { status: 'created' }, { status: 'created' }])
  expect(await by('http:ann')('One')).toEqual(answers[0])
  expect(await memory.setup({ identity: 'A gardener' }, { once: 'a' })).toMatchObject({
    summary: expect.any(String),
  })
})

test('calls with one key at a time are one call', async () => {
  const { memory } = await openTestMemory()
  const all = await Promise.all(
    Array.from({ length: 8 }, () => memory.remember({ content: TEXT }, { once: 'a' })),
  )
  expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(all[0]?.status).toBe('created')
  const dreams = await Promise.all([1, 2, 3].map(() => memory.dream({}, { once: 'd' })))
  expect(new Set(dreams.map(({ processed }) => processed))).toEqual(new Set([1]))
  const reports = Array.from({ length: 5 }, () =>
    memory.outcome({ signal: 1, blockIds: [all[0]?.blockId ?? ''] }, { once: 'o' }),
  )
  await Promise.all(reports)
  expect(await outcomesOf(memory, all[0]?.blockId ?? '')).toBe(1)
})

test('a refused call keeps nothing, and its key can be used again', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: TEXT })
  const wrong = { blockId: 'ffffffffffffffff' }
  expect(await refusal(memory.forget(wrong, { once: 'a' }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await refusal(memory.forget(wrong, { once: 'a' }))).toMatchObject({ code: 'NOT_FOUND' })
  const forgotten = await memory.forget({ blockId }, { once: 'a' })
  expect(await memory.forget({ blockId }, { once: 'a' })).toEqual(forgotten)
})

/** Takes the answer out of the oldest request that is kept. */
async function loseAnswer(store: Store): Promise<void> {
  const [row] = await store.read((tx) => tx.rows.scan(requests, { from: ['at', ''], order: ['at'] }))
  const { answer: _, ...rest } = row as NonNullable<typeof row>
  await store.write((tx) => tx.rows.put(requests, [rest]))
}

test('an answer that got lost is not done twice, and what it wrote is named', async () => {
  const { memory, store } = await openTestMemory()
  const { blockId, operationId } = await memory.remember({ content: TEXT }, { once: 'a' })
  await memory.status({})
  await loseAnswer(store)
  expect(await refusal(memory.remember({ content: TEXT }, { once: 'a' }))).toMatchObject({
    code: 'STORE_FAILED',
    details: { outcome: 'done', operationId, blockIds: [blockId] },
  })
  expect((await memory.history({ limit: 50 })).operations).toHaveLength(1)
})

test('a write in many transactions that a kill cut off goes on when it is called again with its key', async () => {
  const { memory, store } = await openTestMemory()
  const blocks = Array.from({ length: 600 }, (_, i) => ({ content: `Jar number ${i} holds nuts` }))
  await memory.rememberMany({ blocks }, { once: 'a' })
  await memory.status({})
  await loseAnswer(store)
  await memory.undo()
  expect((await memory.rememberMany({ blocks }, { once: 'a' })).created).toBe(600)
})

/** Returns the keys and the text of all requests that are kept. */
async function keptRequests(path: string) {
  const store = await openSqliteStore(path)
  const rows = await store.read((tx) => tx.rows.scan(requests, { from: ['at', ''], order: ['at'] }))
  await store.close()
  return { keys: rows.map(({ key }) => key), text: JSON.stringify(rows) }
}

test('a kept answer with words of an erased block is erased with it', async () => {
  const { memory, path } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Zebulon keeps the key of the cellar' })
  await memory.dream({})
  const { blockId: other } = await memory.remember({ content: TEXT })
  await memory.connectByQuery(
    { sourceQuery: 'who keeps the key of the cellar', targetQuery: TEXT, relation: 'elaborates' },
    { once: 'words' },
  )
  await memory.forget({ blockId: other }, { once: 'none' })
  await memory.status({})
  const before = await keptRequests(path)
  expect(before.text).toContain('Zebulon')
  await memory.erase({ blockIds: [blockId], yes: true })
  const { keys, text } = await keptRequests(path)
  expect(keys).toEqual(['none'])
  expect(text).not.toContain('Zebulon')
})
