import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const OLD = 'Releases go out on Tuesdays.'
const NEW = 'From now on we ship on Thursdays.'
const ASK = { query: 'releases on Tuesdays, ship on Thursdays', minStrength: 0 }

/** Opens a memory in which one block supersedes another, and dreams. */
async function superseded() {
  const opened = await openTestMemory()
  const { memory, learn, clock } = opened
  const [old = ''] = await learn(OLD)
  clock.advance({ minutes: 5 })
  const { blockId: fresh, ...told } = await memory.remember({ content: NEW, supersedes: old.slice(0, 6) })
  const before = await memory.recall(ASK)
  const dreamt = await memory.dream()
  return { ...opened, old, fresh, told, before, dreamt }
}

test('recall shows a block in place of the one it supersedes, and dream notes the pair', async () => {
  const { memory, old, fresh, told, before, dreamt } = await superseded()
  expect(told).toMatchObject({ status: 'created', supersedes: old })
  expect(before.blocks.map(({ id }) => id)).toEqual([fresh])
  expect(dreamt.conflicts).toMatchObject([{ kind: 'supersession', foundBy: 'hint' }])
  expect((await memory.recall(ASK)).blocks.map(({ id }) => id)).toEqual([fresh])
  const pair = { kind: 'supersession', foundBy: 'hint' }
  expect((await memory.show({ blockId: old })).openPairs).toMatchObject([{ other: fresh, ...pair }])
  expect((await memory.show({ blockId: old })).block.status).toBe('active')
})

test.each(['remember', 'rememberMany'] as const)('%s supersedes a block that still waits', async (way) => {
  const { memory, clock } = await openTestMemory()
  const { blockId: old } = await memory.remember({ content: OLD })
  clock.advance({ minutes: 5 })
  const given = { content: NEW, supersedes: old }
  if (way === 'remember') await memory.remember(given)
  else expect((await memory.rememberMany({ blocks: [given] })).results).toMatchObject([{ supersedes: old }])
  expect((await memory.dream()).conflicts).toMatchObject([{ kind: 'supersession', foundBy: 'hint' }])
})

test('remember refuses to supersede an archived, an unknown and the same block, and one of another scope', async () => {
  const { memory, learn } = await openTestMemory()
  const [old = '', gone = ''] = await learn(OLD, 'Tea is at four.')
  await memory.forget({ blockId: gone })
  const { blockId: atlas } = await memory.remember({ content: 'Maps are rolled.', scope: 'atlas' })
  const refused: readonly (readonly [string, string, string])[] = [
    [NEW, gone, 'WRONG_STATUS'],
    [NEW, 'ffffffff', 'NOT_FOUND'],
    [OLD, old, 'INVALID_INPUT'],
    [NEW, atlas, 'INVALID_INPUT'],
  ]
  for (const [content, supersedes, code] of refused)
    for (const call of [
      () => memory.remember({ content, supersedes }),
      () => memory.rememberMany({ blocks: [{ content, supersedes }] }),
    ])
      expect((await refusal(call())).code).toBe(code)
  expect((await memory.status()).inboxCount).toBe(1)
})

test('remember of a block dated before the one it supersedes ends nothing until resolve', async () => {
  const { memory, learn } = await openTestMemory()
  const [old = ''] = await learn(OLD)
  const told = await memory.remember({ content: NEW, supersedes: old, at: '2024-05-01' })
  expect(told).toMatchObject({ supersedes: old })
  await memory.dream()
  expect((await memory.recall(ASK)).blockIds).toEqual([old])
  expect((await memory.show({ blockId: old })).block.validUntil).toBeUndefined()
})

const [BEFORE, SINCE] = ['Staging listens on port 4210', 'Staging listens on port 4300']

/** Opens a memory in which one fact took the place of another. */
async function moved() {
  const opened = await openTestMemory()
  const { memory, learn, clock } = opened
  const { blockId: before } = await memory.remember({ content: BEFORE, tags: ['atlas'], cue: 'at a deploy' })
  clock.advance({ hours: 1 })
  const { blockId: since } = await memory.remember({ content: SINCE, supersedes: before })
  await learn()
  clock.advance({ hours: 1 })
  return { ...opened, before, since }
}

test.each([false, true])(
  'remember of an old value puts its block over the new one, with its tags and cue; supersedes named: %s',
  async (isNamed) => {
    const { memory, before, since } = await moved()
    const told = await memory.remember({ content: BEFORE, ...(isNamed && { supersedes: since }) })
    expect(told).toMatchObject({ status: 'duplicate', blockId: before, supersedes: since })
    const { blockIds } = await memory.recall({ query: 'Where does staging listen?', minStrength: 0 })
    expect(blockIds).toEqual([before])
    const { block } = await memory.show({ blockId: before })
    expect(block).toMatchObject({ tags: ['atlas'], cue: 'at a deploy' })
  },
)
