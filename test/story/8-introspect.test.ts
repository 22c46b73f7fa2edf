import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { PRINCIPLES, TEMPLATES } from '../../src/config/seeds.ts'
import { handMadeModel } from '../helpers/hand-made-model.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

test('a new memory is well and says how to begin', async () => {
  const { memory, path } = await openTestMemory()
  const status = await memory.status()
  expect(status).toMatchObject({ health: 'good', reasons: [], activeCount: 0, inboxCount: 0, location: path })
  expect(status.suggestion).toContain('setup')
  expect(status.lastConsolidated).toBeUndefined()
  expect(status.session).toBeUndefined()
})

test('asking how the memory is writes nothing and begins no session', async () => {
  const { memory } = await openTestMemory()
  await memory.status()
  expect((await memory.history()).operations).toEqual([])
})

test('status counts what there is and names who made the vectors', async () => {
  const { memory, learn, clock } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0 }, session: { idleMinutes: 120 } },
  })
  const [a = '', b = '', c = ''] = await learn(...statements(3))
  await memory.outcome({ helped: [a, b] })
  await memory.forget({ blockId: c })
  clock.advance({ hours: 2 })
  await memory.remember({ content: 'one apple' })
  const status = await memory.status()
  expect(status).toMatchObject({
    activeCount: 2,
    archivedCount: 1,
    inboxCount: 1,
    pendingCount: 1,
    effectiveThreshold: 10,
    embeddingModel: 'hashing-384',
    lastConsolidated: '2026-03-02T09:00:00.000Z',
    totalActiveHours: 2,
    graph: { edges: 1, byRelation: { outcome: 1 }, byOrigin: { outcome: 1 }, isolated: 0 },
  })
  expect(status.session?.hours).toBe(2)
})

test('a full inbox asks for a dream before and at its threshold', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { inboxThreshold: 5 } } })
  for (const content of statements(4)) await memory.remember({ content })
  expect(await memory.status()).toMatchObject({ health: 'good', shouldDream: false })
  expect((await memory.status()).suggestion).toContain('dream')
  await memory.remember({ content: 'one apple' })
  expect(await memory.status()).toMatchObject({ health: 'attention', shouldDream: true })
})

// W47
test('a memory that cannot work as it should is called degraded, with what to do', async () => {
  const first = await openTestMemory()
  await first.learn('one apple')
  const second = await openTestMemory({
    path: first.path,
    embedder: createHashingEmbedder({ dimensions: 8 }),
  })
  const status = await second.memory.status()
  expect(status.health).toBe('degraded')
  expect(status.summary).toMatch(/^broken: /)
  expect(status.reasons[0]).toContain('hashing-8')
  expect(status.suggestion).toContain('hashing-384')
})

// W47
test('more than twenty unresolved pairs want somebody, and break nothing', async () => {
  const { memory, learn, store } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0 } },
  })
  const ids = (await learn(...statements(8))).sort()
  const pairs = ids.flatMap((a, i) => ids.slice(i + 1).map((b) => ({ a, b }))).slice(0, 21)
  const createdAt = '2026-03-02T09:00:00.000Z'
  await store.write((tx) =>
    tx.savePairs(
      pairs.map((pair) => ({ ...pair, kind: 'near_duplicate', score: 0.91, resolved: false, createdAt })),
    ),
  )
  expect(await memory.status()).toMatchObject({
    health: 'attention',
    suggestion: expect.stringContaining('resolve'),
    summary: expect.stringMatching(/^wants you: 8 active/),
  })
})

test('too many blocks without a judgement are worth a word once a model is configured', async () => {
  const { memory, learn, path, clock } = await openTestMemory()
  await learn(...statements(30))
  expect(await memory.status()).toMatchObject({
    health: 'good',
    reasons: [],
    judge: { pending: 0, unjudged: 30, stale: 0, drift: true },
  })
  const second = await openTestMemory({ path, clock, languageModel: handMadeModel(() => 'no') })
  expect(await second.memory.status()).toMatchObject({
    health: 'attention',
    reasons: ['30 active blocks were never judged, 0 long ago'],
    suggestion: expect.stringContaining('dream({ rescore: true, rescoreMax: 50 })'),
    judge: { model: 'hand-made', drift: true },
  })
})

