import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

test('edit makes a block found by its new words and cue and no longer by the old words', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.', 'The orchestra rehearses on Mondays.')
  const content = 'Breakfast comes with marmalade.'
  const result = await memory.edit({ blockId: id.slice(0, 8), content, cue: 'zanzibar' })
  expect(result).toMatchObject({ blockId: id, changed: ['content', 'cue'] })
  for (const query of ['marmalade', 'zanzibar'])
    expect((await memory.recall({ query })).blocks[0]).toMatchObject({ id, content })
  const lost = await memory.recall({ query: 'supper', minStrength: 0.2 })
  expect(lost.blockIds).not.toContain(id)
})

test('edit keeps evidence and edges of a block, and history keeps its old words', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { similarityEdgesPerBlock: 0 } } })
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.outcome({ helped: [a, b] })
  const given = { content: 'Something else.', category: 'decision', tags: ['New'], cue: 'later' } as const
  await memory.edit({ blockId: a, ...given })
  const { block, edgesTotal } = await memory.show({ blockId: a })
  expect(block).toMatchObject({ successes: 1, category: 'decision', tags: ['new'], cue: 'later' })
  expect(edgesTotal).toBe(1)
  const { operations } = await memory.history({ blockId: a, operation: 'edit' })
  expect(operations[0]?.before).toEqual({ content: statements(1)[0], tags: [], category: 'knowledge' })
})

test('edit refuses no change, empty words and an archived block, and changes nothing for the same words', async () => {
  const { memory, learn } = await openTestMemory()
  const [id = ''] = await learn('Supper is at seven.')
  expect((await refusal(memory.edit({ blockId: id }))).code).toBe('INVALID_INPUT')
  expect((await refusal(memory.edit({ blockId: id, content: ' ' }))).code).toBe('INVALID_INPUT')
  expect((await memory.edit({ blockId: id, content: 'Supper is at seven.' })).changed).toEqual([])
  await memory.forget({ blockId: id })
  expect((await refusal(memory.edit({ blockId: id, content: 'x' }))).code).toBe('WRONG_STATUS')
})

test('edit of a principle needs allowConstitutional, and no edit makes a principle', async () => {
  const { memory, learn } = await openTestMemory()
  const [plain = ''] = await learn('Supper is at seven.')
  const { blockIds } = await memory.setup({ principles: ['Never delete data.'] })
  const blockId = blockIds[0] as string
  await memory.dream()
  const made = { blockId: plain, tags: ['self/constitutional'], allowConstitutional: true }
  for (const edit of [{ blockId, content: 'Delete.' }, { blockId, tags: [] }, made])
    expect((await refusal(memory.edit(edit))).code).toBe('PROTECTED')
  await memory.edit({ blockId, content: 'Never delete data unasked.', allowConstitutional: true })
  const { operations } = await memory.history({ blockId, operation: 'edit' })
  expect(operations.map(({ before }) => before)).toEqual([{ content: 'Never delete data.' }])
})
