import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, refusal, type TestMemory, type TestMemoryOptions } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const OLD = 'hashing-384'
const NOTES = [
  'Tea is at four',
  'Staging listens on port 8443',
  'The kettle is blue',
  'Roses need sun',
  'Ada likes maps',
]

/** The text by which a change finds out whether an embedder works. */
const PROBE = 'Hello'

/** Two at a time, so that a change of five blocks takes three batches. */
const settings = { memory: { embedBatch: 2 } } as const

/** An embedder of 48 dimensions that does something before each list of texts and remembers them. */
function nextEmbedder(before: (list: number) => Promise<unknown> | undefined = () => undefined) {
  const hashing = createHashingEmbedder({ dimensions: 48 })
  const lists: (readonly string[])[] = []
  const embed: Embedder['embed'] = async (texts, options) => {
    if (texts[0] !== PROBE) {
      lists.push(texts)
      await before(lists.length)
    }
    return hashing.embed(texts, options)
  }
  return { ...hashing, embed, lists }
}

/** A memory of the old embedder with five blocks, and how to open its file with another embedder. */
async function fiveBlocks(kind: TestMemoryOptions['kind'] = 'file') {
  const old = await openTestMemory({ settings, kind })
  const ids = await old.learn(...NOTES)
  const withEmbedder = (embedder: Embedder, more: TestMemoryOptions = {}): Promise<TestMemory> =>
    openTestMemory({ settings, path: old.path, embedder, ...more })
  return { old, ids, withEmbedder }
}

/** What a recall says of why it did not find by vectors, if it did not. */
const wordsOnly = async (memory: Memory): Promise<string | undefined> =>
  /Found by words alone.*/.exec(
    (await memory.recall({ query: 'when is tea', reinforce: false })).note ?? '',
  )?.[0]

const best = async (memory: Memory, query: string) =>
  (await memory.recall({ query, reinforce: false, explain: true })).blocks[0]

test('reembed changes every vector to the configured embedder, and recall finds by them', async () => {
  const { ids, withEmbedder } = await fiveBlocks()
  const { memory } = await withEmbedder(nextEmbedder())
  expect(await wordsOnly(memory)).toMatch(/vectors here are of hashing-384, .*elfmem reembed/)
  const changed = await memory.reembed()
  expect(changed).toMatchObject({
    status: 'switched',
    from: { model: OLD, dimensions: 384 },
    to: { model: 'hashing-48', dimensions: 48 },
    embedded: 5,
    reused: 0,
    shadow: { model: OLD, kept: true },
  })
  expect(await wordsOnly(memory)).toBeUndefined()
  expect((await best(memory, 'Staging listens on port 8443'))?.id).toBe(ids[1])
  expect((await memory.status()).embeddingModel).toBe('hashing-48')
  expect((await memory.reembed()).status).toBe('current')
  await memory.remember({ content: 'Tulips need water' })
  expect((await memory.dream()).promoted).toBe(1)
})

test('until the change a memory of the old embedder finds by vectors, afterwards by words and says so', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const seen: (string | undefined)[] = []
  const next = await withEmbedder(nextEmbedder(async () => seen.push(await wordsOnly(old.memory))))
  await next.memory.reembed()
  expect(seen).toEqual([undefined, undefined, undefined])
  expect(await wordsOnly(old.memory)).toMatch(/vectors here are of hashing-48/)
  expect((await best(old.memory, 'Staging port'))?.content).toBe(NOTES[1])
  await old.memory.remember({ content: 'Too late for the old one' })
  for (const call of [
    old.memory.dream(),
    old.memory.edit({ blockId: (await old.memory.ls()).blocks[0]!.id, content: 'x y' }),
  ]) {
    const refused = await refusal(call)
    expect(refused.code).toBe('EMBEDDER_MISMATCH')
    expect(refused.recovery).toMatch(/reembed/)
  }
})

test('a dream of the old embedder that a change overtakes promotes nothing more', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const next = await withEmbedder(nextEmbedder())
  let changed: Promise<unknown> | undefined
  const slow: Embedder = {
    ...createHashingEmbedder(),
    embed: async (texts) => {
      changed ??= next.memory.reembed()
      await changed
      return createHashingEmbedder().embed(texts)
    },
  }
  const dreaming = await withEmbedder(slow)
  await old.memory.remember({ content: 'Overtaken by a change' })
  expect((await refusal(dreaming.memory.dream())).code).toBe('EMBEDDER_MISMATCH')
  expect((await next.memory.dream()).promoted).toBe(1)
  expect(await wordsOnly(next.memory)).toBeUndefined()
})

