import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'

/** Opens a memory that begins in 2024 and in which nothing fades. */
function openIn2024() {
  return openTestMemory({
    clock: createTestClock('2024-01-10T09:00:00Z'),
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
}

const PLACES = ['Oslo', 'Bergen', 'Bodo', 'Molde'] as const

/** Tells of a store of films that moved every hundred days; with `resolved` the owner accepted each move. */
async function moved({ resolved = true } = {}) {
  const opened = await openIn2024()
  const { memory, clock } = opened
  const ids: string[] = []
  for (const place of PLACES) {
    const before = ids.at(-1)
    const content = `The film store is in ${place}.`
    ids.push((await memory.remember({ content, ...(before && { supersedes: before }) })).blockId)
    await memory.dream()
    if (before && resolved) await memory.resolve({ a: before, b: ids.at(-1) ?? '', keep: 'b' })
    clock.advance({ hours: 24 * 100 })
  }
  const places = async (query: string) =>
    (await memory.recall({ query, reinforce: false })).blockIds.map((id) => ids.indexOf(id))
  return { ...opened, ids, places }
}

test('recall of what was before finds the archived version, with its end and the others under it', async () => {
  const { memory, ids } = await moved()
  const query = 'Where was the film store before?'
  const { blocks, text } = await memory.recall({ query, reinforce: false })
  expect(blocks).toMatchObject([{ id: ids[2], ended: true, validUntil: '2024-11-05T09:00:00.000Z' }])
  const under = blocks[0]?.versions?.map(({ id, why }) => [ids.indexOf(id), why])
  expect(under).toEqual([
    [3, 'later'],
    [1, 'superseded'],
    [0, 'superseded'],
  ])
  for (const place of PLACES) expect(text).toContain(`The film store is in ${place}.`)
})

test.each([true, false])(
  'recall of another time finds the version of then, resolved: %s',
  async (resolved) => {
    const { places } = await moved({ resolved })
    const questions = [
      ['Where was the film store originally?', 0],
      ['Where was the film store in May 2024?', 1],
      ['Where was the film store on 3 September 2024?', 2],
      ['Where was the film store on 2024-05-03?', 1],
      ['Wo war der film store am 3. Sept. 2024?', 2],
      ['Where was the film store before July 2024?', 1],
      ['Where did the film store use to be?', 2],
      ['Where has the film store been since May 2024?', 3],
      ['Where is the film store?', 3],
    ] as const
    for (const [question, version] of questions)
      expect([question, (await places(question))[0]]).toEqual([question, version])
  },
)

test('recall of an archived version counts no use of it, and outcome skips it', async () => {
  const { memory, ids } = await moved()
  const { recallId = '' } = await memory.recall({ query: 'Where was the film store before?' })
  const { block, edges } = await memory.show({ blockId: ids[2] ?? '' })
  expect([block.status, block.reinforcementCount, edges]).toEqual(['archived', 1, []])
  const { skipped } = await memory.outcome({ recallId, helped: [ids[2] ?? ''] })
  expect(skipped).toMatchObject([{ id: ids[2], reason: 'archived' }])
})

test('recall goes by when a block held, not by when it was said', async () => {
  const { memory, clock } = await openIn2024()
  clock.advance({ hours: 24 * 800 })
  const { results } = await memory.rememberMany({
    blocks: [
      { content: 'The door code of ward 4 is 1881.', validFrom: '2024-02-01', validUntil: '2025-03-01' },
      { content: 'The door code of ward 4 is 2462.', validFrom: '2025-03-01' },
      { content: 'Lina is the head nurse of ward 4.', validFrom: '2023-02-01', validUntil: '2025-09-01' },
      { content: 'Omar is the head nurse of ward 4.', validFrom: '2025-09-01' },
    ],
  })
  await memory.dream()
  const questions = [
    ['What was the door code of ward 4 in August 2024?', 0],
    ['What was the door code of ward 4 in August 2025?', 1],
    ['What is the door code of ward 4?', 1],
    ['Who was the head nurse of ward 4 in 2024?', 2],
    ['Who is the head nurse of ward 4?', 3],
  ] as const
  for (const [query, place] of questions) {
    const { blockIds } = await memory.recall({ query, reinforce: false })
    expect([query, blockIds[0]]).toEqual([query, results[place]?.blockId])
  }
})
