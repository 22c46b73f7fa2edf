import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { openOn, openStore } from '../../helpers/scoped.ts'

const QUERY = 'which port does staging use'

/** A port that changed twice, and what rests on it. */
async function changed() {
  const opened = await openTestMemory()
  const { memory, clock, learn } = opened
  const [first = '', team = ''] = await learn(
    'Staging uses port 4000',
    'The harbour team looks after machines',
  )
  await memory.connect({ source: first, target: team, relation: 'supports' })
  clock.advance({ hours: 24 })
  const next = async (content: string, supersedes: string) => {
    const { blockId } = await memory.remember({ content, supersedes })
    await memory.dream()
    clock.advance({ hours: 24 })
    return blockId
  }
  const second = await next('Staging uses port 5000', first)
  const third = await next('Staging uses port 6000', second)
  const ask = (instead?: readonly string[], more: object = {}) =>
    memory.recall({ query: QUERY, topK: 1, reinforce: false, ...more, ...(instead && { instead }) })
  return { ...opened, first, second, third, team, ask }
}

test('recall with instead answers with the value that stood before, and the newest without it', async () => {
  const { first, second, third, ask } = await changed()
  expect((await ask()).blockIds).toEqual([third])
  const back = await ask([third])
  expect(back.blockIds).toEqual([second])
  expect(back.blocks[0]?.validUntil).toBeUndefined()
  expect(JSON.stringify(back.blocks)).not.toContain(third)
  expect(back.instead).toEqual([third])
  expect(back.note).toContain('never been said')
  expect((await ask([third, second.slice(0, 8)])).blockIds).toEqual([first])
})

test('recall with instead of a version between two leaves the newest over the oldest', async () => {
  const { first, second, third, ask } = await changed()
  const { blocks } = await ask([second])
  expect(blocks.map(({ id }) => id)).toEqual([third])
  expect(blocks[0]?.versions?.map(({ id }) => id)).toEqual([first])
})

test('recall with instead brings an archived version back with its edge', async () => {
  const { memory, first, second, third, team, ask } = await changed()
  await memory.resolve({ a: first, b: second, keep: 'b' })
  await memory.resolve({ a: second, b: third, keep: 'b' })
  expect((await ask([third])).blockIds).toEqual([second])
  expect((await ask([second])).blockIds).toEqual([third])
  const { blocks } = await ask([second, third], { topK: 5 })
  expect(blocks.map(({ id }) => id)).toEqual([first, team])
  expect(blocks[0]).not.toHaveProperty('ended')
  expect(blocks[1]?.path).toMatchObject({ seed: first, relation: 'supports' })
})

test('recall with instead changes no use, no log and no state', async () => {
  const { memory, third, team } = await changed()
  const state = async () => ({
    history: (await memory.history({ lastN: 100 })).operations,
    uses: (await memory.show({ blockId: team })).block.reinforcementCount,
    status: { ...(await memory.status()), summary: '' },
  })
  const before = await state()
  const { recallId, text } = await memory.recall({ query: QUERY, instead: [third] })
  expect(recallId).toBeUndefined()
  expect(text).toContain('5000')
  expect(await state()).toEqual(before)
  expect((await memory.recall({ query: QUERY })).text).toContain('6000')
})

test('recall with instead of an unknown id, or of one of another scope, is refused with NOT_FOUND', async () => {
  const store = await openStore()
  const [whole, ship] = [await openOn(store), await openOn(store, { scope: 'ship' })]
  const { blockId } = await whole.remember({ content: 'Staging uses port 4000' })
  await ship.remember({ content: 'The ship uses port 90' })
  for (const refused of [whole.recall({ instead: ['ffffffff'] }), ship.recall({ instead: [blockId] })])
    expect((await refusal(refused)).code).toBe('NOT_FOUND')
})
