import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { nextTurn } from '../helpers/timer.ts'
import { statements } from '../helpers/words.ts'

test('an answer holds at most topK blocks, best first, with text, ids and everything left out', async () => {
  const { memory, learn } = await openTestMemory()
  const ids = await learn(...Array.from({ length: 8 }, (_, n) => `The red kettle number ${n} boils.`))
  const found = await memory.recall({ query: 'red kettle', topK: 3 })
  expect(found.blocks).toHaveLength(3)
  expect(found.blockIds).toEqual(found.blocks.map(({ id }) => id))
  const scores = found.blocks.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  for (const { content } of found.blocks) expect(found.text).toContain(content)
  // W15, W16
  expect([...found.blockIds, ...found.dropped.map(({ id }) => id)].sort()).toEqual([...ids].sort())
  expect(memory.lastRecallBlockIds).toEqual(found.blockIds)
})

test('a question-less recall shows as many blocks as were asked for, however many', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...statements(90))
  expect((await memory.recall({ topK: 80 })).blocks).toHaveLength(80)
})

// W1, W14
test('identity never disappears: not by age, not by topK, not by what is asked', async () => {
  const { memory, clock, learn } = await openTestMemory()
  await memory.setup({ seed: true })
  await memory.dream()
  await learn(...statements(30))
  clock.advance({ hours: 2000 })
  await memory.remember({ content: 'So that time has passed.' })
  const self = await memory.recall({ frame: 'self', query: 'anything', topK: 1 })
  const principles = self.blocks.filter(({ tags }) => tags.includes('self/constitutional'))
  expect(principles).toHaveLength(10)
  expect(principles.every(({ guaranteed }) => guaranteed)).toBe(true)
  expect(self.text).toContain('10. ')
  expect(self.budgetUsed).toBeLessThanOrEqual(self.budgetTotal)
})

test('principles that do not fit the budget are reported, the weightiest stay', async () => {
  const { memory } = await openTestMemory({ settings: { frames: { self: { tokenBudget: 120 } } } })
  await memory.setup({ seed: true })
  await memory.dream()
  const self = await memory.recall({ frame: 'self' })
  expect(self.blocks.length).toBeGreaterThan(0)
  expect(self.dropped.filter(({ reason }) => reason === 'token_budget')).toHaveLength(10 - self.blocks.length)
  expect(self.budgetUsed).toBeLessThanOrEqual(120)
  expect(self.note).toContain('beyond the budget')
})

test('the task frame always shows the goals, the attention frame never the principles', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ seed: true })
  await memory.remember({ content: 'Ship the release by June.', tags: ['self/goal'] })
  await memory.remember({ content: 'The red kettle boils.' })
  await memory.dream()
  const task = await memory.recall({ frame: 'task', query: 'red kettle', topK: 1 })
  expect(task.text).toContain('Ship the release by June.')
  expect(task.text).toContain('The red kettle boils.')
  const attention = await memory.recall({ query: 'red kettle curiosity principles', topK: 50 })
  expect(attention.blocks.some(({ tags }) => tags.includes('self/constitutional'))).toBe(false)
  expect(attention.excludedByFilter).toBe(10)
})

test('the simulate frame sorts what it shows into identity, minds, decisions and context', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Ana fears long meetings.', category: 'mind', tags: ['mind/ana'] })
  await memory.remember({ content: 'We meet only on Mondays.', category: 'decision' })
  await memory.remember({ content: 'I value brevity in meetings.', tags: ['self/value'] })
  await memory.remember({ content: 'The meeting room has a window.' })
  await memory.dream()
  const { text } = await memory.recall({ frame: 'simulate', query: 'meetings', minStrength: 0 })
  const headings = text.split('\n').filter((line) => line.startsWith('## '))
  expect(headings).toHaveLength(4)
  const place = (content: string) => text.indexOf(content)
  expect(place('I value brevity')).toBeLessThan(place('Ana fears'))
  expect(place('Ana fears')).toBeLessThan(place('We meet only'))
  expect(place('We meet only')).toBeLessThan(place('The meeting room'))
})

test('what a peer said is quoted as context, and no part of who the agent is', async () => {
  const { memory, store } = await openTestMemory()
  await memory.setup({ principles: ['Be kind to everyone.'] })
  await memory.dream()
  const [block] = (await memory.ls({ tag: 'self/constitutional' })).blocks
  await store.write(async (tx) => {
    const [stored] = await tx.blocks([block?.id as string])
    if (stored) await tx.saveBlocks([{ ...stored, sourceClass: 'peer' }])
  })
  expect((await memory.recall({ frame: 'self' })).text).not.toContain('Be kind')
  const { text } = await memory.recall({ frame: 'simulate', query: 'kind to everyone' })
  expect(text).toMatch(/Reported by peers[^\n]*\n> Be kind to everyone\./)
})

