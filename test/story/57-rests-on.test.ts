import { expect, test } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

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

test('what rests on a fact that was superseded is marked with the way there, and shown where it was', async () => {
  const { memory, say, price, sum, offer } = await pricedMemory()
  const before = await memory.recall({ query: QUESTION, reinforce: false })
  expect(before.blocks.every(({ restsOnOutdated }) => restsOnOutdated === undefined)).toBe(true)
  const told = await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  expect(new Set(told.restsOnReplaced)).toEqual(new Set([sum, offer]))
  expect(told.summary).toContain('2 blocks rest on what ended')
  const { blocks, text } = await memory.recall({ query: QUESTION, reinforce: false })
  const found = blocks.find(({ id }) => id === sum)
  expect(found?.restsOnOutdated).toMatchObject([
    {
      id: price,
      why: 'superseded',
      foundBy: 'given',
      path: [price],
      content: 'The basic plan costs 9 euros a month',
    },
  ])
  expect(text).toContain('↳ rests on what is outdated: The basic plan costs 9 euros a month')
  expect(blocks.findIndex(({ id }) => id === sum)).toBe(before.blocks.findIndex(({ id }) => id === sum))
  expect((await memory.show({ blockId: offer })).restsOnOutdated).toMatchObject([
    { id: price, path: [sum, price] },
  ])
  expect((await memory.status()).restOnOutdated).toBe(2)
  const { outdated } = await memory.inbox()
  expect(new Set(outdated?.map(({ id }) => id))).toEqual(new Set([sum, offer]))
  const { operations } = await memory.history({ blockId: offer })
  expect(operations.at(-1)).toMatchObject({ operation: 'remember' })
  expect(operations.at(-1)?.summary).toContain('2 blocks rest on what ended')
  await say('Unrelated words about tea')
  expect((await memory.status()).restOnOutdated).toBe(2)
})

test('the mark goes when the superseding is undone, and when the fact is so again', async () => {
  const { memory, price, sum } = await pricedMemory()
  const isMarked = async () => (await memory.show({ blockId: sum })).restsOnOutdated !== undefined
  const newer = { content: 'The basic plan costs 12 euros a month', supersedes: price }
  const { blockId } = await memory.remember(newer)
  expect(await isMarked()).toBe(true)
  await memory.undo()
  expect(await isMarked()).toBe(false)
  expect((await memory.inbox()).outdated).toBeUndefined()
  const again = await memory.remember(newer)
  expect(again.blockId).toBe(blockId)
  await memory.dream()
  expect(await isMarked()).toBe(true)
  await memory.remember({ content: 'The basic plan costs 9 euros a month', supersedes: again.blockId })
  expect(await isMarked()).toBe(false)
})

test('a fact that ends by its date marks what rests on it when the day has come, and a blank end takes the mark away', async () => {
  const { memory, clock, price, sum } = await pricedMemory()
  await memory.edit({ blockId: price, validUntil: '2026-03-04' })
  const marked = async () => (await memory.show({ blockId: sum })).restsOnOutdated
  expect(await marked()).toBeUndefined()
  clock.advance({ hours: 72 })
  expect(await marked()).toMatchObject([{ id: price, why: 'ended', until: '2026-03-04T00:00:00.000Z' }])
  await memory.edit({ blockId: price, validUntil: '' })
  expect(await marked()).toBeUndefined()
})

test('a blank end takes away what a newer block had ended', async () => {
  const { memory, price } = await pricedMemory()
  await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  expect((await memory.show({ blockId: price })).block.validUntil).toBeDefined()
  expect((await memory.edit({ blockId: price, validUntil: '' })).changed).toEqual(['validUntil'])
  expect((await memory.show({ blockId: price })).block.validUntil).toBeUndefined()
})

