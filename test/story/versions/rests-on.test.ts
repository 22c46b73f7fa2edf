import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

/** A price, a sum made of it, and an offer made of the sum. */
async function pricedMemory() {
  const opened = await openTestMemory()
  const { memory, clock } = opened
  const say = async (content: string, more: object = {}) =>
    (await memory.remember({ content, ...more })).blockId
  const price = await say('The basic plan costs 9 euros a month')
  const sum = await say('A year of the basic plan comes to 108 euros', { derivedFrom: [price] })
  const offer = await say('The offer for the choir says 108 euros', { derivedFrom: [sum] })
  await memory.dream()
  clock.advance({ hours: 1 })
  return { ...opened, say, price, sum, offer }
}

const QUESTION = 'what does a year of the basic plan come to'

test('remember with supersedes marks blocks that rest on the older one, until undo', async () => {
  const { memory, price, sum, offer } = await pricedMemory()
  const before = await memory.recall({ query: QUESTION, reinforce: false })
  expect(before.blocks.every(({ restsOnOutdated }) => restsOnOutdated === undefined)).toBe(true)
  const told = await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  expect(new Set(told.restsOnReplaced)).toEqual(new Set([sum, offer]))
  const { blocks, text } = await memory.recall({ query: QUESTION, reinforce: false })
  const ground = { id: price, why: 'superseded' }
  expect(blocks.find(({ id }) => id === sum)?.restsOnOutdated).toMatchObject([ground])
  expect(text).toMatch(/^↳ .*The basic plan costs 9 euros a month/m)
  const shown = await memory.show({ blockId: offer })
  expect(shown.restsOnOutdated).toMatchObject([{ id: price }])
  expect((await memory.status()).restOnOutdated).toBe(2)
  const outdated = async () => (await memory.decisions({ kind: 'outdated' })).decisions
  expect(new Set((await outdated()).map(({ first }) => first?.id))).toEqual(new Set([sum, offer]))
  await memory.undo()
  expect((await memory.show({ blockId: sum })).restsOnOutdated).toBeUndefined()
  expect(await outdated()).toEqual([])
})

test('a passed end of a block marks what rests on it, and a blank end unmarks it', async () => {
  const { memory, clock, price, sum } = await pricedMemory()
  await memory.edit({ blockId: price, validUntil: '2026-03-04' })
  const marked = async () => (await memory.show({ blockId: sum })).restsOnOutdated
  expect(await marked()).toBeUndefined()
  clock.advance({ hours: 72 })
  expect(await marked()).toMatchObject([{ id: price, why: 'ended', until: '2026-03-04T00:00:00.000Z' }])
  await memory.edit({ blockId: price, validUntil: '' })
  expect(await marked()).toBeUndefined()
})

test('edit replaces what a block rests on, and undo brings it back', async () => {
  const { memory, price, sum, offer } = await pricedMemory()
  const restsOn = async () => (await memory.show({ blockId: offer })).derivedFrom.map(({ other }) => other)
  expect((await memory.edit({ blockId: offer, derivedFrom: [price] })).changed).toEqual(['derivedFrom'])
  expect(await restsOn()).toEqual([price])
  expect((await memory.edit({ blockId: offer, derivedFrom: [price] })).changed).toEqual([])
  await memory.edit({ blockId: offer, derivedFrom: [] })
  expect(await restsOn()).toEqual([])
  expect((await memory.show({ blockId: sum })).restsOnIt).toEqual([])
  await memory.undo()
  expect(await restsOn()).toEqual([price])
})

test('remember refuses grounds that are no blocks or the block itself', async () => {
  const { memory, price } = await pricedMemory()
  const { inboxCount } = await memory.status()
  const unknown = { content: 'Made of nothing', derivedFrom: ['ffffffff'] }
  expect(await refusal(memory.remember(unknown))).toMatchObject({ code: 'NOT_FOUND' })
  const many = async () => memory.rememberMany({ blocks: [{ content: 'Fine by itself' }, unknown] })
  expect((await refusal(many())).message).toContain('blocks[1]')
  const itself = async () =>
    memory.remember({ content: 'The basic plan costs 9 euros a month', derivedFrom: [price] })
  expect(await refusal(itself())).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.status()).inboxCount).toBe(inboxCount)
})

test('remember takes no ground from another scope', async () => {
  const { memory, clock } = await openTestMemory()
  const inPots = { scope: 'pots' }
  const { blockId: heat } = await memory.remember({ content: 'The kiln fires at 1200 degrees', ...inPots })
  const glaze = { content: 'Glazes are ordered for 1200 degrees', derivedFrom: [heat] }
  expect(await refusal(memory.remember({ ...glaze, scope: 'pans' }))).toMatchObject({ code: 'NOT_FOUND' })
  const { blockId } = await memory.remember({ ...glaze, ...inPots })
  clock.advance({ hours: 1 })
  await memory.remember({ content: 'The kiln fires at 1100 degrees', supersedes: heat, ...inPots })
  expect((await memory.show({ blockId, ...inPots })).restsOnOutdated).toHaveLength(1)
  expect((await memory.status(inPots)).restOnOutdated).toBe(1)
  expect((await memory.status({ scope: 'pans' })).restOnOutdated).toBe(0)
})
