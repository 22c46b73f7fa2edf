import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'

test('an undo after a restore takes back the restore, and nothing older', async () => {
  const { memory, learn } = await openTestMemory()
  const [kettle] = await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const [teapot] = await learn('The blue teapot steams.')
  const { safety } = await memory.restoreBackup({ name })
  expect(await memory.undo({ dryRun: true })).toMatchObject({ undone: [{ operation: 'restore_backup' }] })
  expect(await memory.undo({})).toMatchObject({ restored: safety, undoneCount: 1 })
  const { blockIds } = await memory.recall({ query: 'blue teapot or red kettle' })
  expect(blockIds.toSorted()).toEqual([kettle, teapot].toSorted())
})

test('an undone restore can be done again by the number of its undo, and the next undo goes further back', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const { name } = await memory.backup()
  const { blockId: teapot } = await memory.remember({ content: 'The blue teapot steams.' })
  await memory.restoreBackup({ name })
  const { operationId } = await memory.undo({})
  await memory.undo({ operationId: operationId! })
  expect((await memory.ls({ status: 'inbox' })).blocks).toEqual([])
  await memory.undo({})
  expect((await memory.ls({ status: 'inbox' })).blocks).toMatchObject([{ id: teapot }])
  expect(await memory.undo({})).toMatchObject({ undone: [{ operation: 'remember' }] })
})

test('what was done after a restore is undone first, and a restore by its number is refused until then', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('The red kettle boils.')
  const { name } = await memory.backup()
  await learn('The blue teapot steams.')
  const { safety } = await memory.restoreBackup({ name })
  const [restored] = (await memory.history({ operation: 'restoreBackup' })).operations
  expect(restored).toMatchObject({ undoable: true })
  await memory.remember({ content: 'The grey pan sizzles.' })
  const refused = await refusal(memory.undo({ operationId: restored!.id }))
  expect(refused).toMatchObject({ code: 'CONFLICT' })
  expect(refused.recovery).toContain(safety)
  expect(await memory.undo({})).toMatchObject({ undone: [{ operation: 'remember' }] })
  expect(await memory.undo({})).toMatchObject({ undone: [{ operation: 'restore_backup' }] })
})

test('an undo after a restore whose safety backup is gone says so and names the older operation', async () => {
  const { memory, path } = await openTestMemory()
  await memory.remember({ content: 'The red kettle boils.' })
  const { name } = await memory.backup()
  const { safety } = await memory.restoreBackup({ name })
  rmSync(join(`${path}.backups`, safety))
  const refused = await refusal(memory.undo({}))
  expect(refused).toMatchObject({ code: 'WRONG_STATUS' })
  expect(refused.message).toContain(safety)
  const [, older] = /undo\(\{ operationId: (\d+) \}\)/.exec(refused.recovery) ?? []
  expect(await memory.undo({ operationId: Number(older) })).toMatchObject({
    undone: [{ operation: 'remember' }],
  })
})

test('an agent takes back its own act after a restore of the owner, and never the restore', async () => {
  const { memory, path } = await openTestMemory()
  await memory.remember({ content: 'The red kettle boils.' })
  const { name } = await memory.backup()
  await memory.restoreBackup({ name })
  const agent = await openTestMemory({ path, actor: 'mcp:client' })
  const [restored] = (await memory.history({ operation: 'restoreBackup' })).operations
  expect(await refusal(agent.memory.undo({ operationId: restored!.id }))).toMatchObject({
    code: 'OWNER_ONLY',
  })
  expect(await refusal(agent.memory.undo({}))).toMatchObject({ code: 'NOT_FOUND' })
})

test('an undo after an import, which keeps nothing of before, undoes nothing older in its place', async () => {
  const other = await openTestMemory()
  await other.memory.remember({ content: 'The blue teapot steams.' })
  const path = join(temporaryFolder(), 'other.jsonl')
  await other.memory.export({ path })
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The red kettle boils.' })
  await memory.import({ path })
  const refused = await refusal(memory.undo({}))
  expect(refused).toMatchObject({ code: 'WRONG_STATUS' })
  expect(refused.recovery).toContain('(remember)')
  expect((await memory.ls({ status: 'inbox' })).blocks).toHaveLength(2)
})

test('an undo passes over an import that took nothing in', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The red kettle boils.' })
  const { path } = await memory.export()
  await memory.import({ path })
  expect(await memory.undo({})).toMatchObject({ undone: [{ operation: 'remember' }] })
})
