import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

/** A memory with so many open pairs, each of two blocks of its own. */
async function withPairs(number: number) {
  const opened = await openTestMemory()
  const ids = await opened.learn(
    ...Array.from({ length: 2 * number }, (_, i) => `Word${i} grows by field${i} in year${i}.`),
  )
  const pairs = Array.from({ length: number }, (_, i) => [ids[2 * i]!, ids[2 * i + 1]!] as const)
  await opened.store.write((tx) =>
    tx.savePairs(
      pairs.map(([a, b]) => ({
        ...{ a, b, kind: 'near_duplicate', score: 0.9, foundBy: 'similarity' },
        ...{ resolved: false, createdAt: '2026-01-01T00:00:00.000Z' },
      })),
    ),
  )
  return { ...opened, pairs }
}

const endsOf = ({ newer, older }: { newer: { id: string }; older: { id: string } }) =>
  [newer.id, older.id].toSorted()

test('open pairs are listed page by page, oldest first, with both texts and their number', async () => {
  const { memory, pairs } = await withPairs(5)
  const first = await memory.inbox({ openPairs: 2 })
  expect(first).toMatchObject({ openPairsTotal: 5, summary: expect.stringContaining('2 open pairs of 5') })
  expect(first.openPairs?.[0]).toMatchObject({
    kind: 'near_duplicate',
    newer: { content: expect.stringContaining('Word') },
  })
  const second = await memory.inbox({ openPairs: 2, openPairsCursor: first.openPairsCursor! })
  const third = await memory.inbox({ openPairs: 2, openPairsCursor: second.openPairsCursor! })
  expect(third.openPairsCursor).toBeUndefined()
  const listed = [first, second, third].flatMap(({ openPairs = [] }) => openPairs.map(endsOf))
  expect(listed).toEqual(pairs.map((pair) => [...pair].toSorted()))
})

test('a cursor leads on although the pairs before it were decided about', async () => {
  const { memory, pairs } = await withPairs(3)
  const first = await memory.inbox({ openPairs: 1 })
  const [a, b] = pairs[0]!
  await memory.resolve({ a, b, keep: 'both' })
  const second = await memory.inbox({ openPairs: 1, openPairsCursor: first.openPairsCursor! })
  expect(second.openPairs?.map(endsOf)).toEqual([[...pairs[1]!].toSorted()])
})

test('a cursor that no page returned is refused, and an inbox that was not asked lists no pairs', async () => {
  const { memory } = await withPairs(1)
  for (const openPairsCursor of ['x', 'a:b', 'a:b:c'])
    expect(await refusal(memory.inbox({ openPairs: 1, openPairsCursor }))).toMatchObject({
      code: 'INVALID_INPUT',
    })
  expect(await memory.inbox({})).not.toHaveProperty('openPairs')
})

test('a page of open pairs costs as many statements whatever their number', async () => {
  const costs: number[] = []
  for (const number of [3, 300]) {
    const { memory, store } = await withPairs(number)
    const { openPairsCursor } = await memory.inbox({ openPairs: 1 })
    const before = store.statements
    await memory.inbox({ openPairs: 1, openPairsCursor: openPairsCursor! })
    costs.push(store.statements - before)
  }
  expect(costs[0]).toBe(costs[1])
})

test('status names the call that lists the open pairs', async () => {
  const { memory } = await withPairs(2)
  expect((await memory.status()).suggestion).toContain('inbox({ openPairs: 20 })')
})
