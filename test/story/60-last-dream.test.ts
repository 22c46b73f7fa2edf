import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

test('status says what the last dream came to, and history says it beside its entry', async () => {
  const { memory, clock } = await openTestMemory({ actor: 'nightly' })
  expect((await memory.status()).lastDream).toBeUndefined()
  await memory.remember({ content: 'The harbour closes at nine.' })
  await memory.dream()
  clock.advance({ hours: 1 })
  for (const content of statements(3)) await memory.remember({ content })
  await memory.remember({ content: 'The harbour closes at nine!', sourceClass: 'user' })
  const dreamt = await memory.dream()
  const { lastDream } = await memory.status()
  expect(lastDream).toMatchObject({
    ...{ actor: 'library:nightly as owner', promoted: dreamt.promoted, joined: dreamt.deduplicated },
    ...{ linked: dreamt.edgesCreated, flagged: dreamt.nearDuplicatesFlagged, refused: 0, pending: 0 },
    ...{ archived: 0, at: '2026-03-02T10:00:00.000Z' },
  })
  expect(lastDream?.promoted).toBeGreaterThan(2)
  const { operations } = await memory.history({ operation: 'dream' })
  const { operationId: _, run, at: __, actor: ___, archived: ____, ...record } = lastDream!
  expect(operations.at(-1)).toMatchObject({ id: lastDream?.operationId, run, dream: record })
  expect(operations[0]?.dream?.promoted).toBe(1)
  await memory.recall({ query: 'harbour' })
  expect((await memory.history({ limit: 1 })).operations[0]?.dream).toBeUndefined()
})

test('what a dream was told is unrelated, and what its curation archived, are part of it', async () => {
  const settings = { memory: { curateIntervalHours: 1, archiveRecency: 0.99 } }
  const { memory, clock, learn } = await openTestMemory({ settings })
  const [a, b] = await learn('Tea is made in the red kettle.', 'Tea is made in the red kettle of Ana.')
  clock.advance({ hours: 4_000 })
  await memory.remember({ content: 'Ana went to the harbour.' })
  await memory.dream({ edgeLabels: [{ a: a!, b: b!, relation: 'unrelated', confidence: 1 }] })
  const { lastDream } = await memory.status()
  expect(lastDream).toMatchObject({ promoted: 1, refused: 1, archived: 2 })
  await memory.curate()
  expect((await memory.status()).lastDream?.archived).toBe(2)
})
