import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPage } from '../../../src/store/blocks.ts'
import { readLinks } from '../../../src/store/graph.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory, refusal, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

test('dream promotes what waits, and recall goes on finding it', async () => {
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

test('dream without work is idle, and finds what another process remembered since', async () => {
  const { memory, path } = await openTestMemory()
  expect(await memory.dream()).toMatchObject({ status: 'idle', processed: 0 })
  const other = await openTestMemory({ path })
  await other.memory.remember({ content: 'Said in another process.' })
  expect(await memory.dream()).toMatchObject({ status: 'dreamt', promoted: 1 })
  expect((await memory.status()).inboxCount).toBe(0)
})

test('dream joins a text that is the same as a known one, with its tags and cue', async () => {
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

test('dream gives a report about a joined text to the block that stays', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const first = await memory.remember({ content: 'tea @0 is served at four' })
  const again = await memory.remember({ content: 'not said yet' })
  await memory.edit({ blockId: again.blockId, content: 'tea @0 is served at four!' })
  await memory.outcome({ helped: [again.blockId] })
  await memory.dream()
  expect((await memory.show({ blockId: first.blockId })).block).toMatchObject({ successes: 1 })
})

test.each([
  ['no vectors', () => []],
  ['an empty vector', ([first]: Float32Array[]) => [first as Float32Array, new Float32Array()]],
  ['vectors of two lengths', ([first]: Float32Array[]) => [first as Float32Array, new Float32Array(3)]],
])('dream whose embedder gives %s refuses and loses nothing', async (_, broken) => {
  const placed = createPlacedEmbedder()
  let isBroken = true
  const embedder = {
    ...placed,
    embed: async (texts: readonly string[]) => {
      const vectors = await placed.embed(texts)
      return isBroken ? broken(vectors) : vectors
    },
  }
  const { memory } = await openTestMemory({ embedder })
  for (let n = 0; n < 2; n++) await memory.remember({ content: `subject${n} waits` })
  expect((await refusal(memory.dream())).code).toBe('EMBEDDER_FAILED')
  isBroken = false
  expect((await memory.dream()).promoted).toBe(2)
})

test('dream whose embedder fails loses nothing, and the next one goes on', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder, settings: { memory: { embedBatch: 2 } } })
  for (let n = 0; n < 4; n++) await memory.remember({ content: `subject${n} waits` })
  await memory.dream({ maxCount: 2 })
  embedder.fail(true)
  expect((await refusal(memory.dream())).code).toBe('EMBEDDER_FAILED')
  expect((await memory.inbox({})).blocks).toHaveLength(2)
  embedder.fail(false)
  expect(await memory.dream()).toMatchObject({ promoted: 2, inboxRemaining: 0 })
})

test('dream ends at a count, a time or a signal, and the next one does the rest', async () => {
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
  const abort = new AbortController()
  const cut = memory.dream({}, { signal: abort.signal, progress: () => abort.abort() })
  expect((await refusal(cut)).code).toBe('CANCELLED')
  await memory.dream()
  expect(await memory.status({})).toMatchObject({ inboxCount: 0, activeCount: 9 })
})

/** This is a text that waits, with the report about it. */
interface Waiting {
  readonly subject: string
  readonly degrees: number
  readonly rest: string
  readonly tags: readonly string[]
  readonly report: 'helped' | 'misled' | 'beside' | undefined
}

const waiting: fc.Arbitrary<Waiting> = fc.record({
  subject: fc.constantFrom('tea', 'Tea', 'cake'),
  degrees: fc.constantFrom(0, 5, 20, 40, 60),
  rest: fc.constantFrom('is served at four', 'is served at four!', 'is not served', 'is served at 5'),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  report: fc.constantFrom('helped' as const, 'misled' as const, 'beside' as const, undefined, undefined),
})

async function dreamOf(list: readonly Waiting[], embedBatch: number): Promise<unknown> {
  const opened = await openTestMemory({
    kind: 'memory',
    clock: createTestClock(),
    embedder: createPlacedEmbedder(),
    settings: { memory: { embedBatch, edgeDegreeCap: 3, similarityEdgesPerBlock: 2 } },
  })
  const { memory, clock } = opened
  for (const { subject, degrees, rest, tags, report } of list) {
    clock.advance({ hours: 1 })
    const { blockId } = await memory.remember({
      content: `${subject} @${degrees} ${rest}`,
      tags: [...tags],
      session: 's',
    })
    if (report !== undefined) await memory.outcome({ [report]: [blockId] })
  }
  const { seconds: _, ...dreamt } = await memory.dream()
  return { dreamt, ...(await stored(opened)) }
}

async function stored({ store }: TestMemory) {
  return store.read(async (tx) => {
    const { blocks } = await readPage(tx, { order: 'arrival', limit: 100 })
    const ids = blocks.map(({ id }) => id)
    const log = (await tx.queries.operations({ limit: 500, operation: 'promote' })).map(
      ({ session: _, id: __, run: ___, kept: ____, ...entry }) => entry,
    )
    return { blocks, links: await readLinks(tx, ids), log }
  })
}

test('dream decides the same whatever the size of its batches', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(waiting, { minLength: 2, maxLength: 24 }),
      fc.integer({ min: 2, max: 9 }),
      async (list, size) => {
        const alone = await dreamOf(list, 1)
        expect(await dreamOf(list, size)).toEqual(alone)
        expect(await dreamOf(list, 32)).toEqual(alone)
      },
    ),
    { numRuns: 15 },
  )
})

test('dream leaves a text that is edited meanwhile to the next dream', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  const { blockId } = await memory.remember({ content: 'tea @0 at four' })
  await memory.remember({ content: 'cake at five' })
  const { embed } = embedder
  embedder.embed = async (texts) => {
    embedder.embed = embed
    await memory.edit({ blockId, content: 'supper at seven' })
    return embed(texts)
  }
  expect(await memory.dream()).toMatchObject({ promoted: 1, inboxRemaining: 1 })
  expect(await memory.dream()).toMatchObject({ promoted: 1, inboxRemaining: 0 })
  expect(embedder.asked).toEqual(['tea @0 at four', 'cake at five', 'supper at seven'])
  expect((await memory.recall({ query: 'supper', topK: 1 })).blockIds).toEqual([blockId])
})

test('status and history tell what the last dream did, and what its curation archived', async () => {
  const settings = { memory: { curateIntervalHours: 1, archiveRecency: 0.99 } }
  const { memory, clock, learn } = await openTestMemory({ settings, actor: 'nightly' })
  expect((await memory.status()).lastDream).toBeUndefined()
  const [a = '', b = ''] = await learn(
    'Tea is made in the red kettle.',
    'Tea is made in the red kettle of Ana.',
  )
  clock.advance({ hours: 4_000 })
  await memory.remember({ content: 'Ana went to the harbour.' })
  await memory.dream({ edgeLabels: [{ a, b, relation: 'unrelated', confidence: 1 }] })
  const { lastDream } = await memory.status()
  expect(lastDream).toMatchObject({ actor: 'library:nightly as owner', promoted: 1, refused: 1, archived: 2 })
  const { operations } = await memory.history({ operation: 'dream' })
  expect(operations.map(({ dream }) => dream?.promoted)).toEqual([2, 1])
  expect(operations.at(-1)?.id).toBe(lastDream?.operationId)
})
