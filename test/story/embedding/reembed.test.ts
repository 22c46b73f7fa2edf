import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import type { Embedder } from '../../../src/engine/ports.ts'
import { readVectors } from '../../../src/store/blocks.ts'
import { openTestMemory, refusal, type TestMemory, type TestMemoryOptions } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const OLD = 'hashing-384'

const NOTES = [
  'Tea is at four',
  'Staging listens on port 8443',
  'The kettle is blue',
  'Roses need sun',
  'Ada likes maps',
]

/** reembed sends this text first, to find out whether the embedder works. */
const PROBE = 'Hello'

/** A batch has two texts, so that a change of five blocks takes three batches. */
const settings = { memory: { embedBatch: 2 } } as const

/** Returns an embedder of 48 dimensions that keeps each list of texts, and calls `before` first. */
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

/** Opens a memory of the old embedder with five blocks; `withEmbedder` opens its file with another one. */
async function fiveBlocks(kind: TestMemoryOptions['kind'] = 'file') {
  const old = await openTestMemory({ settings, kind })
  const ids = await old.learn(...NOTES)
  const withEmbedder = (embedder: Embedder, more: TestMemoryOptions = {}): Promise<TestMemory> =>
    openTestMemory({ settings, path: old.path, embedder, ...more })
  return { old, ids, withEmbedder }
}

/** Returns the note of a recall that found by words alone, else undefined. */
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

test('recall with the old embedder finds by vectors until the change, then by words', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const seen: (string | undefined)[] = []
  const next = await withEmbedder(nextEmbedder(async () => seen.push(await wordsOnly(old.memory))))
  await next.memory.reembed()
  expect(seen).toEqual([undefined, undefined, undefined])
  expect(await wordsOnly(old.memory)).toBeDefined()
  expect((await best(old.memory, 'Staging port'))?.content).toBe(NOTES[1])
  await old.memory.remember({ content: 'Too late for the old one' })
  const blockId = (await old.memory.ls()).blocks[0]!.id
  for (const call of [() => old.memory.dream(), () => old.memory.edit({ blockId, content: 'x y' })])
    expect((await refusal(call())).code).toBe('EMBEDDER_MISMATCH')
})

test('dream of the old embedder promotes nothing more once a change overtook it', async () => {
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

test('reembed takes in what others promote, edit, forget and restore meanwhile', async () => {
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

test('reembed goes on where an error ended it, also in another process', async () => {
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

test('reembed with dryRun estimates its work and changes nothing', async () => {
  const { old, withEmbedder } = await fiveBlocks()
  const { memory } = await withEmbedder(nextEmbedder())
  const { status, estimate } = await memory.reembed({ dryRun: true })
  expect([status, estimate?.blocks, estimate?.characters]).toEqual(['planned', 5, NOTES.join('').length])
  expect((await memory.status()).embeddingModel).toBe(OLD)
  expect(await wordsOnly(old.memory)).toBeUndefined()
})

test('reembed with the embedder of before brings the old vectors back and embeds only what came since', async () => {
  const { ids, withEmbedder } = await fiveBlocks()
  const next = await withEmbedder(nextEmbedder())
  const vectors = () => next.store.read((tx) => readVectors(tx, ids))
  const before = await vectors()
  await next.memory.reembed()
  expect(await vectors()).not.toEqual(before)
  await next.memory.remember({ content: 'Lamps are switched off at ten' })
  await next.memory.dream()

  const back = await withEmbedder(createHashingEmbedder())
  expect(await back.memory.reembed()).toMatchObject({
    status: 'switched',
    embedded: 1,
    reused: 5,
  })
  expect(await vectors()).toEqual(before)
  expect(await wordsOnly(back.memory)).toBeUndefined()
  expect((await best(back.memory, 'Lamps are switched off'))?.content).toMatch(/Lamps/)
})

test('drop removes the vectors of before and goes with no dry run', async () => {
  const { withEmbedder } = await fiveBlocks()
  const { memory } = await withEmbedder(nextEmbedder())
  await memory.reembed()
  expect((await memory.reembed({ drop: true })).status).toBe('dropped')
  expect((await memory.reembed({ drop: true })).shadow).toBeUndefined()
  expect((await refusal(memory.reembed({ drop: true, dryRun: true }))).code).toBe('INVALID_INPUT')
})

test('of two changes at once the later one wins, and the other is refused', async () => {
  const { withEmbedder } = await fiveBlocks()
  const later = await withEmbedder(createPlacedEmbedder('later'))
  const { memory } = await withEmbedder(
    nextEmbedder(async (list) => (list === 2 ? later.memory.reembed() : undefined)),
  )
  expect((await refusal(memory.reembed())).code).toBe('STORE_BUSY')
  expect((await later.memory.status()).embeddingModel).toBe('later')
})

test('reembed in a scope is refused', async () => {
  const { store, path } = await openTestMemory()
  await using bound = await openMemory(path, {
    as: 'owner',
    store,
    scope: 'mine',
    embedder: createHashingEmbedder(),
  })
  expect(await refusal(bound.reembed())).toMatchObject({ code: 'OUT_OF_SCOPE' })
})

test('reembed takes in what waits, and the dream embeds it no more', async () => {
  const { memory, path, learn } = await openTestMemory({ embedder: createPlacedEmbedder('before') })
  await learn('coffee @5 is ground at nine')
  await memory.remember({ content: 'tea @5 is poured at four' })
  await memory.recall({ query: 'tea in the afternoon' })
  const after = createPlacedEmbedder('after')
  const other = await openTestMemory({ path, embedder: after })
  expect((await other.memory.recall({ query: 'what is poured at four' })).blocks).toMatchObject([
    { content: 'tea @5 is poured at four' },
  ])
  expect(after.asked).not.toContain('tea @5 is poured at four')
  expect(await other.memory.reembed({})).toMatchObject({ status: 'switched', embedded: 2 })
  expect((await other.memory.recall({ query: 'tea in the afternoon' })).blocks).toMatchObject([
    { content: 'tea @5 is poured at four', waiting: true },
  ])
  await other.memory.dream()
  expect(after.asked.filter((text) => text.startsWith('tea @5'))).toHaveLength(1)
})
