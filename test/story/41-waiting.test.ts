import { expect, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

const PORT = 'Staging listens on port 4210.'
const OTHER_WORDS = { query: 'tea in the afternoon' }
const TEA = 'tea @5 is poured at four'

/** How often the embedder was asked for each text that was remembered. */
function timesAsked({ asked }: { readonly asked: readonly string[] }, ...texts: readonly string[]): number[] {
  return texts.map((text) => asked.filter((each) => each === text).length)
}

test('a sentence that was just remembered is recalled by itself, marked as waiting', async () => {
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

test('what waits is found in other words, and the dream embeds nothing again', async () => {
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

test('the built-in embedder finds what waits in other words', async () => {
  const memory = await openMemory(':memory:')
  await memory.remember({ content: 'Our kitten sleeps on the sofa all day.' })
  await memory.remember({ content: 'The invoice is due on Friday.' })
  memory.warm()
  let first: string | undefined
  // The first answers may come before the model is loaded.
  for (let tries = 0; first === undefined && tries < 50; tries++) {
    const { blocks } = await memory.recall({ query: 'where does the cat nap', reinforce: false })
    first = blocks[0]?.content
  }
  expect(first).toBe('Our kitten sleeps on the sofa all day.')
  await memory.close()
})

test('another process finds what waits by its words, and by its vector once that is in the file', async () => {
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

test('while the embedder fails, words find what waits, and the answer says how many have no vector', async () => {
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

test('an embedder somewhere else is not asked in front of a question', async () => {
  const embedder = { ...createPlacedEmbedder(), remote: true }
  const { memory, learn } = await openTestMemory({ embedder })
  await learn('coffee @5 is ground at nine')
  await memory.remember({ content: TEA })
  const found = await memory.recall({ query: 'what is poured at four' })
  expect(found).toMatchObject({ waitingWithoutVector: 1, blocks: [{ content: TEA }] })
  expect(found.note).toContain('1 waiting block found by words alone as yet')
  expect(timesAsked(embedder, TEA)).toEqual([0])
})

test('an edited waiting block is found by its new words alone, and is embedded anew', async () => {
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

test('what was forgotten or undone before its dream is not recalled, and an undone forget brings it back', async () => {
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
  const late = 'Production listens on port 443.'
  const { blockId: lateId } = await memory.remember({ content: late })
  expect(await contents()).toContain(late)
  await memory.undo({})
  expect(await contents()).toEqual([PORT])
  expect(lateId).not.toBe(blockId)
})

test('recall teaches nothing about what waits: no use, no pairs, no edges', async () => {
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

test('what is to take the place of a block stands above it before the dream', async () => {
  const { memory, clock, learn } = await openTestMemory()
  const [old = ''] = await learn('The staging server listens on port 4210.')
  clock.advance({ hours: 1 })
  const content = 'The staging server listens on port 4300.'
  await memory.remember({ content, supersedes: old })
  const { blocks } = await memory.recall({ query: 'Which port does the staging server listen on?' })
  expect(blocks).toMatchObject([{ content, waiting: true, versions: [{ id: old, why: 'superseded' }] }])
})

test('another embedder takes the place of one that only made vectors of what waits', async () => {
  const before = createPlacedEmbedder('before')
  const { memory, path, store } = await openTestMemory({ embedder: before })
  const { blockId } = await memory.remember({ content: TEA })
  await memory.recall(OTHER_WORDS)
  const after = createPlacedEmbedder('after')
  const other = await openTestMemory({ path, embedder: after })
  expect((await other.memory.recall(OTHER_WORDS)).blocks).toMatchObject([{ content: TEA }])
  expect(await other.memory.dream()).toMatchObject({ promoted: 1 })
  expect(await store.read((tx) => tx.meta('embedding_model'))).toBe('after')
  expect(timesAsked(after, TEA)).toEqual([1])
  expect((await memory.recall(OTHER_WORDS)).note).toContain('words alone')
  expect((await store.read((tx) => tx.vectors([blockId]))).size).toBe(1)
})

test('another embedder leaves the vectors of what waits alone where active blocks have some, and finds it by words', async () => {
  const before = createPlacedEmbedder('before')
  const { memory, path, learn } = await openTestMemory({ embedder: before })
  await learn('coffee @5 is ground at nine')
  await memory.remember({ content: TEA })
  await memory.recall(OTHER_WORDS)
  const after = createPlacedEmbedder('after')
  const other = await openTestMemory({ path, embedder: after })
  expect((await other.memory.recall({ query: 'what is poured at four' })).blocks).toMatchObject([
    { content: TEA },
  ])
  expect(after.asked).not.toContain(TEA)
  expect(await other.memory.reembed({})).toMatchObject({ status: 'switched', embedded: 2 })
  expect((await other.memory.recall(OTHER_WORDS)).blocks).toMatchObject([{ content: TEA, waiting: true }])
  await other.memory.dream()
  expect(timesAsked(after, TEA)).toEqual([1])
})

test('a scope finds what waits in it, and nothing that waits elsewhere', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The port of atlas is 4210.', scope: 'atlas' })
  await memory.remember({ content: 'The port of zephyr is 4300.', scope: 'zephyr' })
  const found = async (scope: string) =>
    (await memory.recall({ query: 'which port', scope })).blocks.map(({ content }) => content)
  expect(await found('atlas')).toEqual(['The port of atlas is 4210.'])
  expect(await found('zephyr')).toEqual(['The port of zephyr is 4300.'])
})

test('a frame without a question shows what waits, and guarantees none of it', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ principles: ['Say what is true.'] })
  await memory.remember({ content: PORT })
  const { blocks } = await memory.recall({})
  expect(blocks.map(({ content }) => content)).toContain(PORT)
  expect(blocks.every(({ guaranteed }) => !guaranteed)).toBe(true)
  await memory.dream()
  const self = await memory.recall({ frame: 'self' })
  expect(self.blocks).toMatchObject([{ content: 'Say what is true.', guaranteed: true }])
})

test('a whole answer that is pasted back adds nothing while its blocks wait', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: PORT })
  const { text } = await memory.recall({ query: PORT })
  expect(await memory.remember({ content: text })).toMatchObject({ status: 'duplicate', blockId })
})

test('an export carries the vectors of what waits, and a memory made of it embeds nothing again', async () => {
  const folder = temporaryFolder()
  const from = createPlacedEmbedder()
  const { memory } = await openTestMemory({ embedder: from })
  await memory.remember({ content: TEA })
  await memory.recall(OTHER_WORDS)
  await memory.export({ path: `${folder}/all.jsonl` })
  const to = createPlacedEmbedder()
  const other = await openTestMemory({ embedder: to })
  expect(await other.memory.import({ path: `${folder}/all.jsonl`, trusted: true })).toMatchObject({
    whole: true,
    visible: true,
  })
  expect((await other.memory.recall(OTHER_WORDS)).blocks).toMatchObject([{ content: TEA, waiting: true }])
  await other.memory.dream()
  expect(timesAsked(to, TEA)).toEqual([0])
})

test('recall does not wait for a lock that another process holds to keep a vector', async () => {
  const { memory, path } = await openTestMemory({ embedder: createPlacedEmbedder() })
  await memory.remember({ content: TEA })
  const { openSqliteStore } = await import('../../src/sqlite/store.ts')
  const holder = await openSqliteStore(path)
  await holder.write(async () => {
    const { blocks } = await memory.recall({ query: 'what is poured at four', reinforce: false })
    expect(blocks).toMatchObject([{ content: TEA }])
  })
  await holder.close()
})
