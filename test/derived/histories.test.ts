import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { act, acts, openSide, type Side } from '../undo/side.ts'
import { expectDerived } from './expected.ts'

type Step = (side: Side) => Promise<unknown>

/** Steps that write rows in other ways than an agent does. A refused step changes nothing. */
const STEPS: readonly Step[] = [
  async function edgesWithinScope({ store }) {
    const options = { as: 'owner', scope: 'team', embedder: createPlacedEmbedder() } as const
    const team = await openMemory(store.location, options)
    const blocks = ['rose @1 of the team', 'port @21 of the team'].map((content) => ({ content }))
    const [source = '', target = ''] = (await team.rememberMany({ blocks })).results.map(
      ({ blockId }) => blockId,
    )
    await team.dream()
    await team.connect({ source, target, weight: 0.5 }).finally(() => team.close())
  },
  async function recallsUntilSomeAreListed({ memory }) {
    for (let i = 0; i < 33; i += 1) await memory.recall({ query: `tea @${i}`, topK: 3 })
    await memory.dream()
  },
  ({ memory }) => memory.undo({}),
  ({ memory, ids }) => memory.erase({ blockIds: [...ids].slice(0, 1), yes: true }),
  async function backupAndRestore({ memory }) {
    const { name } = await memory.backup()
    await memory.remember({ content: `A sentence of after the backup`, tags: ['after'] })
    await memory.restoreBackup({ name })
  },
  async function importIntoNewMemory({ memory }) {
    const [told, path] = [join(temporaryFolder(), 'told.jsonl'), join(temporaryFolder(), 'other.db')]
    await memory.export({ path: told })
    const other = await openMemory(path, { as: 'owner', embedder: createPlacedEmbedder() })
    await other.remember({ content: 'rose @50 of the other harbour', tags: ['other'] })
    await other.import({ path: told, trusted: true })
    await other.close()
    expectDerived(path)
  },
  ({ memory }) => memory.curate(),
  ({ memory }) => memory.doctor({ fix: true }),
]

test('undo, erase, restore, import and trim of random histories keep what follows from the rows', async () => {
  const rows: Record<string, number> = {}
  for (const { settings, contents, acts: all } of fc.sample(acts, { numRuns: 5, seed: 1 })) {
    const side = await openSide({ ...settings, memory: { keepOperations: 100 } })
    for (const one of [{ do: 'learn', contents } as const, ...all]) await act(side, one)
    for (const step of STEPS) {
      side.clock.advance({ minutes: 1 })
      await step(side).catch((error: Error) => expect(error).toHaveProperty('code'))
      for (const [table, total] of Object.entries(expectDerived(side.store.location)))
        rows[table] = Math.max(rows[table] ?? 0, total)
    }
    await side.memory.close()
    await side.store.close()
  }
  expect(Object.values(rows).every((total) => total > 0)).toBe(true)
})
