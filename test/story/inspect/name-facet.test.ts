import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'

const NOTES = [
  ['2026-01-02', 'Larder is the new shop, and Tomasz Brandl wrote it'],
  ['2026-01-05', 'Orders of Larder are kept for ten years'],
  ['2026-02-01', "We'll ask Tomasz who looks after Larder"],
  ['2026-03-01', 'Decision: the shop closes on Sundays in winter'],
  ['2026-03-02', 'Restart the shop in 250ms, it said True = Integer(3)'],
] as const

async function noted() {
  const opened = await openTestMemory()
  for (const [at, content] of NOTES) await opened.memory.remember({ content, at, session: at.slice(0, 7) })
  const names = async (more: Parameters<typeof opened.memory.facets>[0] = {}) => {
    const { name } = await opened.memory.facets({ status: 'inbox', of: ['name'], ...more })
    return name.values.map(({ value, blocks }) => `${value} ${blocks}`)
  }
  return { ...opened, names }
}

test('facets of name counts blocks by name with the first and the last time, waiting ones and those of a dream alike', async () => {
  const { memory, names } = await noted()
  const { name, tag, total } = await memory.facets({ status: 'inbox', of: ['name'], limit: 2 })
  expect({ name, tag, total }).toMatchObject({
    total: NOTES.length,
    tag: { values: [], distinct: 0 },
    name: { values: [{ value: 'Larder', blocks: 3 }, { blocks: 2 }] },
  })
  const [larder] = name.values
  expect([larder?.firstAt, larder?.lastAt].map((at) => at?.slice(0, 10))).toEqual([
    '2026-01-02',
    '2026-02-01',
  ])
  const before = await names()
  await memory.dream()
  expect(await names({ status: 'active' })).toEqual(before)
})

test('facets of name leaves out first words of sentences, contractions, and words of code', async () => {
  const { names } = await noted()
  const found = (await names()).map((each) => each.replace(/ \d+$/, ''))
  expect(found).toEqual(expect.arrayContaining(['Larder', 'Tomasz', 'Tomasz Brandl']))
  for (const word of ['Orders', 'Decision', 'Restart', "We'll", 'True', 'Integer', '250ms'])
    expect(found).not.toContain(word)
})

test('facets of name keeps to the conditions, the scope and the time of the call', async () => {
  const { memory, names, clock } = await noted()
  expect(await names({ session: '2026-02' })).toEqual(['Larder 1', 'Tomasz 1'])
  const then = new Date(clock.now()).toISOString()
  clock.advance({ hours: 1 })
  await memory.remember({ content: 'The piano of Larder goes to Aalborg', scope: 'house' })
  expect(await names()).toContain('Larder 4')
  const own = await memory.facets({ status: 'inbox', of: ['name'], scope: 'house' })
  expect(own.name.values.map(({ value }) => value)).toEqual(['Aalborg', 'Larder'])
  expect(await names({ knownAt: then })).toContain('Larder 3')
})
