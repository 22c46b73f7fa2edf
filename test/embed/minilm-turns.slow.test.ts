import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'

let embedder: Embedder
const TEXTS = Array.from(
  { length: 200 },
  (_, i) => `Note ${i}: the team moved the review of module ${i * 7} to Monday.`,
)

beforeEach(async () => {
  embedder = createMiniLmEmbedder()
  await embedder.embed(['warm'])
})

afterEach(() => embedder.close())

test('embed of one text overtakes a running list of 200', async () => {
  let done = 0
  const list = embedder.embed(TEXTS, { progress: (count) => (done = count) })
  await embedder.embed(['what did the team move?'])
  expect(done).toBeLessThan(50)
  await list
  expect(done).toBe(200)
})

test('embed of one text overtakes a very long one', async () => {
  const finished: string[] = []
  const long = embedder
    .embed(['The tide rose in the harbour. '.repeat(400)])
    .then(() => finished.push('long'))
  await embedder.embed(['what rose?']).then(() => finished.push('short'))
  await long
  expect(finished).toEqual(['short', 'long'])
})
