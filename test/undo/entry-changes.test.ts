import { expect, test } from 'vitest'
import type { Memory } from '../../src/engine/memory.ts'
import type { LoggedChange } from '../../src/operations/methods.generated.ts'
import { openTestMemory, refusal, type TestMemoryOptions } from '../helpers/memory.ts'

const [TEA, MILK, GATE] = ['Tea is at four.', 'Milk is in the fridge.', 'The gate is green.']

async function opened(memory: NonNullable<TestMemoryOptions['settings']>['memory'] = {}) {
  const test = await openTestMemory({
    settings: { memory: { autoDream: 'off', similarityEdgesPerBlock: 0, ...memory } },
  })
  const [tea, milk, gate] = (await test.learn(TEA, MILK, GATE)) as [string, string, string]
  return { ...test, tea, milk, gate }
}

/** What one operation changed, without what the named blocks say now. */
async function changesOf(memory: Memory, operationId: number | undefined, scope?: string) {
  const asked = { id: operationId!, changes: true, ...(scope === undefined ? {} : { scope }) }
  const [entry] = (await memory.history(asked)).operations
  return entry?.changes?.map(({ words: _words, ...change }: LoggedChange) => change)
}

test('history with changes tells the words and tags of an edit before and after', async () => {
  const { memory, tea } = await opened()
  await memory.edit({ blockId: tea, tags: ['house'] })
  const { operationId } = await memory.edit({
    blockId: tea,
    content: 'Tea is at five.',
    tags: ['house', 'habit'],
  })
  expect(await changesOf(memory, operationId)).toEqual([
    { block: tea, field: 'words', before: TEA, after: 'Tea is at five.' },
    { block: tea, field: 'tags', before: ['house'], after: ['habit', 'house'] },
  ])
})

test('history with changes tells a report as belief and evidence, and use as nothing', async () => {
  const { memory, tea } = await opened()
  const { operationId } = await memory.outcome({ helped: [tea] })
  expect(await changesOf(memory, operationId)).toEqual([
    { block: tea, field: 'evidence for', before: 0, after: 1 },
    { block: tea, field: 'belief', before: 0.5, after: 0.75 },
  ])
  const used = await memory.recordUse({ blockIds: [tea] })
  expect(await changesOf(memory, used.operationId)).toEqual([])
})

test('history with changes tells all of a dream, and with runs one entry for it', async () => {
  const { memory } = await opened()
  const said = Array.from({ length: 5 }, (_, at) => `Berth ${at} is free.`)
  await memory.rememberMany({ blocks: said.map((content) => ({ content })) })
  const { operationId, promotedIds } = await memory.dream()
  const changes = (await changesOf(memory, operationId)) ?? []
  const woken = changes.filter(({ field }) => field === 'status')
  expect(woken.map(({ block }) => block).sort()).toEqual([...promotedIds].sort())
  expect(woken.every(({ before, after }) => before === 'inbox' && after === 'active')).toBe(true)
  const { operations } = await memory.history({ runs: true, limit: 1 })
  expect(operations).toMatchObject([{ id: operationId, operation: 'dream', entries: 6 }])
  expect(operations[0]?.summary).toContain('5 promoted')
  const parts = await memory.history({ run: operations[0]!.run!, limit: 100 })
  expect(parts.operations).toHaveLength(6)
})

test('history with changes never tells erased words', async () => {
  const { memory, tea } = await opened()
  const edited = await memory.edit({ blockId: tea, content: 'Tea is at five.' })
  const back = await memory.undo({ operationId: edited.operationId! })
  const { blockId, operationId } = await memory.remember({ content: 'The word is zanzibar.' })
  await memory.edit({ blockId, content: 'The word is changed.' })
  await memory.erase({ query: 'zanzibar', yes: true })
  await memory.erase({ blockIds: [tea], yes: true })
  const { operations: all } = await memory.history({ limit: 100 })
  for (const { id } of all) {
    const told = JSON.stringify(await memory.history({ id, changes: true }))
    expect(told).not.toMatch(/zanzibar|Tea is at/)
  }
  expect(await changesOf(memory, edited.operationId)).toBeUndefined()
  expect(await changesOf(memory, back.operationId)).toBeUndefined()
  expect((await changesOf(memory, operationId)) ?? []).toEqual([])
})

test('history in a scope tells nothing of blocks of another', async () => {
  const { memory } = await opened()
  const here = await memory.remember({ content: 'The lamp burns oil.', scope: 'here' })
  const there = await memory.remember({ content: 'The oil is in the shed.', scope: 'there' })
  await memory.dream()
  await memory.connect({ source: here.blockId, target: there.blockId, relation: 'supports' })
  const { operationId } = await memory.forget({ blockId: here.blockId, scope: 'here' })
  const seen = await memory.history({ id: operationId!, changes: true, scope: 'here' })
  expect(seen.operations[0]?.changes).toContainEqual(
    expect.objectContaining({ block: here.blockId, field: 'status', after: 'archived' }),
  )
  expect(JSON.stringify(seen)).not.toContain(there.blockId)
  expect(JSON.stringify(await changesOf(memory, operationId))).toContain(there.blockId)
  const asked = { id: there.operationId!, changes: true }
  expect((await refusal(memory.history({ ...asked, scope: 'here' }))).code).toBe('NOT_FOUND')
})
