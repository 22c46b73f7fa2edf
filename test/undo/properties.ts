import fc from 'fast-check'
import { expect } from 'vitest'
import { dumpOf } from './dump.ts'
import { act, acts, openSide, type Side } from './side.ts'

/** Which cases and how many; those of every day without a seed. */
interface Cases {
  readonly numRuns: number
  readonly seed?: number
}

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

/** Every one of the looks in its turn; in between there may be others. */
function expectPassed(looks: readonly unknown[], expected: readonly unknown[]): void {
  let at = 0
  for (const look of looks) if (JSON.stringify(look) === JSON.stringify(expected[at])) at++
  if (at < expected.length) expect(looks.at(-1)).toEqual(expected[at])
  expect(at).toBe(expected.length)
}

/** Undoing every operation passes every state before, and redoing all every state after. */
export async function checkSequences(kind: 'file' | 'memory', options: Cases): Promise<void> {
  let undone = 0
  await fc.assert(
    fc.asyncProperty(acts(false), async ({ settings, contents, acts: all }) => {
      const side = await openSide(kind, settings)
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
    options,
  )
  expect(undone).toBeGreaterThan(100)
}

/** What being recalled moves, and what is counted from it. */
const USE = new Set(['reinforcement_count', 'last_reinforced_at', 'last_active_at', 'strength'])

/** A state, how often its blocks were used, and how much of that was by recalls. */
interface Station {
  readonly state: unknown
  readonly uses: ReadonlyMap<string, number>
  readonly recalls: ReadonlyMap<string, number>
}

/** The same with recalls in between: every state comes back but for use, and of use what recalls did stays. */
export async function checkWithRecalls(options: Cases): Promise<void> {
  let [undone, recalled] = [0, 0]
  await fc.assert(
    fc.asyncProperty(acts(true), async ({ settings, contents, acts: all }) => {
      // What recalls join is theirs, and nothing takes it back.
      const side = await openSide('file', {
        ...settings,
        memory: { ...settings.memory, coRetrievalWhen: 'never' },
      })
      const recalls = new Map<string, number>()
      const stations = new Map<number, Station>()
      const look = async (): Promise<Station> => ({
        state: dumpOf(side.path, USE),
        uses: await usesOf(side),
        recalls: new Map(recalls),
      })
      stations.set(await unitsOf(side), await look())
      for (const one of [{ do: 'learn', contents } as const, ...all]) {
        const before = await usesOf(side)
        await act(side, one)
        if (one.do === 'recall') recalled += addUses(recalls, before, await usesOf(side))
        stations.set(await unitsOf(side), await look())
      }
      for (let left = (await unitsOf(side)) - 1; left >= 0; left--) {
        side.clock.advance({ minutes: 1 })
        await side.memory.undo()
        undone += 1
        const then = stations.get(left)
        if (then === undefined) continue
        const now = await look()
        expect(now.state).toEqual(then.state)
        expect(now.uses).toEqual(usesAfter(then, recalls))
      }
      await close(side)
    }),
    options,
  )
  expect(undone).toBeGreaterThan(60)
  expect(recalled).toBeGreaterThan(20)
}

/** Adds what a recall did to every block's uses; returns the sum. */
function addUses(
  recalls: Map<string, number>,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  let sum = 0
  for (const [id, uses] of after) {
    const more = uses - (before.get(id) ?? 0)
    recalls.set(id, (recalls.get(id) ?? 0) + more)
    sum += more
  }
  return sum
}

/** What a state's uses are once all is undone but what recalls did since. */
function usesAfter({ uses, recalls }: Station, now: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...uses].map(([id, then]) => [id, then + (now.get(id) ?? 0) - (recalls.get(id) ?? 0)]))
}

/** How many undos there are: transactions, and runs of many. */
async function unitsOf({ store }: Side): Promise<number> {
  const entries = await store.read((tx) => tx.operations({ limit: 100_000 }))
  return new Set(entries.flatMap(({ kept, run }) => (kept === undefined ? [] : (run ?? kept)))).size
}

async function usesOf({ store }: Side): Promise<Map<string, number>> {
  const { blocks } = await store.read((tx) => tx.page({ order: 'arrival', limit: 1_000 }))
  return new Map(blocks.map(({ id, reinforcementCount }) => [id, reinforcementCount]))
}

async function close({ memory, store }: Side): Promise<void> {
  await memory.close()
  await store.close()
}
