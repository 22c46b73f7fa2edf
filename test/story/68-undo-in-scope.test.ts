import { expect, test } from 'vitest'
import { refusal } from '../helpers/memory.ts'
import { openOn, openStore } from '../helpers/scoped.ts'

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

test('a scope does not offer to take back what a dream did together with other scopes', async () => {
  const { attic, kettle, promoted } = await dreamt()
  expect(promoted).toMatchObject({ operation: 'promote', undoable: false, shared: true })
  const { history } = await attic.show({ blockId: kettle })
  expect(history.find(({ id }) => id === promoted.id)).toMatchObject({ undoable: false })
})

test('its refusal has the command that takes it back in the whole memory, and that works', async () => {
  const { whole, attic, kettle, promoted } = await dreamt()
  const error = await refusal(attic.undo({ operationId: promoted.id, dryRun: true }))
  expect(error).toMatchObject({
    code: 'WRONG_STATUS',
    message: expect.stringContaining('together with what is of other scopes'),
    recovery: expect.stringContaining(`elfmem undo ${promoted.id} --db :memory:.`),
  })
  await whole.undo({ operationId: promoted.id })
  expect((await attic.show({ blockId: kettle })).block.status).toBe('inbox')
})

test('what a shared dream stands in the way of is taken back once that dream is, or the block is forgotten', async () => {
  const { whole, attic, kettle, took, promoted } = await dreamt()
  const error = await refusal(attic.undo({ operationId: took.id }))
  expect(error).toMatchObject({ code: 'CONFLICT' })
  expect(error.recovery).toContain(`elfmem undo ${promoted.id} --db`)
  expect(error.recovery).toContain('forget()')
  await whole.undo({ operationId: promoted.id })
  await attic.undo({ operationId: took.id })
  expect(await refusal(attic.show({ blockId: kettle }))).toMatchObject({ code: 'NOT_FOUND' })
})

test('an undo in a scope without a number passes over what was shared', async () => {
  const { attic } = await dreamt()
  await attic.remember({ content: 'The lamp burns oil.' })
  await attic.dream()
  const { undone } = await attic.undo({})
  expect(undone.map(({ operation }) => operation)).toContain('promote')
  expect((await attic.undo({})).undone.map(({ operation }) => operation)).toEqual(['remember'])
  const error = await refusal(attic.undo({}))
  expect(error).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('Operation 1 (remember)'),
  })
})