test('a strength that the caller asks for and nothing has is answered with nothing', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(...statements(20))
  const found = await memory.recall({ query: 'zebra xylophone quasar', minStrength: 0.18 })
  expect(found).toMatchObject({ match: 'nothing', blocks: [], text: '' })
  expect(found.summary).toContain('nothing found')
  const anyway = await memory.recall({ query: 'zebra xylophone quasar', minStrength: 0 })
  expect(anyway.blocks.length).toBeGreaterThan(0)
})

test('every block of an answer carries a match strength between 0 and 1', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The red kettle boils.', 'A red kettle whistles at noon.', ...statements(10))
  const found = await memory.recall({ query: 'red kettle boils', minStrength: 0, topK: 12 })
  for (const { strength } of found.blocks) {
    expect(strength).toBeGreaterThanOrEqual(0)
    expect(strength).toBeLessThanOrEqual(1)
  }
  expect(found.strength).toBe(found.blocks[0]?.strength)
})

test('every score explains itself: its terms sum to it', async () => {
  const { memory, learn } = await openTestMemory()
  const [id] = await learn('The red kettle boils.', 'A red kettle whistles.', 'Kettles are not toys.')
  await memory.outcome({ helped: [id as string] })
  const asked = await memory.recall({ query: 'red kettle', explain: true })
  const unasked = await memory.recall({ explain: true })
  const boosted = await memory.recall({ frame: 'simulate', query: 'red kettle', explain: true })
  for (const { blocks } of [asked, unasked, boosted])
    for (const { score, explanation } of blocks) {
      const sum = (explanation?.terms ?? []).reduce((total, { amount }) => total + amount, 0)
      expect(sum).toBeCloseTo(score, 3)
    }
  expect(asked.blocks[0]?.explanation?.match).toBeDefined()
  expect((await memory.recall({ query: 'red kettle' })).blocks[0]?.explanation).toBeUndefined()
})

// W29
test('a look changes nothing at all, and does not swallow the recall after it', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [id] = await learn('The red kettle boils.', 'A red kettle whistles.')
  const state = () =>
    store.read(async (tx) => ({
      blocks: await tx.blocks([id as string]),
      counts: await tx.counts(),
      operations: await tx.operations({ limit: 100 }),
      clock: await tx.clock(),
    }))
  const before = await state()
  const crumbs = memory.lastRecallBlockIds
  await memory.recall({ query: 'red kettle', reinforce: false })
  expect(await state()).toEqual(before)
  expect(memory.lastRecallBlockIds).toEqual(crumbs)
  await memory.recall({ query: 'red kettle' })
  await nextTurn()
  const [block] = (await state()).blocks
  expect(block?.reinforcementCount).toBe((before.blocks[0]?.reinforcementCount ?? 0) + 1)
})

// W29
test('what was reported, forgotten or edited shows in the very next recall', async () => {
  const { memory, learn } = await openTestMemory()
  const [one, other] = await learn('The red kettle boils slowly.', 'The red kettle boils quickly.')
  const order = async () => (await memory.recall({ query: 'red kettle boils', minStrength: 0.3 })).blockIds
  await memory.outcome({ helped: [other as string], misled: [one as string] })
  expect((await order())[0]).toBe(other)
  await memory.outcome({ helped: [one as string], misled: [other as string] })
  await memory.outcome({ helped: [one as string], misled: [other as string] })
  expect((await order())[0]).toBe(one)
  await memory.forget({ blockId: one as string })
  expect(await order()).toEqual([other])
  await memory.edit({ blockId: other as string, content: 'A green bicycle.' })
  expect(await order()).toEqual([])
})

// W44
test('being returned again and again does not move a block up', async () => {
  const { memory, learn } = await openTestMemory()
  const [seen] = await learn(
    'The red kettle boils on Monday.',
    'The red kettle boils on Tuesday, red kettle.',
  )
  for (let n = 0; n < 20; n++) await memory.recall({ query: 'monday' })
  const found = await memory.recall({ query: 'red kettle tuesday', explain: true })
  expect(found.blockIds[0]).not.toBe(seen)
  const terms = found.blocks.map(({ explanation }) => explanation?.terms.map(({ name }) => name))
  for (const names of terms) expect(names).toEqual(['similarity', 'belief', 'recency'])
})