test('edit says anew what a block rests on, and undo brings back what it did', async () => {
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

test('ids of no block, and a block that would rest on itself, are refused and nothing is stored', async () => {
  const { memory, price } = await pricedMemory()
  const { inboxCount } = await memory.status()
  const unknown = { content: 'Made of nothing', derivedFrom: ['ffffffff'] }
  expect(await refusal(memory.remember(unknown))).toMatchObject({ code: 'NOT_FOUND' })
  const many = async () => memory.rememberMany({ blocks: [{ content: 'Fine by itself' }, unknown] })
  expect((await refusal(many())).message).toContain('blocks[1]: No block has the id')
  const itself = async () =>
    memory.remember({ content: 'The basic plan costs 9 euros a month', derivedFrom: [price] })
  expect(await refusal(itself())).toMatchObject({ code: 'INVALID_INPUT' })
  expect((await memory.status()).inboxCount).toBe(inboxCount)
})

test('a host says in its analysis what a block rests on, and hears of ids that are none', async () => {
  const { memory, say, price } = await pricedMemory()
  const note = await say('Three months of it are 27 euros')
  const hostAnalyses = {
    [note]: { alignmentScore: 0.1, summary: 'Three months are 27 euros.', derivedFrom: [price, 'ffffffff'] },
  }
  expect((await memory.dream({ hostAnalyses })).groundsUnused).toEqual(['ffffffff'])
  expect((await memory.show({ blockId: note })).derivedFrom).toMatchObject([
    { other: price, foundBy: 'host' },
  ])
})

test('what rests on what survives an export and an import', async () => {
  const { memory, clock, price, sum, path: opened } = await pricedMemory()
  await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  const path = `${opened}.jsonl`
  await memory.export({ path })
  const { memory: other } = await openTestMemory({ clock })
  await other.import({ path, trusted: true })
  expect((await other.show({ blockId: sum })).restsOnOutdated).toMatchObject([{ id: price }])
})

test('what a scope says rests on its own blocks alone, and another scope is told nothing', async () => {
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

/** What rests by its words on what was lost, and what only reads like it. */
const WORLDS = [
  {
    older: 'The choir rehearses in the Lindenhof hall.',
    newer: 'The choir rehearses in the town library.',
    rests: ['The Lindenhof caretaker opens up for the choir at six.'],
    apart: ['The chess club meets in the Lindenhof hall.', 'The choir sings on Thursdays.'],
  },
  {
    older: 'Marek drives the red Octavia.',
    newer: 'Marek sold the car and rides a cargo bike.',
    rests: ["The garage has Marek's Octavia for new tyres."],
    apart: [
      'Jana drives the red Octavia.',
      'Marek drives to the coast in May.',
      "Marek's sister Ola drives an Octavia.",
    ],
  },
  {
    older: 'Events of the shop go through RabbitMQ.',
    newer: 'We replaced RabbitMQ by Kafka for the events of the shop.',
    rests: ['Dead events of the shop wait in a RabbitMQ exchange.'],
    apart: ['Orders of the shop are kept in Postgres.'],
  },
  {
    older: 'The staging database listens on port 6543.',
    newer: 'The staging database listens on port 7001.',
    rests: ['The tunnel script for staging forwards localhost:6543.'],
    apart: ['The production database listens on port 6543.', 'Staging is rebuilt every night.'],
  },
] as const

test.each(WORLDS)(
  'an earlier note with the lost value of "$older" is marked, look-alikes are not',
  async (world) => {
    const memory = await openMemory(':memory:', { config: {}, embedder: miniLm() })
    try {
      let month = 1
      const say = (content: string, more: object = {}) =>
        memory.remember({ content, session: content, at: `2026-0${month}-01`, ...more })
      const older = await say(world.older)
      month = 2
      const rests = await Promise.all(world.rests.map((content) => say(content)))
      await Promise.all(world.apart.map((content) => say(content)))
      await memory.dream()
      month = 3
      await say(world.newer, { supersedes: older.blockId })
      // What is said afterwards knew of the change.
      month = 4
      await Promise.all(world.rests.map((content) => say(`${content} Still so.`)))
      await memory.dream()
      const { outdated = [] } = await memory.inbox()
      expect(outdated.map(({ id }) => id)).toEqual(rests.map(({ blockId }) => blockId))
      expect(outdated[0]?.restsOnOutdated).toMatchObject([{ id: older.blockId, foundBy: 'rule' }])
    } finally {
      await memory.close()
    }
  },
)

test('a fact that comes back again and again marks what rests on it only while it does not hold', async () => {
  const { memory, clock } = await openTestMemory()
  let { blockId: gate } = await memory.remember({ content: 'The gate of the shaft is open' })
  const { blockId } = await memory.remember({ content: 'Trucks may use the shaft', derivedFrom: [gate] })
  const marked: boolean[] = []
  for (const state of ['closed', 'open', 'closed', 'open']) {
    clock.advance({ hours: 24 })
    gate = (await memory.remember({ content: `The gate of the shaft is ${state}`, supersedes: gate })).blockId
    marked.push((await memory.show({ blockId })).restsOnOutdated !== undefined)
  }
  expect(marked).toEqual([true, false, true, false])
})

test('a ground that ended and was then forgotten marks nothing', async () => {
  const { memory, price, sum } = await pricedMemory()
  await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  await memory.forget({ blockId: price })
  expect((await memory.show({ blockId: sum })).restsOnOutdated).toBeUndefined()
})

test('an answer with such a line is known as the memory’s own words when it is pasted back, also when the ground is archived', async () => {
  const { memory, price } = await pricedMemory()
  const { blockId } = await memory.remember({
    content: 'The basic plan costs 12 euros a month',
    supersedes: price,
  })
  await memory.dream()
  await memory.resolve({ a: price, b: blockId, keep: 'b' })
  const { text } = await memory.recall({ query: QUESTION })
  expect(text).toContain('↳ rests on what is outdated: ')
  const { inboxCount } = await memory.status()
  expect((await memory.remember({ content: text })).status).toBe('duplicate')
  const line = text.split('\n').find((each) => each.includes('rests on what is outdated')) ?? ''
  expect(await refusal(memory.remember({ content: line }))).toMatchObject({ code: 'FRAME_IN_TEXT' })
  expect((await memory.status()).inboxCount).toBe(inboxCount)
})

test('where the budget has no room for its words the mark stands with the id of the ground', async () => {
  const { memory, price } = await pricedMemory()
  await memory.remember({ content: 'The basic plan costs 12 euros a month', supersedes: price })
  const texts = []
  for (const tokenBudget of [60, 45, 40])
    texts.push((await memory.recall({ query: QUESTION, tokenBudget, topK: 1 })).text)
  const line = `↳ rests on what is outdated: ${price.slice(0, 8)}`
  expect(texts.some((text) => text.split('\n').includes(line))).toBe(true)
  for (const text of texts) expect((await memory.remember({ content: text })).status).toBe('duplicate')
})

test('a proposal, and what begins only later, name nothing as resting on what goes: nothing has ended yet', async () => {
  const { memory, clock, path, price } = await pricedMemory()
  const newer = { supersedes: price, validFrom: '2027-01-01' }
  const ahead = await memory.remember({ content: 'The basic plan costs 15 euros a month', ...newer })
  expect(ahead.restsOnReplaced).toBeUndefined()
  const agent = await openTestMemory({ path, clock, as: 'agent' })
  const owners = await memory.remember({
    content: 'The pro plan costs 30 euros a month',
    sourceClass: 'user',
  })
  await memory.remember({
    content: 'A year of the pro plan comes to 360 euros',
    derivedFrom: [owners.blockId],
  })
  const proposal = { content: 'The pro plan costs 40 euros a month', supersedes: owners.blockId }
  const told = await agent.memory.remember(proposal)
  expect([told.proposed, told.restsOnReplaced]).toEqual([true, undefined])
  expect((await memory.status()).restOnOutdated).toBe(0)
})
