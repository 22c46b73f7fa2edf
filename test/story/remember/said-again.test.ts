import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory } from '../../helpers/memory.ts'

const DOWN = 'Production is down.'
const UP = 'Production is up.'

/** Lists the contents of what waits, the newest first. */
async function listed(memory: Memory): Promise<string[]> {
  return (await memory.ls({ status: 'inbox' })).blocks.map(({ content }) => content)
}

/** Returns the contents of the entries of a recall about production, without their versions. */
async function answered(memory: Memory, past: { asOf?: string; knownAt?: string } = {}): Promise<string[]> {
  const { blocks } = await memory.recall({ query: 'Is production down or up?', minStrength: 0, ...past })
  return blocks.map(({ content }) => content)
}

async function occurrencesOf(memory: Memory, blockId: string) {
  return (await memory.show({ blockId })).block.occurrences ?? []
}

test('remember of a text three times with dates keeps one block with three dates, in show and in the text of recall', async () => {
  const { memory } = await openTestMemory()
  const ids = new Set<string>()
  for (const at of ['2026-01-05', '2026-02-09', '2026-03-01'])
    ids.add((await memory.remember({ content: 'Grandma fell.', at })).blockId)
  const [id = ''] = ids
  expect(ids.size).toBe(1)
  const dates = (await occurrencesOf(memory, id)).map(({ at }) => at.slice(0, 10))
  expect(dates).toEqual(['2026-02-09', '2026-03-01'])
  const { text } = await memory.recall({ query: 'When did grandma fall?' })
  expect(text).toContain('2026-01-05, again 2026-02-09, 2026-03-01')
})

test.each(['remember', 'rememberMany'] as const)(
  '%s of a text said before another makes it the newest, at one time of the clock and with a clock set back',
  async (way) => {
    for (const hours of [0, 1, -1]) {
      const { memory, clock } = await openTestMemory()
      const say = async (content: string) => {
        if (way === 'remember') await memory.remember({ content })
        else await memory.rememberMany({ blocks: [{ content }] })
        clock.advance({ hours })
      }
      await say(DOWN)
      await say(UP)
      expect(await listed(memory)).toEqual([UP, DOWN])
      await say(DOWN)
      expect(await listed(memory)).toEqual([DOWN, UP])
      await say(UP)
      expect(await listed(memory)).toEqual([UP, DOWN])
    }
  },
)

test('remember of a superseded text puts its block on top, and the other under it', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: down } = await memory.remember({ content: DOWN })
  clock.advance({ hours: 24 })
  const { blockId: up } = await memory.remember({ content: UP, supersedes: down })
  clock.advance({ hours: 24 })
  const told = await memory.remember({ content: DOWN })
  expect(told).toMatchObject({ blockId: down, status: 'duplicate', saidAgain: true, supersedes: up })
  expect(await answered(memory)).toEqual([DOWN])
  clock.advance({ hours: 24 })
  expect(await memory.remember({ content: UP })).toMatchObject({ blockId: up, supersedes: down })
  expect(await answered(memory)).toEqual([UP])
})

test('remember of a text that resolve archived brings its block back on top with its edges', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [down = '', other = ''] = await learn(DOWN, 'The pager is with Ana.')
  await memory.connect({ source: down, target: other, relation: 'supports' })
  clock.advance({ hours: 1 })
  const { blockId: up } = await memory.remember({ content: UP, supersedes: down })
  await memory.dream()
  await memory.resolve({ a: down, b: up, keep: 'b' })
  expect((await memory.show({ blockId: down })).block.status).toBe('archived')
  clock.advance({ hours: 1 })
  const told = await memory.remember({ content: DOWN })
  expect(told).toMatchObject({ blockId: down, status: 'duplicate', supersedes: up })
  const shown = await memory.show({ blockId: down })
  expect(shown.block.status).toBe('active')
  expect(shown.edges.map((edge) => edge.other)).toContain(other)
  const now = await answered(memory)
  expect(now[0]).toBe(DOWN)
  expect(now).not.toContain(UP)
  await memory.undo()
  expect((await memory.show({ blockId: down })).block).toMatchObject({ status: 'archived', supersededBy: up })
  expect((await answered(memory))[0]).toBe(UP)
})

