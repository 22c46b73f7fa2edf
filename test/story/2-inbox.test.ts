import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

test('the inbox shows what waits, oldest first, and changes nothing', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'one apple', source: 'Ada', tags: ['fruit'] })
  await memory.remember({ content: 'two pears' })
  const before = (await memory.history({ lastN: 100 })).operations.length
  const { blocks, remaining, summary } = await memory.inbox()
  expect(blocks.map(({ content }) => content)).toEqual(['one apple', 'two pears'])
  expect(blocks[0]).toMatchObject({ source: 'Ada', tags: ['fruit'], category: 'knowledge' })
  expect(remaining).toBe(0)
  expect(summary).toContain('2 waiting blocks')
  expect((await memory.history({ lastN: 100 })).operations).toHaveLength(before)
})

test('a long inbox is read page by page without loss or repeat', async () => {
  const { memory } = await openTestMemory()
  for (let i = 0; i < 7; i++) await memory.remember({ content: `fact number ${i}` })
  const seen: string[] = []
  const remaining: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await memory.inbox({ maxCount: 3, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.blocks.map(({ content }) => content))
    remaining.push(page.remaining)
    cursor = page.cursor
    if (cursor === undefined) break
  }
  expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => `fact number ${i}`))
  expect(remaining).toEqual([4, 1, 0])
})

test('a page that makes no sense is refused', async () => {
  const { memory } = await openTestMemory()
  expect((await refusal(memory.inbox({ maxCount: 0 }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.inbox({ cursor: 'elsewhere' }))).code).toBe('INVALID_INPUT')
})

test('an empty inbox says so', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.inbox()).toEqual({ blocks: [], remaining: 0, summary: 'The inbox is empty.' })
})

// W6
test('a host judges alignment with the real self in hand', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ values: ['I keep my promises.'] })
  await memory.dream()
  await memory.remember({ content: 'I promised Ana a reply by Friday.' })
  const { identity, blocks } = await memory.inbox({ identity: true })
  expect(blocks).toHaveLength(1)
  expect(identity).toContain('I keep my promises.')
  expect(await memory.inbox()).not.toHaveProperty('identity')
})