test.each([
  { name: 'of a kind that is never judged anew', rescore: { excludeCategories: ['knowledge'] } },
  { name: 'where nothing is judged anew', rescore: { enabled: false } },
])('blocks $name are no drift, because no dream would end it', async ({ rescore }) => {
  const { memory } = await openTestMemory({
    settings: { rescore, llm: { classifyEdges: false } },
    languageModel: handMadeModel(() => 'no'),
  })
  for (const content of statements(30)) await memory.remember({ content })
  await memory.dream({ noLlm: true })
  const { judge, reasons } = await memory.status()
  expect(judge).toMatchObject({ unjudged: 30, drift: false })
  expect(reasons).toEqual([])
})

test('status and history count what models used, and status says what a model still owes', async () => {
  const { memory } = await openTestMemory({ languageModel: handMadeModel(() => 'no JSON') })
  await memory.remember({ content: 'one apple' })
  await memory.dream()
  const { judge, tokens, health, reasons } = await memory.status()
  expect(judge).toMatchObject({ pending: 1, unjudged: 1 })
  expect(tokens.lifetime.llmCalls).toBeGreaterThan(0)
  expect(tokens.today).toBe(tokens.lifetime.llmCalls * 15)
  expect(health).toBe('degraded')
  expect(reasons[0]).toContain('no usable answer')
  const { operations, summary } = await memory.history({ operation: 'dream' })
  expect(operations).toMatchObject([{ operation: 'dream', tokens: { llmCalls: tokens.lifetime.llmCalls } }])
  expect(summary).toContain(`Models used ${tokens.today} tokens`)
  expect((await memory.history({ operation: 'remember' })).summary).not.toContain('tokens')
})

test('the threshold follows how much dreams promote, when that is switched on', async () => {
  const opened = await openTestMemory({ settings: { memory: { adaptivePolicy: true } } })
  await opened.learn(...statements(4))
  expect((await opened.memory.status()).effectiveThreshold).toBe(13)
  const reopened = await openTestMemory({ path: opened.path, settings: { memory: { adaptivePolicy: true } } })
  expect((await reopened.memory.status()).effectiveThreshold).toBe(13)
})

test('peerInbox is accepted and said to have no effect', async () => {
  const { memory } = await openTestMemory()
  expect((await memory.status({ peerInbox: true })).summary).toContain('peerInbox')
})

test('history tells what was done, by whom, oldest first, and who did it', async () => {
  const { memory, learn } = await openTestMemory({ actor: 'tea bot' })
  const [id = ''] = await learn('one apple')
  await memory.outcome({ helped: [id] })
  const { operations, summary } = await memory.history()
  expect(operations.map(({ operation, actor }) => `${actor} ${operation}`)).toEqual([
    'library:tea+bot as owner remember',
    'library:tea+bot as owner promote',
    'library:tea+bot as owner dream',
    'library:tea+bot as owner outcome',
  ])
  expect(summary).toContain('4 operations')
  expect((await memory.history({ lastN: 1 })).operations).toMatchObject([
    { operation: 'outcome', blockIds: [id] },
  ])
  expect((await memory.history({ operation: 'recordUse' })).operations).toEqual([])
})

test('the history of a block names what touched it and nothing else', async () => {
  const { memory, learn } = await openTestMemory()
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.recordUse({ blockIds: [a] })
  await memory.forget({ blockId: b })
  const { operations } = await memory.history({ blockId: b.slice(0, 8), lastN: 100 })
  expect(operations.map(({ operation }) => operation)).toEqual(['remember', 'promote', 'dream', 'forget'])
})

// W47
test.each([0, -1, 1_001, 1.5])('a history of %d operations is refused', async (lastN) => {
  const { memory } = await openTestMemory()
  expect((await refusal(memory.history({ lastN }))).code).toBe('INVALID_INPUT')
})

test('the guide knows every operation under each of its spellings', async () => {
  const { memory } = await openTestMemory()
  const { text } = await memory.guide()
  for (const name of ['remember', 'recall', 'dream', 'outcome', 'curate', 'guide'])
    expect(text).toContain(name)
  const spellings = ['recordUse', 'record_use', 'record-use', 'elfmem_record_use', 'RecordUse']
  const texts = await Promise.all(spellings.map(async (method) => (await memory.guide({ method })).text))
  expect(new Set(texts).size).toBe(1)
  for (const label of ['what:', 'when:', 'when not:', 'cost:', 'returns:', 'next:', 'example:'])
    expect(texts[0]).toContain(label)
  expect((await memory.guide({ method: 'fly' })).text).toContain('remember')
})

