import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { problemsBeside } from './dump.ts'

const YEAR = 8_760
const CAP_MINUTES = 15

test('a clock that jumps a year back and forth ages nothing: hours never fall, and grow by a pause at most', async () => {
  const { memory, clock, store, path, learn } = await openTestMemory({
    settings: { session: { gapCapMinutes: CAP_MINUTES } },
  })
  const [a = '', b = ''] = await learn('The harbour opens at dawn', 'The lamp burns until dawn')
  const acts = [
    () => memory.remember({ content: 'The crane was painted' }),
    () => memory.dream(),
    () => memory.recall({ query: 'when does the harbour open?' }),
    () => memory.outcome({ helped: [a] }),
    () => memory.curate(),
    () => memory.connect({ source: a, target: b, relation: 'supports', ifExists: 'update' }),
    () => memory.edit({ blockId: b, content: 'The lamp burns all night' }),
    () => memory.forget({ blockId: b }),
    () => memory.restore({ blockId: b }),
    () => memory.beginSession(),
    () => memory.endSession(),
  ]
  const hoursNow = async () => (await store.read((tx) => tx.clock())).hours
  let hours = await hoursNow()
  for (const [i, act] of [...acts, ...acts].entries()) {
    clock.advance({ hours: i % 2 === 0 ? -YEAR : YEAR * 1.5 })
    await act()
    const now = await hoursNow()
    expect(now).toBeGreaterThanOrEqual(hours)
    // A curation begins, ends and is logged at the same wall time.
    expect(now).toBeLessThanOrEqual(hours + CAP_MINUTES / 60)
    hours = now
  }
  expect(hours).toBeLessThan((acts.length * 2 * CAP_MINUTES) / 60)
  const blocks = await store.read((tx) => tx.blocks([a, b]))
  expect(blocks.map(({ status }) => status)).toEqual(['active', 'active'])
  for (const { lastReinforcedAt, decayLambda } of blocks) {
    expect(lastReinforcedAt).toBeLessThanOrEqual(hours)
    expect(decayLambda).toBeLessThan(1)
  }
  const { blocks: found } = await memory.recall({ query: 'when does the harbour open?' })
  expect(found[0]?.id).toBe(a)
  expect(found.every(({ score }) => Number.isFinite(score))).toBe(true)
  expect(problemsBeside(path)).toEqual([])
})
