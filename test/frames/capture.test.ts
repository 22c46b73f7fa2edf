import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import { Capture } from '../../src/frames/index.ts'
import { openTestMemory } from '../helpers/memory.ts'

async function heldIn(memory: Memory) {
  const [inbox, active] = await Promise.all([memory.ls({ status: 'inbox' }), memory.ls({})])
  return [...inbox.blocks, ...active.blocks]
}

test('taken keeps what is said for good word for word, says so in one line, and one undo takes it back', async () => {
  const { memory } = await openTestMemory()
  const { ids, line } = await new Capture(memory).taken('s', 'Fix it.\nNever push to main. I prefer tea.')
  expect(await heldIn(memory)).toMatchObject([
    { content: 'I prefer tea.', category: 'preference', sourceClass: 'user', session: 's' },
    { content: 'Never push to main.', category: 'instruction', sourceClass: 'user', session: 's' },
  ])
  expect(ids).toHaveLength(2)
  for (const id of ids) expect(line).toContain(id.slice(0, 8))
  expect(line).not.toContain('\n')
  await memory.undo(JSON.parse(`{"operationId":${/operationId: (\d+)/.exec(line)?.[1]}}`))
  expect(await heldIn(memory)).toEqual([])
})

test('taken keeps nothing of other messages, and the same words once', async () => {
  const { memory } = await openTestMemory()
  const capture = new Capture(memory)
  expect(await capture.taken('s', 'Does it always fail?')).toEqual({ ids: [], line: '' })
  expect((await capture.taken('s', 'Never push to main.')).ids).toHaveLength(1)
  expect(await capture.taken('s', 'Never push to main.')).toEqual({ ids: [], line: '' })
  expect(await new Capture(memory).taken('t', 'Never push to main.')).toEqual({ ids: [], line: '' })
  expect(await heldIn(memory)).toHaveLength(1)
})

test('taken tells of words as they are stored, without the secret, and once of a block that was known', async () => {
  const { memory } = await openTestMemory()
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const { line } = await new Capture(memory).taken('s', `Always use the key ${secret}.`)
  const [stored] = await heldIn(memory)
  expect(line).not.toContain(secret)
  expect(line).toContain(stored?.content)

  const { blockId } = await memory.remember({ content: 'Never push to main.' })
  const capture = new Capture(memory)
  const known = await capture.taken('s', 'Never push to main.')
  expect(known.ids).toEqual([blockId])
  expect(known.line).toContain('Never push to main.')
  expect(await capture.taken('s', 'Never push to main.')).toEqual({ ids: [], line: '' })
  await memory.undo(JSON.parse(`{"operationId":${/operationId: (\d+)/.exec(known.line)?.[1]}}`))
  expect((await memory.ls({ tag: 'captured', status: 'inbox' })).blocks).toHaveLength(1)
})

test('taken keeps five of a session at most, also after a restart and a dream', async () => {
  const { memory } = await openTestMemory()
  const said = (from: number) =>
    ['one', 'two', 'three', 'four'].map((each) => `Never touch file ${from} ${each}.`).join('\n')
  expect((await new Capture(memory).taken('s', said(1))).ids).toHaveLength(4)
  await memory.dream()
  expect((await new Capture(memory).taken('s', said(2))).ids).toHaveLength(1)
  expect((await new Capture(memory).taken('s', said(3))).ids).toEqual([])
  expect((await new Capture(memory).taken('t', said(3))).ids).toHaveLength(4)
})

describe('taken keeps nothing and does not fail', () => {
  test.each([
    ['with the setting off', { settings: { capture: { instructions: false } } }, {}],
    ['with the option off', {}, { isOn: false }],
    ['in a memory that only reads', { as: 'reader' as const }, {}],
    ['in a memory that refuses secrets', { settings: { memory: { secrets: 'refuse' as const } } }, {}],
  ])('%s', async (_when, opened, options) => {
    const { memory } = await openTestMemory(opened)
    const text = 'Always use the key ghp_0123456789abcdefghijABCDEFGHIJ012345.'
    expect(await new Capture(memory, options).taken('s', text)).toEqual({ ids: [], line: '' })
    expect(await heldIn(memory)).toEqual([])
  })

  test('after the memory was closed', async () => {
    const { memory } = await openTestMemory()
    await memory.close()
    expect(await new Capture(memory).taken('s', 'Never push to main.')).toEqual({ ids: [], line: '' })
  })
})

test('taken keeps a block in its scope, and an agent and a stranger speak as no owner', async () => {
  const { memory, store } = await openTestMemory({ as: 'agent' })
  await new Capture(memory, { scope: 'a' }).taken('s', 'Never push to main.')
  await new Capture(memory, { sourceClass: 'document' }).taken('s', 'Always use tabs.')
  expect(await heldIn(memory)).toMatchObject([
    { content: 'Always use tabs.', sourceClass: 'document' },
    { content: 'Never push to main.', sourceClass: 'agent', scope: 'a' },
  ])
  const other = await openTestMemory({ store })
  expect((await other.memory.recall({ query: 'push to main', scope: 'b' })).blocks).toEqual([])
})
