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
  'trim of the log': ({ memory }) => memory.curate(),
  'doctor with fix': ({ memory }) => memory.doctor({ fix: true }),
}

const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(9)), {
  minLength: 2,
  maxLength: 5,
})

/** Checks the derived tables after each step of random histories; returns the steps that were not refused, and the rows seen. */
async function checkHistories(numRuns: number): Promise<{ done: Set<string>; rows: Record<string, number> }> {
  const [done, rows] = [new Set<string>(), {} as Record<string, number>]
  await fc.assert(
    fc.asyncProperty(acts, steps, async ({ settings, contents, acts: all }, wanted) => {
      const side = await openSide({ ...settings, memory: { keepOperations: 100 } })
      const check = () => {
        for (const [table, total] of Object.entries(expectDerived(side.store.location)))
          rows[table] = Math.max(rows[table] ?? 0, total)
      }
      for (const one of [{ do: 'learn', contents } as const, ...all]) await act(side, one)
      check()
      for (const [name, at] of wanted) {
        side.clock.advance({ minutes: 1 })
        const refused = await STEPS[name]?.(side, at).then(
          () => undefined,
          (error: Error) => error,
        )
        if (refused === undefined) done.add(name)
        else expect(refused).toHaveProperty('code')
        check()
      }
      await side.memory.close()
      await side.store.close()
    }),
    { numRuns },
  )
  return { done, rows }
}

test('20 random histories with undo, erase, import, restore and trim keep what follows from the rows', async () => {
  const { done, rows } = await checkHistories(20)
  expect([...done].sort()).toEqual(Object.keys(STEPS).sort())
  const { scope_strengths: _, ...others } = rows
  expect(Object.values(others).every((total) => total > 0)).toBe(true)
})