test('what others promote, edit, forget and restore during a change is in it', async () => {
  const { old, ids, withEmbedder } = await fiveBlocks()
  const { memory: other } = old
  const gone = ids[3] as string
  const next = nextEmbedder(async (list) => {
    if (list !== 3) return
    await other.edit({ blockId: ids[0] as string, content: 'Tea is at five' })
    await other.remember({ content: 'Lamps are switched off at ten' })
    await other.dream()
    await other.forget({ blockId: gone })
  })
  const { memory } = await withEmbedder(next)
  const changed = await memory.reembed()
  expect(changed.embedded).toBe(7)
  expect(next.lists.flat()).toContain('tea is at five')
  expect((await best(memory, 'Lamps are switched off at ten'))?.content).toBe('Lamps are switched off at ten')
  await memory.restore({ blockId: gone })
  const restored = await best(memory, NOTES[3] as string)
  expect(restored?.id).toBe(gone)
  expect(restored?.explanation?.match?.cosine).toBeGreaterThan(0.9)
})

test('a change that an error ends goes on where it stopped, also in another process', async () => {
  const { withEmbedder } = await fiveBlocks()
  const failing = createPlacedEmbedder('next')
  const first = await withEmbedder({
    ...failing,
    embed: async (texts) => {
      if (texts[0]?.includes('kettle')) failing.fail(true)
      return failing.embed(texts)
    },
  })
  const { code } = await refusal(first.memory.reembed())
  expect(code).toBe('EMBEDDER_FAILED')
  expect((await first.memory.status()).embeddingModel).toBe(OLD)
  const again = createPlacedEmbedder('next')
  const second = await withEmbedder(again)
  expect((await second.memory.reembed({ dryRun: true })).estimate?.blocks).toBe(3)
  again.asked.length = 0
  const progress: number[] = []
  const changed = await second.memory.reembed({}, { progress: ({ done }) => progress.push(done) })
  expect(changed).toMatchObject({ status: 'switched', embedded: 3, reused: 2 })
  expect(again.asked.slice(1)).toEqual(NOTES.slice(2).map((note) => note.toLowerCase()))
  expect(progress).toEqual([2, 4, 5])
})

test('a change is cancelled by its signal, and what was embedded is kept', async () => {
  const { withEmbedder } = await fiveBlocks()
  const controller = new AbortController()
  const { memory } = await withEmbedder(
    nextEmbedder(async (list) => (list === 2 ? controller.abort() : undefined)),
  )
  const { code, recovery } = await refusal(memory.reembed({}, { signal: controller.signal }))
  expect(code).toBe('CANCELLED')
  expect(recovery).toMatch(/is kept/)
  expect((await memory.status()).reasons.join()).toMatch(/vectors are of hashing-384/)
  expect((await memory.reembed()).reused).toBeGreaterThan(0)
})

test('a change begun and left is said by status to whoever has the old embedder', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const broken = createPlacedEmbedder('broken')
  const { memory } = await withEmbedder({
    ...broken,
    embed: async (texts) => {
      if (texts.length > 1) broken.fail(true)
      return broken.embed(texts)
    },
  })
  await refusal(memory.reembed())
  expect(await wordsOnly(old.memory)).toBeUndefined()
  const { reasons, suggestion, shadowModel } = await old.memory.status()
  expect(reasons[0]).toMatch(/to broken \(32 dimensions\) was begun and not finished/)
  expect(suggestion).toMatch(/drop/)
  expect(shadowModel).toBe('broken')
  expect((await old.memory.reembed({ drop: true })).summary).toBe(
    'The vectors of broken (32 dimensions) are gone.',
  )
  expect((await old.memory.status()).shadowModel).toBeUndefined()
})

test('an embedder that does not work leaves everything as it was, the vectors kept for a rollback too', async () => {
  const { withEmbedder } = await fiveBlocks()
  const next = await withEmbedder(nextEmbedder())
  await next.memory.reembed()
  const dead = createPlacedEmbedder('dead')
  dead.fail(true)
  const { memory } = await withEmbedder(dead)
  expect((await refusal(memory.reembed())).code).toBe('EMBEDDER_FAILED')
  expect((await next.memory.status()).shadowModel).toBe(OLD)
})