test('remember of words that are trusted less puts nothing on top and is an occurrence of what is there', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: down } = await memory.remember({ content: DOWN, sourceClass: 'user', source: 'Ana' })
  clock.advance({ hours: 1 })
  const { blockId: up } = await memory.remember({ content: UP, sourceClass: 'user', supersedes: down })
  clock.advance({ hours: 1 })
  const told = await memory.remember({ content: DOWN, sourceClass: 'document', source: 'Ben' })
  expect(told).toMatchObject({ blockId: down, saidAgain: true, supersededBy: up })
  expect(told.supersedes).toBeUndefined()
  expect(await answered(memory)).toEqual([UP])
  expect(await listed(memory)).toEqual([UP, DOWN])
  expect(await occurrencesOf(memory, down)).toMatchObject([{ sourceClass: 'document', source: 'Ben' }])
})

test('recall names each speaker of a text', async () => {
  const { memory, clock } = await openTestMemory()
  for (const source of ['Ana', 'Ben', 'Ana']) {
    await memory.remember({ content: 'The pool is closed.', source })
    clock.advance({ hours: 24 })
  }
  const { text } = await memory.recall({ query: 'Is the pool closed?' })
  expect(text).toContain('2026-03-02, again 2026-03-03, 2026-03-04, document: Ana, document: Ben')
})

test('remember of a text with an older date keeps the newest date, and all of them', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Grandma fell.', at: '2026-02-20' })
  await memory.remember({ content: 'Grandma sings.', at: '2026-02-10' })
  await memory.remember({ content: 'Grandma fell.', at: '2026-01-20' })
  const { text } = await memory.recall({ query: 'When did grandma fall?' })
  expect(text).toContain('2026-01-20, again 2026-02-20')
  expect(await occurrencesOf(memory, blockId)).toHaveLength(1)
})

test('remember of the same once more in the same second adds no occurrence', async () => {
  const { memory, clock } = await openTestMemory()
  const given = { content: 'Grandma fell.', at: '2026-02-20', session: 'visits' }
  const { blockId } = await memory.remember(given)
  clock.advance({ hours: 1 })
  expect((await memory.remember(given)).saidAgain).toBeUndefined()
  const { blockId: down } = await memory.remember({ content: DOWN })
  expect((await memory.remember({ content: DOWN })).saidAgain).toBeUndefined()
  clock.advance({ minutes: 1 })
  expect((await memory.remember({ content: DOWN })).saidAgain).toBe(true)
  expect(await occurrencesOf(memory, blockId)).toEqual([])
  expect(await occurrencesOf(memory, down)).toHaveLength(1)
})

test('undo of a remember takes its occurrence back, and what it had put on top', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: down } = await memory.remember({ content: DOWN })
  clock.advance({ hours: 1 })
  await memory.remember({ content: UP, supersedes: down })
  clock.advance({ hours: 1 })
  await memory.remember({ content: DOWN })
  expect(await answered(memory)).toEqual([DOWN])
  await memory.undo()
  expect(await answered(memory)).toEqual([UP])
  expect(await occurrencesOf(memory, down)).toEqual([])
  expect(await listed(memory)).toEqual([UP, DOWN])
})

test('asOf and knownAt know the occurrences of then', async () => {
  const clock = createTestClock('2026-03-01T09:00:00Z')
  const { memory } = await openTestMemory({ clock })
  const { blockId: down } = await memory.remember({ content: DOWN })
  clock.advance({ hours: 48 })
  await memory.remember({ content: UP, supersedes: down })
  clock.advance({ hours: 48 })
  await memory.remember({ content: DOWN })
  for (const past of ['asOf', 'knownAt'] as const) {
    expect(await answered(memory, { [past]: '2026-03-02T09:00:00Z' })).toEqual([DOWN])
    expect(await answered(memory, { [past]: '2026-03-04T09:00:00Z' })).toEqual([UP])
    expect(await answered(memory, { [past]: '2026-03-05T09:00:00Z' })).toEqual([DOWN])
    const then = await memory.show({ blockId: down, [past]: '2026-03-02T09:00:00Z' })
    expect(then.block.occurrences).toBeUndefined()
  }
})

test('erase of a block that was said again takes its occurrences with it', async () => {
  const { memory, clock, path } = await openTestMemory()
  const { blockId } = await memory.remember({ content: DOWN, source: 'Anastasia Vinogradova' })
  clock.advance({ hours: 1 })
  await memory.remember({ content: DOWN, source: 'Benedikt Zschokke-Amberg' })
  await memory.erase({ blockIds: [blockId], yes: true })
  expect(readFileSync(path).includes('Zschokke-Amberg')).toBe(false)
  expect(readFileSync(`${path}-wal`).includes('Zschokke-Amberg')).toBe(false)
})
