import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const PORT = 'Staging listens on port 4210.'

async function livingTexts(memory: Awaited<ReturnType<typeof openTestMemory>>['memory']) {
  const [active, inbox] = await Promise.all([memory.ls({}), memory.ls({ status: 'inbox' })])
  return [...active.blocks, ...inbox.blocks].map(({ content }) => content).sort()
}

test('a write with another ifVersion than there is is refused with CONFLICT as a whole', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ key: 'k', value: 'one', ifVersion: 0 })
  const stale = [
    () => items.put({ key: 'k', value: 'again', ifVersion: 0 }),
    () => items.put({ key: 'gone', value: 'x', ifVersion: 1 }),
    () => items.delete({ key: 'k', ifVersion: 2 }),
    () =>
      items.batch([
        { do: 'put', key: 'other', value: 'x' },
        { do: 'put', key: 'k', value: 'y', ifVersion: 7 },
      ]),
  ]
  for (const write of stale) expect(await refusal(write())).toMatchObject({ code: 'CONFLICT' })
  expect((await items.list()).items.map(({ key, value }) => [key, value])).toEqual([['k', 'one']])
  const both = [1, 2].map((value) =>
    items.put({ key: 'k', value, ifVersion: 1 }).then(
      () => value,
      () => 0,
    ),
  )
  expect((await Promise.all(both)).filter((value) => value > 0)).toHaveLength(1)
  expect(await items.delete({ key: 'k', ifVersion: 2 })).toBe(true)
})

test('an item and a block that somebody remembered in the same words are two, and each goes alone', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ key: 'k', value: 1, texts: [{ content: PORT, sourceClass: 'agent' }] })
  await memory.dream()
  expect((await memory.remember({ content: PORT })).status).toBe('created')
  expect((await memory.rememberMany({ blocks: [{ content: PORT }] })).created).toBe(0)
  await memory.dream()
  expect(await livingTexts(memory)).toEqual([PORT, PORT])
  await items.delete({ key: 'k' })
  expect((await memory.ls({})).blocks.map(({ category }) => category)).toEqual(['knowledge'])
})

test('items in the same words share one block, which is forgotten with the last and comes back', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ namespace: ['a'], key: 'k', value: 1, texts: [PORT] })
  await items.put({ namespace: ['A'], key: 'k', value: 2, texts: [PORT] })
  await memory.dream()
  const [block, ...others] = (await memory.ls({})).blocks
  expect([block?.tags.length, others]).toEqual([3, []])
  await items.delete({ namespace: ['a'], key: 'k' })
  expect((await memory.ls({})).blocks.map(({ tags }) => tags.length)).toEqual([2])
  expect(await items.search({ query: 'staging port', namespace: ['a'] })).toEqual([])
  expect((await items.search({ query: 'staging port', namespace: ['A'] })).length).toBe(1)
  await items.put({ namespace: ['A'], key: 'k', value: 2, texts: ['Tea is at four.'] })
  expect(await memory.show({ blockId: block!.id })).toMatchObject({ block: { status: 'archived' } })
  await items.put({ key: 'again', value: 3, texts: [PORT] })
  expect(await memory.show({ blockId: block!.id })).toMatchObject({ block: { status: 'active' } })
  expect((await items.search({ query: 'staging port' }))[0]?.key).toBe('again')
})

test('search finds items of a namespace and all inside it at once, the best first', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ namespace: ['u'], key: 'port', value: 1, texts: ['Tea is at four.', PORT] })
  await items.put({ namespace: ['u', 'deep'], key: 'staging', value: 2, texts: ['Staging is slow.'] })
  await items.put({ namespace: ['v'], key: 'other', value: 3, texts: ['Staging of v listens on a port.'] })
  await items.put({ namespace: ['u'], key: 'unsaid', value: 4 })
  const found = await items.search({ query: 'Which port does staging listen on?', namespace: ['u'] })
  expect(found.map(({ key }) => key)).toEqual(['port', 'staging'])
  expect(found[0]!.score).toBeGreaterThan(found[1]!.score)
  expect((await memory.status()).inboxCount).toBe(0)
  const [second] = await items.search({
    query: 'Which port does staging listen on?',
    namespace: ['u'],
    offset: 1,
    limit: 1,
  })
  expect(second?.key).toBe('staging')
})

test('the text of an item does not fade, however long nobody asks for it', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.items('notes').put({ key: 'k', value: 1, texts: [PORT] })
  await memory.remember({ content: 'Tea is at four.' })
  await memory.dream()
  clock.advance({ hours: 100_000 })
  await memory.curate()
  expect(await livingTexts(memory)).toEqual([PORT])
})

test('the last of several writes to one key in a batch counts', async () => {
  const { memory } = await openTestMemory()
  const items = memory.items('notes')
  await items.put({ key: 'a', value: 'old' })
  const [first, last, gone, undone] = await items.batch([
    { do: 'put', key: 'a', value: 'first' },
    { do: 'put', key: 'a', value: 'last' },
    { do: 'delete', key: 'b' },
    { do: 'put', key: 'b', value: 1 },
  ])
  expect([first?.value, last?.value, gone, undone?.value]).toEqual(['last', 'last', false, 1])
  expect((await items.list()).items.map(({ key, value, version }) => [key, value, version])).toEqual([
    ['a', 'last', 2],
    ['b', 1, 1],
  ])
})
