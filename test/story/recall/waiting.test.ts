import { expect, test } from 'vitest'
import { openSqliteStore } from '../../../src/sqlite/store.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

const PORT = 'Staging listens on port 4210.'
const OTHER_WORDS = { query: 'tea in the afternoon' }
const TEA = 'tea @5 is poured at four'

/** How often the embedder was asked for each text that was remembered. */
function timesAsked({ asked }: { readonly asked: readonly string[] }, ...texts: readonly string[]): number[] {
  return texts.map((text) => asked.filter((each) => each === text).length)
}

test('recall finds a block right after remember, marked as waiting until its dream', async () => {
  const { memory } = await openTestMemory()
  expect(await memory.remember({ content: PORT })).toMatchObject({ status: 'created', visible: true })
  const { blocks, text, match } = await memory.recall({ query: PORT })
  expect(blocks).toMatchObject([{ content: PORT, waiting: true }])
  expect(text).toContain(`${PORT} (2026-03-02, waiting)`)
  expect(match).toBe('match')
  await memory.dream()
  const after = await memory.recall({ query: PORT })
  expect(after.blocks.map(({ content, waiting }) => ({ content, waiting }))).toEqual([
    { content: PORT, waiting: undefined },
  ])
  expect(after.text).not.toContain('waiting')
})

test('recall finds what waits in other words, and the dream embeds nothing again', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  await memory.remember({ content: TEA })
  const found = await memory.recall(OTHER_WORDS)
  expect(found.blocks.map(({ content }) => content)).toEqual([TEA])
  expect(found.waitingWithoutVector).toBe(undefined)
  await memory.dream()
  await memory.recall(OTHER_WORDS)
  expect(timesAsked(embedder, TEA)).toEqual([1])
})

test('recall in another process finds what waits by words, and by the vector once that is in the file', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const failing = createPlacedEmbedder()
  failing.fail(true)
  const other = await openTestMemory({ path, embedder: failing })
  await memory.remember({ content: TEA })
  expect((await other.memory.recall({ query: 'when is it poured' })).blocks).toMatchObject([{ content: TEA }])
  await memory.recall(OTHER_WORDS)
  failing.fail(false)
  const { blocks } = await other.memory.recall(OTHER_WORDS)
  expect(blocks).toMatchObject([{ content: TEA, waiting: true }])
  expect(timesAsked(failing, TEA)).toEqual([0])
  await other.memory.dream()
  expect(timesAsked(failing, TEA)).toEqual([0])
})

test('recall finds what waits by words while the embedder fails, and counts what has no vector', async () => {
  const embedder = createPlacedEmbedder()
  const { memory, learn } = await openTestMemory({ embedder })
  await learn('coffee @5 is ground at nine')
  embedder.fail(true)
  await memory.remember({ content: TEA })
  const found = await memory.recall({ query: 'what is poured at four' })
  expect(found).toMatchObject({ waitingWithoutVector: 1, blocks: [{ content: TEA }] })
  embedder.fail(false)
  expect((await memory.recall(OTHER_WORDS)).waitingWithoutVector).toBe(undefined)
})

test('recall asks no remote embedder for what waits', async () => {
  const embedder = { ...createPlacedEmbedder(), remote: true }
  const { memory, learn } = await openTestMemory({ embedder })
  await learn('coffee @5 is ground at nine')
  await memory.remember({ content: TEA })
  const found = await memory.recall({ query: 'what is poured at four' })
  expect(found).toMatchObject({ waitingWithoutVector: 1, blocks: [{ content: TEA }] })
  expect(timesAsked(embedder, TEA)).toEqual([0])
})

test('recall finds an edited waiting block by its new words alone', async () => {
  const embedder = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder })
  const { blockId } = await memory.remember({ content: TEA })
  await memory.recall(OTHER_WORDS)
  const edited = 'coffee @5 is ground at nine'
  await memory.edit({ blockId, content: edited })
  expect((await memory.recall({ ...OTHER_WORDS, minStrength: 0.3 })).blocks).toEqual([])
  expect((await memory.recall({ query: 'coffee please' })).blocks).toMatchObject([{ content: edited }])
  await memory.dream()
  expect(timesAsked(embedder, TEA, edited)).toEqual([1, 1])
  expect((await memory.recall({ query: 'coffee please' })).blocks).toMatchObject([{ content: edited }])
})

test('recall leaves out what was forgotten or undone before its dream', async () => {
  const { memory, path } = await openTestMemory()
  const { blockId } = await memory.remember({ content: PORT })
  const other = await openTestMemory({ path })
  const contents = async () =>
    (await other.memory.recall({ query: PORT, reinforce: false })).blocks.map(({ content }) => content)
  expect(await contents()).toEqual([PORT])
  await memory.forget({ blockId })
  expect(await contents()).toEqual([])
  await memory.undo({})
  expect(await contents()).toEqual([PORT])
  await memory.remember({ content: 'Production listens on port 443.' })
  await memory.undo({})
  expect(await contents()).toEqual([PORT])
})

test('recall counts no use and joins no pair of what waits', async () => {
  const { memory, store } = await openTestMemory({ settings: { memory: { coRetrievalThreshold: 1 } } })
  const first = await memory.remember({ content: 'The red door opens to the garden.' })
  const second = await memory.remember({ content: 'The red gate opens to the street.' })
  const asked = await memory.recall({ query: 'what red thing opens' })
  expect([...asked.blockIds].sort()).toEqual([first.blockId, second.blockId].sort())
  const blocks = await store.read((tx) => tx.blocks([first.blockId, second.blockId]))
  expect(blocks.map(({ reinforcementCount }) => reinforcementCount)).toEqual([0, 0])
  expect(await store.read((tx) => tx.counts())).toMatchObject({ edges: 0, stagedPairs: 0 })
  expect(await memory.outcome({ blockIds: [first.blockId], signal: 1 })).toMatchObject({
    outcomeEdgesCreated: 0,
  })
  expect(await store.read((tx) => tx.counts())).toMatchObject({ edges: 0, queuedOutcomes: 1 })
})

test('recall shows a waiting block above the one that it supersedes', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [old = ''] = await learn('The staging server listens on port 4210.')
  clock.advance({ hours: 1 })
  const content = 'The staging server listens on port 4300.'
  await memory.remember({ content, supersedes: old })
  const { blocks } = await memory.recall({ query: 'Which port does the staging server listen on?' })
  expect(blocks).toMatchObject([{ content, waiting: true, versions: [{ id: old, why: 'superseded' }] }])
})

test('recall in a scope finds what waits in it, and nothing that waits elsewhere', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The port of atlas is 4210.', scope: 'atlas' })
  await memory.remember({ content: 'The port of zephyr is 4300.', scope: 'zephyr' })
  const found = async (scope: string) =>
    (await memory.recall({ query: 'which port', scope })).blocks.map(({ content }) => content)
  expect(await found('atlas')).toEqual(['The port of atlas is 4210.'])
  expect(await found('zephyr')).toEqual(['The port of zephyr is 4300.'])
})

test('recall of what waits is not kept waiting by a lock of another process', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: TEA })
  const holder = await openSqliteStore(path)
  await holder.write(async () => {
    const { blocks } = await memory.recall({ query: 'what is poured at four', reinforce: false })
    expect(blocks).toMatchObject([{ content: TEA }])
  })
  await holder.close()
})
