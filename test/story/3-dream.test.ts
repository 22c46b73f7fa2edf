import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

test('a dream makes active what waits, and recall goes on finding it', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Tea is served at four.' })
  expect((await memory.recall({ query: 'tea' })).blockIds).toEqual([blockId])
  const dream = await memory.dream()
  expect(dream).toMatchObject({
    status: 'dreamt',
    processed: 1,
    promoted: 1,
    inboxRemaining: 0,
    promotedIds: [blockId],
  })
  expect((await memory.recall({ query: 'tea' })).blockIds).toEqual([blockId])
})

// W36
test('a dream without work changes nothing and says so, and one after another process remembered finds its block', async () => {
  const { memory, path, store } = await openTestMemory()
  expect(await memory.dream()).toMatchObject({ status: 'idle', processed: 0 })
  const other = await openTestMemory({ path })
  await other.memory.remember({ content: 'Said in another process.' })
  expect(await memory.dream()).toMatchObject({ status: 'dreamt', promoted: 1 })
  expect((await store.read((tx) => tx.counts())).inbox).toBe(0)
})

// W9
test('nothing is embedded twice, however often is dreamt', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  for (let day = 0; day < 5; day++) {
    for (let n = 0; n < 4; n++) await memory.remember({ content: `subject${day}${n} is new` })
    await memory.dream()
  }
  expect(embedder.asked).toHaveLength(20)
  expect(new Set(embedder.asked).size).toBe(20)
})

test('a text that says what is known is archived, and its tags and cue live on', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const first = await memory.remember({ content: 'tea @0 is served at four' })
  const again = await memory.remember({ content: 'not said yet', tags: ['habit'], cue: 'planning' })
  await memory.edit({ blockId: again.blockId, content: 'tea @0 is served at four!' })
  expect(await memory.dream()).toMatchObject({ promoted: 1, deduplicated: 1 })
  const known = await memory.show({ blockId: first.blockId })
  expect(known.block).toMatchObject({ status: 'active', tags: ['habit'], cue: 'planning' })
  const gone = await memory.show({ blockId: again.blockId })
  expect(gone.block).toMatchObject({
    status: 'archived',
    archiveReason: 'superseded',
    supersededBy: first.blockId,
  })
})

test('a report about a block that turns out to be a duplicate goes to the block that stays', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const first = await memory.remember({ content: 'tea @0 is served at four' })
  const again = await memory.remember({ content: 'not said yet' })
  await memory.edit({ blockId: again.blockId, content: 'tea @0 is served at four!' })
  await memory.outcome({ helped: [again.blockId] })
  await memory.dream()
  expect((await memory.show({ blockId: first.blockId })).block).toMatchObject({ successes: 1 })
})

test('however alike two texts are, both stay when a number, a name or a negation differs', async () => {
  for (const [one, other] of [
    ['port @0 is 4210', 'port @0 is 4211'],
    ['meet @0 with Anna today', 'meet @0 with Berta today'],
    ['deploy @0 on Friday', 'deploy @0 not on Friday'],
  ] as const) {
    const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
    await memory.remember({ content: one })
    await memory.remember({ content: other })
    expect(await memory.dream()).toMatchObject({ promoted: 2, deduplicated: 0, nearDuplicatesFlagged: 1 })
  }
})

test('a message that repeats itself means it', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: 'ping @0 now', category: 'message' })
  await memory.remember({ content: 'Ping @0 now!', category: 'message' })
  expect(await memory.dream()).toMatchObject({ promoted: 2, deduplicated: 0 })
})

// W10, W11
test('blocks of one dream are as near in time as they are, and only edges that exist are counted', async () => {
  const { memory, clock } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: 'begin @0' })
  clock.advance({ hours: 100 })
  await memory.remember({ content: 'tea @0 in the morning' })
  await memory.remember({ content: 'tea @40 in the evening' })
  expect(await memory.dream()).toMatchObject({ promoted: 3, edgesCreated: 1 })
  const { blocks } = await memory.ls({})
  const tea = blocks.find(({ content }) => content.startsWith('tea @0'))
  const { edges } = await memory.show({ blockId: tea?.id as string })
  const cosine = Math.cos((40 * Math.PI) / 180)
  expect(edges).toHaveLength(1)
  expect(edges[0]?.weight).toBeCloseTo(0.55 * cosine + 0.15 + 0.1, 4)
  expect((await memory.status({})).graph.edges).toBe(1)
})

// W13
test('no block is joined by more edges than the cap, on either end', async () => {
  const { memory } = await openTestMemory({
    embedder: createPlacedEmbedder(),
    settings: { memory: { edgeDegreeCap: 3, similarityEdgesPerBlock: 3 } },
  })
  for (let n = 0; n < 12; n++) await memory.remember({ content: `tea @${n * 3} number n${n}` })
  await memory.dream()
  const { blocks } = await memory.ls({})
  for (const { id } of blocks)
    expect((await memory.show({ blockId: id })).edges.length).toBeLessThanOrEqual(3)
  expect((await memory.status({})).graph.edges).toBeGreaterThan(3)
})

