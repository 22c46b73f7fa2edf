import { expect, test } from 'vitest'
import { cacheQueries } from '../../src/adapters/embed/embedder-wrappers.ts'
import { ElfmemError } from '../../src/errors.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

test('a question asked again is not embedded again, whatever the embedder, and lists always are', async () => {
  const placed = createPlacedEmbedder()
  const embedder = cacheQueries(placed)
  const [first] = await embedder.embed(['tea'])
  const progress: number[] = []
  const [again] = await embedder.embed(['tea'], { progress: (done) => progress.push(done) })
  expect(again).toEqual(first)
  expect(progress).toEqual([1])
  expect(placed.asked).toEqual(['tea'])
  await embedder.embed(['tea', 'port'])
  await embedder.embed(['port'])
  expect(placed.asked).toEqual(['tea', 'tea', 'port', 'port'])
})

test('what a caller does to a vector changes no later one', async () => {
  const embedder = cacheQueries(createPlacedEmbedder())
  const [first] = await embedder.embed(['tea'])
  const kept = first?.slice()
  first?.fill(7)
  const [again] = await embedder.embed(['tea'])
  again?.fill(8)
  expect((await embedder.embed(['tea']))[0]).toEqual(kept)
})

test('only the last 256 questions are kept', async () => {
  const placed = createPlacedEmbedder()
  const embedder = cacheQueries(placed)
  for (let i = 0; i < 257; i++) await embedder.embed([`question ${i}`])
  await embedder.embed(['question 1'])
  expect(placed.asked).toHaveLength(257)
  await embedder.embed(['question 0'])
  expect(placed.asked).toHaveLength(258)
})

test('an embedder that changes its model is asked anew', async () => {
  const changing = { ...createPlacedEmbedder('one'), model: 'one' }
  const embedder = cacheQueries(changing)
  await embedder.embed(['tea'])
  changing.model = 'two'
  await embedder.embed(['tea'])
  expect(changing.asked).toHaveLength(2)
  expect(embedder.model).toBe('two')
})

test('a failure is not kept, and neither an aborted nor a closed embedder answers from the cache', async () => {
  const placed = createPlacedEmbedder()
  const refusing: Embedder = {
    ...placed,
    embed: async (texts, options) => {
      if (options?.signal?.aborted) throw new ElfmemError('CANCELLED', 'No.', { recovery: 'None.' })
      return placed.embed(texts)
    },
  }
  const embedder = cacheQueries(refusing)
  placed.fail(true)
  await expect(embedder.embed(['tea'])).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' })
  placed.fail(false)
  await embedder.embed(['tea'])
  const signal = AbortSignal.abort()
  await expect(embedder.embed(['tea'], { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  await embedder.close()
  placed.fail(true)
  await expect(embedder.embed(['tea'])).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' })
})

test('a memory asks its embedder once for a question recalled twice', async () => {
  const embedder = createPlacedEmbedder()
  const { memory, learn } = await openTestMemory({ embedder })
  await learn('tea @0 is at four')
  embedder.asked.length = 0
  await memory.recall({ query: 'tea @5' })
  await memory.recall({ query: 'tea @5', topK: 3 })
  expect(embedder.asked).toHaveLength(1)
})
