import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { createPlacedEmbedder } from '../helpers/placed-embedder.ts'
import { act, acts, openSide, type Side } from '../undo/side.ts'
import { expectDerived } from './expected.ts'

type Step = (side: Side, at: number) => Promise<unknown>

/** Steps that write rows in other ways than an agent does; what one refuses changes nothing. */
const STEPS: Readonly<Record<string, Step>> = {
  undo: ({ memory }) => memory.undo({}),
  'erase of words': ({ memory }) => memory.erase({ query: 'tea', yes: true }),
  'erase of a block': ({ memory, ids }, at) =>
    memory.erase({ blockIds: [[...ids][at % ids.size] ?? 'nobody'], yes: true }),
  'backup and restore': async ({ memory }) => {
    const { name } = await memory.backup()
    await memory.remember({ content: `A sentence of after the backup`, tags: ['after'] })
    await memory.restoreBackup({ name })
  },
  'import into a new memory and back': async ({ memory }, at) => {
    const [told, path] = [join(temporaryFolder(), 'told.jsonl'), join(temporaryFolder(), 'other.db')]
    await memory.export({ path: told })
    const other = await openMemory(path, { as: 'owner', embedder: createPlacedEmbedder() })
    if (at % 2 === 0) await other.remember({ content: 'rose @50 of the other harbour', tags: ['other'] })
    await other.import({ path: told, trusted: true })
    await other.undo({}).catch(() => undefined)
    await other.export({ path: `${told}.back` })
    await other.close()
    expectDerived(path)
    await memory.import({ path: `${told}.back`, trusted: true })
  },
  'recalls until some are listed': async ({ memory }) => {
    for (let i = 0; i < 33; i += 1) await memory.recall({ query: `tea @${i}`, topK: 3 })
    await memory.dream()
  },
  'edges within a scope': async ({ store }, at) => {
    const options = { as: 'owner', scope: 'team', embedder: createPlacedEmbedder() } as const
    const team = await openMemory(store.location, options)
    const contents = [`rose @${at} of the team`, `port @${at + 20} of the team`]
    const { results } = await team.rememberMany({ blocks: contents.map((content) => ({ content })) })
    const [source = '', target = ''] = results.map(({ blockId }) => blockId)
    await team.dream()
    await team.connect({ source, target, weight: 0.5 }).finally(() => team.close())
  },
  'trim of the log': ({ memory }) => memory.curate(),
  'doctor with fix': ({ memory }) => memory.doctor({ fix: true }),
}

const steps = fc.shuffledSubarray(Object.keys(STEPS), { minLength: 4, maxLength: 6 })

/** Checks the derived tables after each step of random histories; returns the steps that were not refused, and the rows seen. */
async function checkHistories(numRuns: number): Promise<{ done: Set<string>; rows: Record<string, number> }> {
  const [done, rows] = [new Set<string>(), {} as Record<string, number>]
  await fc.assert(
    fc.asyncProperty(acts, steps, fc.nat(9), async ({ settings, contents, acts: all }, wanted, at) => {
      const side = await openSide({ ...settings, memory: { keepOperations: 100 } })
      const check = () => {
        for (const [table, total] of Object.entries(expectDerived(side.store.location)))
          rows[table] = Math.max(rows[table] ?? 0, total)
      }
      for (const one of [{ do: 'learn', contents } as const, ...all]) await act(side, one)
      check()
      for (const name of wanted) {
        side.clock.advance({ minutes: 1 })
        const refused = await STEPS[name]?.(side, at).then(() => done.add(name), Object)
        expect(done.has(name) || 'code' in Object(refused)).toBe(true)
        check()
      }
      await side.memory.close()
      await side.store.close()
    }),
    { numRuns },
  )
  return { done, rows }
}

test('8 random histories with undo, erase, import, restore and trim keep what follows from the rows', async () => {
  const { done, rows } = await checkHistories(8)
  expect([...done].sort()).toEqual(Object.keys(STEPS).sort())
  expect(Object.values(rows).every((total) => total > 0)).toBe(true)
})
