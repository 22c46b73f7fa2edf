import fc from 'fast-check'
import { expect } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { act, acts, openSide, type Side } from './side.ts'

/** Undoes as long as there is something, looking after every step. */
async function undoAll({ memory, look, clock }: Side, operationIds?: readonly number[]) {
  const looks: unknown[] = []
  const made: number[] = []
  for (let at = 0; ; at++) {
    const operationId = operationIds?.[at]
    if (operationIds !== undefined && operationId === undefined) return { looks, made }
    clock.advance({ minutes: 1 })
    const done = await memory.undo(operationId === undefined ? {} : { operationId }).catch((error: Error) => {
      if ('code' in error && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    if (done === undefined) return { looks, made }
    made.push(done.operationId as number)
    looks.push(await look())
  }
}

/** Checks that the expected looks come in their order; others may come between them. */
function expectPassed(looks: readonly unknown[], expected: readonly unknown[]): void {
  let at = 0
  for (const look of looks) if (JSON.stringify(look) === JSON.stringify(expected[at])) at++
  if (at < expected.length) expect(looks.at(-1)).toEqual(expected[at])
  expect(at).toBe(expected.length)
}

/** Checks that undoing all operations passes each earlier state, and undoing those undos each later one. */
export async function checkSequences(numRuns: number): Promise<void> {
  let undone = 0
  await fc.assert(
    fc.asyncProperty(acts, async ({ settings, contents, acts: all }) => {
      const side = await openSide(settings)
      const looks = [await side.look()]
      for (const one of [{ do: 'learn', contents } as const, ...all]) {
        await act(side, one)
        const look = await side.look()
        if (JSON.stringify(look) !== JSON.stringify(looks.at(-1))) looks.push(look)
      }
      const back = await undoAll(side)
      undone += back.made.length
      expectPassed(back.looks, looks.slice(0, -1).reverse())
      expect(back.looks.at(-1)).toEqual(looks[0])
      const again = await undoAll(side, [...back.made].reverse())
      expectPassed(again.looks, looks.slice(1))
      expect(again.looks.at(-1)).toEqual(looks.at(-1))
      await close(side)
    }),
    { numRuns },
  )
  expect(undone).toBeGreaterThan(10 * numRuns)
}

/**
 * Checks that undo of any operation refuses, changes nothing and names a later one, or is taken back by undo of the undo. Returns
 * how often it was taken back, and how often a later one was named.
 */
export async function checkAnyOperation(numRuns: number): Promise<{ undone: number; named: number }> {
  const seen = { undone: 0, named: 0 }
  await fc.assert(
    fc.asyncProperty(acts, fc.nat(), async ({ settings, contents, acts: all }, which) => {
      const side = await openSide(settings)
      for (const one of [{ do: 'learn', contents } as const, ...all]) await act(side, one)
      const { operations } = await side.memory.history({ limit: 1_000 })
      const undoable = operations.filter((each) => each.undoable)
      const { id: operationId } = undoable[which % undoable.length] as (typeof undoable)[number]
      const before = await side.look()
      const done: unknown = await side.memory.undo({ operationId }).catch((error: unknown) => error)
      if (ElfmemError.is(done)) {
        expect(done.code).toBe('CONFLICT')
        const later = done.details.laterOperationId
        if (later !== undefined) expect(Number(later)).toBeGreaterThan(operationId)
        seen.named += Number(later !== undefined)
      } else {
        await side.memory.undo({ operationId: (done as { operationId: number }).operationId })
        seen.undone += 1
      }
      expect(await side.look()).toEqual(before)
      await close(side)
    }),
    { numRuns },
  )
  return seen
}

async function close({ memory, store }: Side): Promise<void> {
  await memory.close()
  await store.close()
}
