import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { miniLm } from '../../helpers/minilm.ts'

/** A memory that begins in 2024; months of rest let nothing fade. */
function openIn2024() {
  return openTestMemory({
    clock: createTestClock('2024-01-10T09:00:00Z'),
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
}

const PLACES = ['Oslo', 'Bergen', 'Bodo', 'Molde'] as const

/** A store of films that moved every hundred days; with `resolved` the owner accepted each move. */
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