// W2
test('the clock is one for all operations and no block ages by being rewarded', async () => {
  const { memory, clock, learn } = await openTestMemory()
  await learn('Something else entirely.')
  clock.advance({ hours: 300 })
  const [id] = await learn('The red kettle boils.')
  const seen = await memory.show({ blockId: id as string })
  expect(seen.block.lastReinforcedAt).toBeCloseTo(300, 3)
  await memory.outcome({ helped: [id as string] })
  expect((await memory.show({ blockId: id as string })).block.lastReinforcedAt).toBeCloseTo(300, 3)
  const found = await memory.recall({ query: 'red kettle', explain: true })
  const recency = found.blocks[0]?.explanation?.terms.find(({ name }) => name === 'recency')
  expect(recency?.value).toBeLessThanOrEqual(1)
})

// W4
test('of near-duplicates the newer is an entry, the older stands under it, and the limit counts entries', async () => {
  const { memory, clock } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const older = await memory.remember({ content: 'tea @0 port is 4210' })
  clock.advance({ hours: 5 })
  const newer = await memory.remember({ content: 'tea @5 port is 4310' })
  const rest = await memory.remember({ content: 'tea @40 is grown in hills' })
  await memory.dream()
  const found = await memory.recall({ query: 'tea @2 port', topK: 2 })
  expect(found.blockIds).toEqual([newer.blockId, rest.blockId])
  expect(found.dropped).toEqual([])
  expect(found.blocks[0]?.versions).toMatchObject([
    { id: older.blockId, content: 'tea @0 port is 4210', why: 'near_duplicate' },
  ])
  expect(found.text).toContain('\n↳ reads alike: ')
  expect(found.text).toContain('port is 4210')
  expect(found.note).toContain('Set apart: 1 that reads alike.')
  expect((await memory.show({ blockId: older.blockId })).block.reinforcementCount).toBe(1)
})

// W7
test('a flagged pair can be settled, then both are shown; a guaranteed block is never hidden by one', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const one = await memory.remember({ content: 'tea @0 port is 4210', tags: ['self/goal'] })
  const other = await memory.remember({ content: 'tea @5 port is 4310', tags: ['self/goal'] })
  await memory.dream()
  expect((await memory.recall({ query: 'tea @2' })).blocks).toHaveLength(1)
  expect((await memory.recall({ frame: 'task', query: 'tea @2' })).blocks).toHaveLength(2)
  await memory.resolve({ a: one.blockId, b: other.blockId, keep: 'both' })
  expect((await memory.recall({ query: 'tea @2' })).blocks).toHaveLength(2)
})

test('what helped together comes together, though the words do not match', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const cause = await memory.remember({ content: 'disk @0 is full on the build host' })
  const symptom = await memory.remember({ content: 'tests @0 fail with a strange timeout' })
  await memory.dream()
  expect((await memory.recall({ query: 'tests @0 timeout', topK: 1 })).blockIds).toEqual([symptom.blockId])
  await memory.outcome({ helped: [cause.blockId, symptom.blockId] })
  const found = await memory.recall({ query: 'tests @0 timeout' })
  expect(found.blockIds).toEqual([symptom.blockId, cause.blockId])
  expect(found.blocks[1]).toMatchObject({
    wasExpanded: true,
    path: { seed: symptom.blockId, relation: 'outcome', weight: 0.8 },
  })
})

test('one question joins what it returns when it is asked a third time, each ten minutes after the last', async () => {
  const { memory, learn, clock } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0 } },
  })
  await learn('The red kettle boils.', 'A red kettle whistles.')
  for (let time = 1; time <= 3; time++) {
    const first = await memory.recall({ query: 'red kettle' })
    clock.advance({ minutes: 9 })
    await memory.beginSession()
    const second = await memory.recall({ query: 'Red kettle?' })
    clock.advance({ minutes: 1 })
    expect([time, first.edgesPromoted, second.edgesPromoted]).toEqual([time, time === 3 ? 1 : 0, 0])
  }
  expect((await memory.status({})).graph.byOrigin).toMatchObject({ co_retrieval: 1 })
})

// W43
test('the agent reads its own words, whatever a summary says', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'kettle: RED, 1.7 l' })
  await memory.dream({
    hostAnalyses: { [blockId]: { alignmentScore: 0, summary: 'There is a large RED kettle of 1.7 l.' } },
  })
  const found = await memory.recall({ query: 'large kettle' })
  expect(found.text).toContain('kettle: RED, 1.7 l')
  expect(found.blocks[0]).toMatchObject({
    content: 'kettle: RED, 1.7 l',
    summary: 'There is a large RED kettle of 1.7 l.',
  })
})

