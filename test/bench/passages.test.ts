import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shareEmbedder } from '../../bench/lib/shared-embedder.ts'
import { askCosine, askMemory, askServed } from '../../bench/passages/ask.ts'
import { loadPassages, rememberPassages } from '../../bench/passages/store.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const TEXTS = [
  'The harbour of Alva has a lighthouse.',
  'Tea is grown on the northern hills.',
  'The lighthouse was painted in the spring.',
]

function fileOf(texts: readonly string[]): string {
  const path = join(temporaryFolder(), 'passages.json')
  const notes = texts.map((text, i) => ({ id: `p${i}`, text }))
  const questions = [{ text: 'lighthouse of the harbour', evidence: ['p0', 'p2'] }]
  writeFileSync(path, JSON.stringify({ conversations: [{ notes, questions }] }))
  return path
}

test.each([
  ['a session each', false],
  ['in documents', true],
])('the passages bench credits every passage it took in, %s', async (_, isLearned) => {
  const embedder = shareEmbedder(createHashingEmbedder())
  const { passages, questions } = loadPassages(fileOf(TEXTS))
  const path = join(temporaryFolder(), 'memory.db')
  const kept = await rememberPassages(path, passages, { seed: 1, embedder, isLearned })
  expect([...new Set([...kept.passagesOf.values()].flat())].sort()).toEqual(['p0', 'p1', 'p2'])
  const [found] = await askMemory(kept, questions, { embedder, recall: {}, topK: 20 })
  expect(found).toMatchObject({ recall5: 1, reciprocalRank: 1, evidence: 2 })
  expect(await askServed(kept, questions, { embedder, recall: {} })).toMatchObject({ recall: 1 })
  expect(await askCosine({ passages, questions }, { embedder, topK: 20 })).toMatchObject([{ recall5: 1 }])
})