test('a dry run says what there is to embed and how long it takes, and changes nothing', async () => {
  const clock = createTestClock()
  const { old, withEmbedder } = await fiveBlocks()
  const hashing = createHashingEmbedder({ dimensions: 48 })
  const { memory, store } = await withEmbedder(
    {
      ...hashing,
      embed: async (texts) => {
        clock.advance({ minutes: texts.length })
        return hashing.embed(texts)
      },
    },
    { clock },
  )
  const before = await store.read((tx) =>
    Promise.all([tx.changes(0), tx.vectorTotals(), tx.operations({ limit: 99 })]),
  )
  const { status, estimate, summary } = await memory.reembed({ dryRun: true })
  const characters = NOTES.join('').length
  expect({ status, estimate }).toEqual({
    status: 'planned',
    estimate: { blocks: 5, characters, tokens: Math.floor(characters / 4), seconds: 300 },
  })
  expect(summary).toMatch(/5 blocks to embed with hashing-48 .* about 5 min\. Nothing changed/)
  expect(
    await store.read((tx) => Promise.all([tx.changes(0), tx.vectorTotals(), tx.operations({ limit: 99 })])),
  ).toEqual(before)
  expect(await wordsOnly(old.memory)).toBeUndefined()
})

test('a rollback brings the old vectors back and embeds only what came since', async () => {
  const { ids, withEmbedder } = await fiveBlocks()
  const next = await withEmbedder(nextEmbedder())
  const vectors = () => next.store.read((tx) => tx.vectors(ids))
  const before = await vectors()
  await next.memory.reembed()
  expect(await vectors()).not.toEqual(before)
  await next.memory.remember({ content: 'Lamps are switched off at ten' })
  await next.memory.dream()

  const refused = await refusal(next.memory.reembed({ rollback: true }))
  expect(refused.code).toBe('EMBEDDER_MISMATCH')
  expect(refused.recovery).toMatch(/Configure hashing-384 \(384 dimensions\) again/)

  const back = await withEmbedder(createHashingEmbedder())
  expect(await back.memory.reembed({ rollback: true })).toMatchObject({
    status: 'switched',
    embedded: 1,
    reused: 5,
  })
  expect(await vectors()).toEqual(before)
  expect(await wordsOnly(back.memory)).toBeUndefined()
  expect((await best(back.memory, 'Lamps are switched off'))?.content).toMatch(/Lamps/)
  const again = await withEmbedder(nextEmbedder())
  expect(await again.memory.reembed({ rollback: true })).toMatchObject({ embedded: 0, reused: 6 })
})

test('without kept vectors a rollback is refused, and drop makes it so', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  expect((await refusal(old.memory.reembed({ rollback: true }))).code).toBe('NOT_FOUND')
  const { memory } = await withEmbedder(nextEmbedder())
  await memory.reembed()
  expect((await memory.reembed({ drop: true })).status).toBe('dropped')
  expect((await memory.reembed({ drop: true })).summary).toBe('There was nothing to drop.')
  expect((await refusal(old.memory.reembed({ rollback: true }))).code).toBe('NOT_FOUND')
  expect((await refusal(memory.reembed({ drop: true, dryRun: true }))).code).toBe('INVALID_INPUT')
})

test('of two changes at once to different models the later one wins, and the other says so', async () => {
  const { withEmbedder } = await fiveBlocks()
  const later = await withEmbedder(createPlacedEmbedder('later'))
  const { memory } = await withEmbedder(
    nextEmbedder(async (list) => (list === 2 ? later.memory.reembed() : undefined)),
  )
  expect((await refusal(memory.reembed())).code).toBe('STORE_BUSY')
  expect((await later.memory.status()).embeddingModel).toBe('later')
})

test('a change given up meanwhile by drop ends and says so', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const { memory } = await withEmbedder(
    nextEmbedder(async (list) => (list === 3 ? old.memory.reembed({ drop: true }) : undefined)),
  )
  expect((await refusal(memory.reembed())).code).toBe('STORE_BUSY')
  expect((await old.memory.status()).embeddingModel).toBe(OLD)
})

test('edges stay as they are through a change of embedder', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  await old.learn('Tea is at four in the garden', 'Tea is at four on Sundays')
  const edges = () => old.store.read((tx) => tx.edgePage(['', ''], 99))
  const before = await edges()
  expect(before.length).toBeGreaterThan(0)
  await (await withEmbedder(nextEmbedder())).memory.reembed()
  expect(await edges()).toEqual(before)
})

test('a memory in which nothing was embedded has nothing to change', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'waits' })
  expect((await memory.reembed()).status).toBe('empty')
  expect((await memory.reembed({ dryRun: true })).status).toBe('empty')
})

test('a memory bound to a scope leaves the vectors, which all scopes share, alone', async () => {
  const { store, path } = await openTestMemory()
  await using bound = await openMemory(path, {
    as: 'owner',
    store,
    scope: 'mine',
    embedder: createHashingEmbedder(),
  })
  expect(await refusal(bound.reembed())).toMatchObject({ code: 'OUT_OF_SCOPE' })
})
