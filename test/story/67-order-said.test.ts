import { expect, test } from 'vitest'
import type { RememberInput } from '../../src/operations/methods.generated.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

/** Notes, a week apart, the candidates of a question of which the `helpful` one was reported to help, and their ids in order. */
async function asked(query: string, helpful: number, ...notes: readonly RememberInput[]) {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const ids: string[] = []
  for (const note of notes) {
    ids.push((await memory.remember({ session: `s${ids.length}`, ...note })).blockId)
    await memory.dream()
    clock.advance({ hours: 24 * 7 })
  }
  const proved = ids[helpful]
  for (let report = 0; proved !== undefined && report < 6; report++)
    await memory.outcome({ helped: [proved] })
  const { candidates = [] } = await memory.recall({ query, reinforce: false, explain: 'candidates' })
  const movedOf = (at: number) => candidates.find(({ id }) => id === ids[at])?.moved
  return { memory, ids, candidates, movedOf }
}

test('a newer version that has the place of an older one says so', async () => {
  const { ids, movedOf } = await asked(
    'When is standup?',
    0,
    { content: 'Standup is at 9:30' },
    { content: 'Standup is at 10:15' },
  )
  expect(movedOf(1)).toEqual({ why: 'version', before: ids[0] })
})

test('the newer word of one place that stands before an older one with a higher score says so', async () => {
  const { ids, candidates, movedOf } = await asked(
    'Who washes the pans?',
    0,
    { content: 'Tomas washes the pans' },
    { content: 'Leonie washes the pans' },
  )
  expect(candidates.map(({ id }) => id)).toEqual([ids[1], ids[0]])
  const [first, second] = candidates.map(({ score }) => score)
  expect(first).toBeLessThan(second ?? 0)
  expect(movedOf(1)).toEqual({ why: 'newer', before: ids[0] })
})

test('an entry before a higher score because its speaker is trusted more says so', async () => {
  const { ids, movedOf } = await asked(
    'Which node does the backup job run on?',
    1,
    { content: 'The backup job runs on node 4.', sourceClass: 'user' },
    { content: 'The backup job runs on node 7.', sourceClass: 'peer' },
  )
  expect(movedOf(0)).toEqual({ why: 'trusted', before: ids[1] })
})

test('where scores decide the order nothing says otherwise', async () => {
  const { candidates } = await asked(
    'where is the kettle?',
    -1,
    { content: 'The kettle is in the kitchen.' },
    { content: 'The office dog is called Biscuit.' },
  )
  expect(candidates.length).toBeGreaterThan(0)
  for (const { moved } of candidates) expect(moved).toBeUndefined()
})

test('why says in a terminal for which reason a block stands before a higher score', async () => {
  const { memory, ids } = await asked(
    'Who washes the pans?',
    0,
    { content: 'Tomas washes the pans' },
    { content: 'Leonie washes the pans' },
  )
  const { candidate, summary } = await memory.why({ query: 'Who washes the pans?', block: ids[1]! })
  expect(summary).toContain('It stands before higher scores: the newer word of the two')
  expect(candidate?.moved).toEqual({ why: 'newer', before: ids[0] })
})
