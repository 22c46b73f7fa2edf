import { expect, test } from 'vitest'
import { cacheQueries } from '../../src/adapters/embed/embedder-wrappers.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { ElfmemError } from '../../src/errors.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'

test('cacheQueries embeds a question once and lists always', async () => {
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

test('cacheQueries keeps no failure and answers neither after an abort nor after close', async () => {
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