// W12
test('a summary helps to find, but similarity and duplicates are judged by the words themselves', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  const { blockId } = await memory.remember({ content: 'tea @0 at four' })
  await memory.dream({
    hostAnalyses: { [blockId]: { alignmentScore: 0.4, summary: 'An afternoon beverage habit.' } },
  })
  expect(embedder.asked).toEqual(['tea @0 at four'])
  expect((await memory.recall({ query: 'beverage' })).blockIds).toEqual([blockId])
  const again = await memory.remember({ content: 'not said yet' })
  await memory.edit({ blockId: again.blockId, content: 'tea @0 at four!' })
  expect(await memory.dream()).toMatchObject({ deduplicated: 1 })
})

test('a host may judge what waits: alignment, identity tags and a summary, but never a principle', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'I would rather ask than guess.' })
  const dream = await memory.dream({
    hostAnalyses: {
      [blockId]: {
        alignmentScore: 0.9,
        tags: ['self/value', 'self/constitutional', 'fun'],
        summary: 'Asks first.',
      },
      unknown: { alignmentScore: 0.1, tags: [], summary: '' },
    },
  })
  expect(dream).toMatchObject({ analysesUnused: ['unknown'], tagsRefused: ['fun', 'self/constitutional'] })
  const { block } = await memory.show({ blockId })
  expect(block).toMatchObject({
    tags: ['self/value'],
    alignment: 0.9,
    summary: 'Asks first.',
    confidence: 0.9,
  })
})

test('a malformed analysis is refused before any work, naming its block', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Something.' })
  const call = memory.dream({ hostAnalyses: { [blockId]: { alignmentScore: 2, summary: 'x' } } })
  const { code, message } = await refusal(call)
  expect(code).toBe('INVALID_INPUT')
  expect(message).toContain(blockId)
  expect((await memory.inbox({})).blocks).toHaveLength(1)
})

// W8, W55
test('a failing embedder loses nothing, is not hidden, and the next dream goes on', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder, settings: { memory: { embedBatch: 2 } } })
  for (let n = 0; n < 4; n++) await memory.remember({ content: `subject${n} waits` })
  await memory.dream({ maxCount: 2 })
  embedder.fail(true)
  const { code, message } = await refusal(memory.dream())
  expect([code, message]).toEqual(['EMBEDDER_FAILED', 'The embedder is down.'])
  expect((await memory.inbox({})).blocks).toHaveLength(2)
  embedder.fail(false)
  expect(await memory.dream()).toMatchObject({ promoted: 2, inboxRemaining: 0 })
})

test('a dream is cut short by a count, by its time or by a signal, and says what remains', async () => {
  const { memory, clock } = await openTestMemory({ settings: { memory: { embedBatch: 2 } } })
  for (let n = 0; n < 9; n++) await memory.remember({ content: `word${n} other${n} third${n}` })
  expect(await memory.dream({ maxCount: 3 })).toMatchObject({
    processed: 3,
    inboxRemaining: 6,
    outOfTime: false,
  })
  const slow = memory.dream({ maxSeconds: 1 }, { progress: () => clock.advance({ minutes: 1 }) })
  const late = await slow
  expect(late).toMatchObject({ outOfTime: true })
  expect(late.inboxRemaining).toBeGreaterThan(0)
  expect(late.summary).toContain('dream() again')
  const abort = new AbortController()
  const cut = memory.dream({}, { signal: abort.signal, progress: () => abort.abort() })
  expect(await refusal(cut)).toMatchObject({
    code: 'CANCELLED',
    message: expect.stringMatching(
      /^The dream was cancelled: \d+ of \d+ waiting blocks taken in stay so, the rest waits\.$/,
    ),
  })
  await memory.dream()
  expect(await memory.status({})).toMatchObject({ inboxCount: 0, activeCount: 9 })
})

test('vectors of another model are refused before any work, and words still find', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder('old') })
  await memory.remember({ content: 'tea at four' })
  await memory.dream()
  const other = await openTestMemory({ path, embedder: createPlacedEmbedder('new') })
  await other.memory.remember({ content: 'cake at five' })
  const { code, recovery } = await refusal(other.memory.dream())
  expect(code).toBe('EMBEDDER_MISMATCH')
  expect(recovery).toContain('old')
  const found = await other.memory.recall({ query: 'tea' })
  expect(found.blockIds).toHaveLength(1)
  expect(found.note).toContain('words alone')
})

test('rescoring without a model is refused with the way that works', async () => {
  const { memory } = await openTestMemory()
  expect((await refusal(memory.dream({ rescore: true }))).recovery).toContain('hostAnalyses')
  expect((await refusal(memory.dream({ rescore: true, noLlm: true }))).code).toBe('INVALID_INPUT')
})
