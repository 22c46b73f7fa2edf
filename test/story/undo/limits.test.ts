import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'
import { openOn, openStore } from '../../helpers/scoped.ts'

/** A memory with a block in each of two scopes that one dream took in, and a view of one of them. */
async function dreamt() {
  const store = await openStore()
  const whole = await openOn(store, { settings: { memory: { autoDream: 'off' } } })
  const { blockId: kettle } = await whole.remember({ content: 'The kettle is blue.', scope: 'attic' })
  await whole.remember({ content: 'The barn door squeaks.', scope: 'barn' })
  await whole.dream()
  const attic = await openOn(store, { scope: 'attic' })
  const { operations } = await attic.history()
  const [took, promoted] = operations
  return { whole, attic, kettle, took: took!, promoted: promoted! }
}

test('undo after a restore is refused with the backup that brings back what was before', async () => {
  const { memory, path } = await openTestMemory()
  await memory.remember({ content: 'The red kettle boils.' })
  const { name } = await memory.backup()
  const { safety } = await memory.restoreBackup({ name })
  const [restored] = (await memory.history({ operation: 'restoreBackup' })).operations
  expect(restored).toMatchObject({ undoable: false })
  for (const input of [{}, { operationId: restored!.id }])
    expect(await refusal(memory.undo(input))).toMatchObject({
      code: 'WRONG_STATUS',
      recovery: expect.stringContaining(safety),
    })
  const agent = await openTestMemory({ path, actor: 'mcp:client' })
  expect(await refusal(agent.memory.undo({}))).toMatchObject({ code: 'NOT_FOUND' })
})

test('undo after an import or an erasing is refused and takes nothing older back', async () => {
  const other = await openTestMemory()
  await other.memory.remember({ content: 'The blue teapot steams.' })
  const path = join(temporaryFolder(), 'other.jsonl')
  await other.memory.export({ path })
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'The red kettle boils.' })
  await memory.import({ path })
  expect(await refusal(memory.undo({}))).toMatchObject({ code: 'WRONG_STATUS' })
  expect((await memory.ls({ status: 'inbox' })).blocks).toHaveLength(2)
  await memory.erase({ blockIds: [blockId], yes: true })
  expect(await refusal(memory.undo({}))).toMatchObject({ code: 'WRONG_STATUS' })
  expect((await memory.ls({ status: 'inbox' })).blocks).toHaveLength(1)
})

test('undo is refused where a block would have more edges than it may, and changes nothing', async () => {
  const opened = await openTestMemory({
    settings: { memory: { edgeDegreeCap: 1, similarityEdgesPerBlock: 0 } },
  })
  const { memory } = opened
  const [kettle = '', teapot = '', stove = ''] = await opened.learn(
    'Kettles boil.',
    'Roses bloom.',
    'Ships sail.',
  )
  await memory.connect({ source: kettle, target: teapot })
  const { operationId } = await memory.disconnect({ source: kettle, target: teapot })
  const later = await memory.connect({ source: kettle, target: stove })
  expect(await refusal(memory.undo({ operationId: operationId! }))).toMatchObject({
    code: 'CONFLICT',
    recovery: expect.stringContaining(`undo({ operationId: ${later.operationId} })`),
  })
  expect((await memory.show({ blockId: kettle })).edges.map(({ other }) => other)).toEqual([stove])
})

test('undo in a scope refuses a dream shared with other scopes and what it stands in the way of', async () => {
  const { whole, attic, kettle, took, promoted } = await dreamt()
  const shared = await refusal(attic.undo({ operationId: promoted.id }))
  expect(shared.code).toBe('WRONG_STATUS')
  expect((await refusal(attic.undo({ operationId: took.id }))).code).toBe('CONFLICT')
  await whole.undo({ operationId: promoted.id })
  expect((await attic.show({ blockId: kettle })).block.status).toBe('inbox')
  await attic.undo({ operationId: took.id })
  expect(await refusal(attic.show({ blockId: kettle }))).toMatchObject({ code: 'NOT_FOUND' })
})
