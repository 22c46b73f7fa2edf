import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const OLD = 'Releases go out on Tuesdays.'
const NEW = 'From now on we ship on Thursdays.'

/** A memory in which one block is to take the place of another, dreamt. */
async function superseded() {
  const opened = await openTestMemory()
  const { memory, learn, clock } = opened
  const [old = ''] = await learn(OLD)
  clock.advance({ minutes: 5 })
  const { blockId: fresh, ...told } = await memory.remember({ content: NEW, supersedes: old.slice(0, 6) })
  const before = await memory.recall({ query: 'releases on Tuesdays, ship on Thursdays', minStrength: 0 })
  const dreamt = await memory.dream()
  return { ...opened, old, fresh, told, before, dreamt }
}

test('a block that is to take the place of another is shown instead of it, and a dream notes the pair', async () => {
  const { memory, old, fresh, told, before, dreamt } = await superseded()
  expect(told).toMatchObject({ status: 'created', supersedes: old })
  expect(told.summary).toContain('resolve')
  expect(before.blocks.map(({ id }) => id)).toEqual([fresh])
  expect(dreamt.conflicts).toMatchObject([{ kind: 'supersession', foundBy: 'hint' }])
  const { blocks } = await memory.recall({ query: 'releases on Tuesdays, ship on Thursdays', minStrength: 0 })
  expect(blocks.map(({ id }) => id)).toEqual([fresh])
})

test('show names what is to be superseded, by which kind of pair and who found it', async () => {
  const { memory, old, fresh } = await superseded()
  expect((await memory.show({ blockId: old })).openPairs).toMatchObject([
    { other: fresh, kind: 'supersession', foundBy: 'hint' },
  ])
  expect((await memory.show({ blockId: fresh })).block.supersedes).toBe(old)
})

test('only resolve archives the superseded block, and restore brings it back', async () => {
  const { memory, old, fresh } = await superseded()
  expect((await memory.show({ blockId: old })).block.status).toBe('active')
  const { archived } = await memory.resolve({ a: old, b: fresh, keep: 'b' })
  expect(archived).toBe(old)
  expect((await memory.show({ blockId: old })).block).toMatchObject({
    status: 'archived',
    archiveReason: 'superseded',
    supersededBy: fresh,
  })
  expect((await memory.restore({ blockId: old })).status).toBe('active')
})

test('keeping both of a superseding pair lets recall show both again', async () => {
  const { memory, old, fresh } = await superseded()
  await memory.resolve({ a: old, b: fresh, keep: 'both' })
  const { blocks } = await memory.recall({ query: 'releases on Tuesdays, ship on Thursdays', minStrength: 0 })
  expect(new Set(blocks.map(({ id }) => id))).toEqual(new Set([old, fresh]))
})

test.each(['remember', 'rememberMany'] as const)(
  'by %s a block may take the place of one that still waits, within one dream',
  async (way) => {
    const { memory, clock } = await openTestMemory()
    const { blockId: old } = await memory.remember({ content: OLD })
    clock.advance({ minutes: 5 })
    const given = { content: NEW, supersedes: old }
    if (way === 'remember') await memory.remember(given)
    else expect((await memory.rememberMany({ blocks: [given] })).results).toMatchObject([{ supersedes: old }])
    expect((await memory.dream()).conflicts).toMatchObject([{ kind: 'supersession', foundBy: 'hint' }])
  },
)

test('a text that is there already takes nobody else its place, and the answer says so', async () => {
  const { memory, learn } = await openTestMemory()
  const [old = '', twin = ''] = await learn(OLD, NEW)
  const told = await memory.remember({ content: NEW, supersedes: old })
  expect(told).toMatchObject({ status: 'duplicate', blockId: twin })
  expect(told).not.toHaveProperty('supersedes')
  expect(told.summary).toContain('not noted')
  const many = await memory.rememberMany({ blocks: [{ content: NEW, supersedes: old }] })
  expect(many.results[0]).not.toHaveProperty('supersedes')
  expect(many.summary).toContain('1 block cannot take the place')
})

test('saying twice what a block supersedes is saying it once', async () => {
  const { memory, old, fresh } = await superseded()
  expect(await memory.remember({ content: NEW, supersedes: old })).toMatchObject({
    status: 'duplicate',
    blockId: fresh,
    supersedes: old,
  })
})

test('a block that is archived, unknown or the same is not superseded, and nothing is remembered', async () => {
  const { memory, learn } = await openTestMemory()
  const [old = '', gone = ''] = await learn(OLD, 'Tea is at four.')
  await memory.forget({ blockId: gone })
  const refused: readonly (readonly [string, string, string])[] = [
    [NEW, gone, 'WRONG_STATUS'],
    [NEW, 'ffffffff', 'NOT_FOUND'],
    [OLD, old, 'INVALID_INPUT'],
  ]
  for (const [content, supersedes, code] of refused)
    for (const call of [
      memory.remember({ content, supersedes }),
      memory.rememberMany({ blocks: [{ content, supersedes }] }),
    ]) {
      const answer = await refusal(call)
      expect([answer.code, answer.recovery]).toEqual([code, expect.stringMatching(/.+/)])
    }
  expect((await memory.status()).inboxCount).toBe(0)
})

test('a block of the whole store does not take the place of one of a scope', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: OLD, scope: 'atlas' })
  const answer = await refusal(memory.remember({ content: NEW, supersedes: blockId }))
  expect(answer.code).toBe('INVALID_INPUT')
  expect(answer.recovery).toContain("'atlas'")
  expect((await memory.remember({ content: NEW, supersedes: blockId, scope: 'atlas' })).supersedes).toBe(
    blockId,
  )
})

test('a block that is dated before the one it is to replace says that recall shows the other until resolve', async () => {
  const { memory, learn } = await openTestMemory()
  const [old = ''] = await learn(OLD)
  const told = await memory.remember({ content: NEW, supersedes: old, at: '2024-05-01' })
  expect(told).toMatchObject({ supersedes: old, datedBefore: true })
  expect(told.summary).toContain('recall shows it until then')
  await memory.dream()
  const { blocks } = await memory.recall({ query: 'releases on Tuesdays, ship on Thursdays', minStrength: 0 })
  expect(blocks.map(({ id }) => id)).toEqual([old])
  const [many] = (await memory.rememberMany({ blocks: [{ content: 'We ship daily.', supersedes: old }] }))
    .results
  expect(many).toMatchObject({ supersedes: old })
})
