import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
import type { Store } from '../../src/store/transaction.ts'
import { createTestClock } from '../helpers/clock.ts'

const FACTS = [
  'The north depot opens at seven past nine.',
  'The south depot opens at eight past ten.',
  'The port of the depot is 4210; ü, 日本 and 🫖 are kept as they are.',
  'Tea is served at four in the garden.',
  'The garden behind the depot has a lantern.',
  'The lantern in the garden is lit at ten.',
]

/** Lives a little in a memory, so that most tables have rows. */
export async function filledStore(store: Store): Promise<void> {
  const clock = createTestClock()
  const memory = await openMemory('', {
    as: 'owner',
    store,
    clock,
    config: { memory: { coRetrievalThreshold: 3 } },
    embedder: createHashingEmbedder(),
  })
  for (const content of FACTS) {
    clock.advance({ minutes: 2 })
    await memory.remember({
      content,
      tags: ['topic/depot'],
      scope: FACTS.indexOf(content) < 3 ? 'here' : undefined,
    })
  }
  await memory.dream()
  const { blocks, recallId } = await memory.recall({ query: 'When does the depot open?', minStrength: 0 })
  const ids = blocks.map(({ id }) => id)
  const [first = '', second = '', third = ''] = ids
  await memory.outcome({ helped: [first, second], recallId })
  await memory.connect({ source: first, target: third, relation: 'supports', note: 'seen together' })
  await memory
    .remember({ content: 'The north depot opens at nine now.', supersedes: first })
    .catch(() => undefined)
  await memory.dream()
  await memory.edit({ blockId: second, cue: 'when it opens' })
  await memory.forget({ blockId: third })
  await memory
    .items('notes')
    .put({ namespace: 'a', key: 'k', value: { text: 'An item about tea.' } } as never)
    .catch(() => undefined)
  await memory.propose({ kind: 'value', content: 'Be on time.' } as never).catch(() => undefined)
  await memory.remember({ content: 'This one waits.' })
  await memory.close()
}