test('seeding twice writes the principles once, dreamt or not', async () => {
  const { memory } = await openTestMemory({ settings: { project: { agentName: 'Robin' } } })
  const first = await memory.setup({ seed: true })
  expect(first).toMatchObject({ blocksCreated: PRINCIPLES.length, totalAttempted: PRINCIPLES.length })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(0)
  await memory.dream()
  const again = await memory.setup({ seed: true })
  expect(again).toMatchObject({ blocksCreated: 0, totalAttempted: PRINCIPLES.length })
  const { blocks } = await memory.ls({ tag: 'self/role/identity' })
  expect(blocks[0]?.content).toContain('Robin')
})

// W38
test('identity, values, principles and templates are not written again either', async () => {
  const { memory } = await openTestMemory()
  const input = {
    identity: 'I keep the books of a bakery.',
    values: ['Short answers.', 'Cite the source.'],
    principles: ['Never delete data.'],
    template: 'coding' as const,
  }
  const size = 4 + TEMPLATES.coding.blocks.length
  expect((await memory.setup(input)).blocksCreated).toBe(size)
  await memory.dream()
  const again = await memory.setup(input)
  expect(again).toMatchObject({ blocksCreated: 0, totalAttempted: size, pending: 0 })
  const { blocks } = await memory.ls({ tag: 'self/constitutional' })
  expect(blocks.map(({ content }) => content)).toEqual(['Never delete data.'])
})

test('a role whose principle was reworded stays taken, and one let go is free again', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ seed: true })
  const { blocks } = await memory.ls({ status: 'inbox', tag: 'self/role/curiosity' })
  const blockId = blocks[0]?.id as string
  await memory.edit({ blockId, content: 'Ask one more question.', allowConstitutional: true })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(0)
  await memory.forget({ blockId, allowConstitutional: true })
  expect((await memory.setup({ seed: true })).blocksCreated).toBe(1)
})

test('setup without anything to write says what it takes', async () => {
  const { memory } = await openTestMemory()
  const { totalAttempted, summary } = await memory.setup()
  expect(totalAttempted).toBe(0)
  expect(summary).toContain('identity')
})

test('show lists the life of a block, newest first: what was done, by whom, why, and whether it can be undone', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [blockId = '', other = ''] = await learn('Tea is at four', 'The port is 8443')
  clock.advance({ minutes: 1 })
  await memory.forget({ blockId, reason: 'the kettle broke' })
  const { operationId } = await memory.undo()
  await memory.forget({ blockId: other })
  const { history } = await memory.show({ blockId })
  expect(history.map(({ operation }) => operation)).toEqual([
    'undo',
    'forget',
    'dream',
    'promote',
    'remember',
  ])
  expect(history[1]).toMatchObject({
    actor: 'library as owner',
    at: new Date(clock.now()).toISOString(),
    reason: 'the kettle broke',
    undoable: false,
    undoneBy: operationId,
  })
  expect(history.map(({ undoable }) => undoable)).toEqual([true, false, true, true, true])
  for (let i = 0; i < 30; i++) await memory.edit({ blockId, cue: `for guest ${i}` })
  expect((await memory.show({ blockId })).history.map(({ summary }) => summary)).toHaveLength(20)
})

test('ls begins with the newest block unless it is asked for another order, and pages by each', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [first = '', second = '', third = ''] = await learn(
    'Tea is at four',
    'Cake is at five',
    'Rest is at six',
  )
  clock.advance({ hours: 1 })
  await memory.recordUse({ blockIds: [second] })
  const listed = async (sort?: 'newest' | 'oldest' | 'used') => {
    const ids: string[] = []
    for (let cursor: string | undefined, pages = 0; pages < 4; pages += 1) {
      const page = await memory.ls({ limit: 1, ...(sort && { sort }), ...(cursor && { cursor }) })
      ids.push(...page.blocks.map(({ id }) => id))
      cursor = page.cursor
      if (cursor === undefined) break
    }
    return ids
  }
  expect(await listed()).toEqual([third, second, first])
  expect(await listed('oldest')).toEqual([first, second, third])
  expect((await listed('used'))[0]).toBe(second)
  expect((await listed('used')).toSorted()).toEqual([first, second, third].toSorted())
})
