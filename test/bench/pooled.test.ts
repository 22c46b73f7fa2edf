import { expect, test } from 'vitest'
import { shareEmbedder } from '../../bench/lib/shared-embedder.ts'
import { type Conversation, toConversation } from '../../bench/locomo/loader.ts'
import { measure } from '../../bench/pooled/pooled.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { temporaryFolder } from '../helpers/memory.ts'

function conversationOf(id: string, place: string): Conversation {
  return toConversation({
    sample_id: id,
    conversation: {
      session_1: [
        { speaker: 'Ada', dia_id: 'D1:1', text: `The harbour of ${place} closes at dusk` },
        { speaker: 'Bo', dia_id: 'D1:2', text: 'A baker paints winter coats' },
        { speaker: 'Ada', dia_id: 'D1:3', text: 'Our server counts sour cherries' },
      ],
      session_1_date_time: '1:56 pm on 8 May, 2023',
    },
    qa: [{ question: 'When does the harbour close?', category: 4, evidence: ['D1:1'] }],
  })
}

test('conversations in one store with scopes answer as from stores of their own, and without mix', async () => {
  const { data, report } = await measure([conversationOf('one', 'Ayr'), conversationOf('two', 'Bergen')], {
    folder: temporaryFolder(),
    embedder: shareEmbedder(createHashingEmbedder()),
    topK: 5,
    log: () => undefined,
  })
  expect(data).toMatchObject({ questions: 2, identical: 2, blocks: { separate: 6, scoped: 6 } })
  const [separate, scoped, bare] = data.ways
  expect(separate?.means.recall5).toBe(1)
  expect(scoped?.means).toEqual(separate?.means)
  expect([separate?.strange, scoped?.strange]).toEqual([0, 0])
  expect(bare?.strange).toBeGreaterThan(0)
  expect(report).toContain('2 of 2 rankings are the same')
})
