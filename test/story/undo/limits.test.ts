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

test('undo by an agent never takes back a restore of the owner', async () => {
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

test('undo after an import is refused and names the older operation', async () => {
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

test('undo in a scope refuses a dream shared with other scopes and what it stands in the way of', async () => {
  const { whole, attic, kettle, took, promoted } = await dreamt()
  const shared = await refusal(attic.undo({ operationId: promoted.id }))
  expect(shared).toMatchObject({
    code: 'WRONG_STATUS',
    recovery: expect.stringContaining(`elfmem undo ${promoted.id} --db`),
  })
  expect((await refusal(attic.undo({ operationId: took.id }))).code).toBe('CONFLICT')
  await whole.undo({ operationId: promoted.id })
  expect((await attic.show({ blockId: kettle })).block.status).toBe('inbox')
  await attic.undo({ operationId: took.id })
  expect(await refusal(attic.show({ blockId: kettle }))).toMatchObject({ code: 'NOT_FOUND' })
})