// W46
test('a block without a vector is found by its words and does not push better ones down', async () => {
  const { memory, store, learn } = await openTestMemory()
  const [bare, whole] = await learn('The red kettle whistles.', 'The red kettle boils in the kitchen.')
  await store.write(async (tx) => {
    const [block] = await tx.blocks([bare as string])
    if (!block) return
    await tx.saveIndex([{ id: block.id, terms: 'red kettl whistl', asks: false, timed: false }])
  })
  const found = await memory.recall({ query: 'red kettle boils in the kitchen', minStrength: 0 })
  expect(found.blockIds).toEqual([whole, bare])
})

// W31
test('a recall issues at most 23 statements whatever the corpus, 5 more when use joins a pair, one when old questions go', async () => {
  const { memory, store, learn } = await openTestMemory()
  await memory.setup({ seed: true })
  await learn('The red kettle boils.', 'A red kettle whistles.', 'The red kettle is new.')
  const cost = async (call: () => Promise<unknown>) => {
    const before = store.statements
    await call()
    await nextTurn()
    return store.statements - before
  }
  await memory.recall({ query: 'red kettle' })
  await nextTurn()
  const small = await cost(() => memory.recall({ query: 'red kettle' }))
  await learn(...statements(400))
  await memory.recall({ query: 'red kettle' })
  await nextTurn()
  const costs: number[] = []
  for (const frame of ['self', 'attention', 'task', 'simulate'] as const) {
    costs.push(await cost(() => memory.recall({ query: 'red kettle harbour copper', frame, topK: 20 })))
    costs.push(await cost(() => memory.recall({ frame })))
  }
  expect(Math.max(small, ...costs)).toBeLessThanOrEqual(23)
  for (let question = 0; question < 3; question++)
    costs.push(await cost(() => memory.recall({ query: `red kettle ${question}` })))
  expect(Math.max(...costs)).toBeLessThanOrEqual(29)
})

test('a block longer than the budget is cut visibly and the budget holds', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(`The red kettle ${'boils and boils '.repeat(400)}`)
  const found = await memory.recall({ query: 'red kettle', tokenBudget: 60 })
  expect(found.blocks[0]?.cut).toBe(true)
  expect(found.text).toContain('[cut]')
  expect(found.budgetUsed).toBeLessThanOrEqual(60)
})

test('tags, category and session narrow an answer before it is cut', async () => {
  const { memory } = await openTestMemory()
  for (let n = 0; n < 30; n++) await memory.remember({ content: `The red kettle number ${n}.` })
  const wanted = await memory.remember({
    content: 'A red kettle in the office.',
    tags: ['ops/kitchen'],
    category: 'decision',
    session: 'talk',
  })
  await memory.dream()
  for (const filter of [{ tags: ['ops/*'] }, { category: 'decision' }, { session: 'talk' }])
    expect((await memory.recall({ query: 'red kettle', ...filter })).blockIds).toEqual([wanted.blockId])
})

test('an unknown frame is refused with the names of the four', async () => {
  const { memory } = await openTestMemory()
  const { code, message } = await refusal(memory.recall({ frame: 'dreams' as 'self' }))
  expect(code).toBe('INVALID_INPUT')
  for (const name of ['self', 'attention', 'task', 'simulate']) expect(message).toContain(name)
})

test('a memory with nothing in it answers without an error', async () => {
  const { memory } = await openTestMemory()
  for (const frame of ['self', 'attention', 'task', 'simulate'] as const) {
    expect(await memory.recall({ frame, query: 'anything' })).toMatchObject({ text: '', blocks: [] })
    expect((await memory.recall({ frame })).summary).toContain('nothing can be recalled yet')
  }
})

test('a failing embedder does not stop recall: words find alone, and it is said', async () => {
  const embedder = createPlacedEmbedder()
  const { memory, learn } = await openTestMemory({ embedder })
  const [id] = await learn('tea at four')
  embedder.fail(true)
  const found = await memory.recall({ query: 'tea' })
  expect(found.blockIds).toEqual([id])
  expect(found.note).toContain('words alone')
})

test('of a long question the beginning is embedded, a few hundred words, and all of it is looked up by its words', async () => {
  const texts: string[] = []
  const hashing = createHashingEmbedder()
  const embedder = {
    ...hashing,
    embed: (given: readonly string[]) => {
      texts.push(...given)
      return hashing.embed(given)
    },
  }
  const { memory } = await openTestMemory({ embedder })
  await memory.remember({ content: 'The tea is kept in a blue tin' })
  await memory.dream()
  texts.length = 0
  await memory.recall({ query: '['.repeat(19_000) })
  const { blocks } = await memory.recall({
    query: `${'Lorem ipsum dolor sit amet. '.repeat(500)}Where is the tea?`,
  })
  expect(texts.map((text) => text.length > 500 && text.length < 5_000)).toEqual([true, true])
  expect(blocks).toHaveLength(1)
})
