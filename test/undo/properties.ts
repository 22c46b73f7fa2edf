import fc from 'fast-check'
import { expect } from 'vitest'
import type { Act } from '../graph/acts.ts'
import { dumpOf } from './dump.ts'
import { act, acts, openSide, type Side, type Touch } from './side.ts'

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

/** Pairs that recalls count, and what is kept of the edges they make. */
const JOINED_BY_USE = new Set(['co_retrieval_staging', 'block_strengths', 'scope_strengths', 'edge_counts'])

/** What recalls did to edges so far, an entry each time. */
interface Joining {
  readonly made: readonly string[]
  readonly gone: readonly string[]
}

/** A state, how often its blocks were used, how much of that was by recalls, and how many recalls there were. */
interface Station {
  readonly state: Readonly<Record<string, readonly unknown[]>>
  readonly edges: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, number>
  readonly recalls: ReadonlyMap<string, number>
  readonly joinings: number
}

/**
 * The same with recalls in between, which join pairs: every undo succeeds, and every state comes back but for use. Of
 * use what recalls did stays, but for edges that gave way.
 */
export async function checkWithRecalls(options: Cases): Promise<void> {
  const seen = { undone: 0, recalled: 0, made: 0, displaced: 0, dropped: 0 }
  await fc.assert(
    fc.asyncProperty(acts(true), async ({ settings, contents, acts: all }) => {
      // What is recalled together is joined at once.
      const memory = { ...settings.memory, coRetrievalThreshold: 1, coRetrievalStagingMax: 1_000 }
      const side = await openSide('file', { ...settings, memory })
      const recalls = new Map<string, number>()
      const joinings: Joining[] = []
      const stations = new Map<number, Station>()
      const look = async (): Promise<Station> => {
        const { edges, ...dump } = dumpOf(side.path, USE)
        const state = Object.fromEntries(Object.entries(dump).filter(([name]) => !JOINED_BY_USE.has(name)))
        const uses = await usesOf(side)
        return {
          state,
          edges: new Set(edges?.map(String)),
          uses,
          recalls: new Map(recalls),
          joinings: joinings.length,
        }
      }
      stations.set(await unitsOf(side), await look())
      for (const one of [{ do: 'learn', contents } as const, ...withRecalls(all)]) {
        const before = await look()
        await act(side, one)
        if (one.do === 'recall') {
          const after = await look()
          seen.recalled += addUses(recalls, before.uses, after.uses)
          joinings.push({
            made: without(after.edges, before.edges),
            gone: without(before.edges, after.edges),
          })
        }
        stations.set(await unitsOf(side), await look())
      }
      for (let left = (await unitsOf(side)) - 1; left >= 0; left--) {
        side.clock.advance({ minutes: 1 })
        seen.dropped += (await side.memory.undo()).edgesDropped
        seen.undone += 1
        const then = stations.get(left)
        if (then === undefined) continue
        const now = await look()
        expect(now.state).toEqual(then.state)
        expect(now.uses).toEqual(usesAfter(then, recalls))
        const since = joinings.slice(then.joinings)
        expect(differences(then.edges, now.edges, since)).toEqual([])
        expect(await overfull(side, settings.memory?.edgeDegreeCap)).toEqual([])
      }
      seen.made += joinings.flatMap(({ made }) => made).length
      seen.displaced += joinings.flatMap(({ gone }) => gone).length
      await close(side)
    }),
    options,
  )
  expect(seen.undone).toBeGreaterThan(60)
  expect(seen.recalled).toBeGreaterThan(20)
  expect(seen.made).toBeGreaterThan(5)
  expect(seen.displaced).toBeGreaterThan(0)
  expect(seen.dropped).toBeGreaterThan(0)
}

/** A recall after every third act, of everything that is near. */
function withRecalls(all: readonly (Act | Touch)[]): (Act | Touch)[] {
  const queries = ['tea @30', 'port @30', 'rose @30', 'tea @0']
  return all.flatMap((one, at) => {
    const query = queries[(at / 3) % queries.length]
    return query === undefined
      ? [one]
      : [one, { do: 'recall', query, topK: 4, reinforce: true, newSession: false } as const]
  })
}

/** Edges that are there or not and that no recall joined or took away since. */
function differences(
  then: ReadonlySet<string>,
  now: ReadonlySet<string>,
  since: readonly Joining[],
): string[] {
  const made = new Set(since.flatMap((each) => each.made))
  // An operation that was undone since may have changed an edge before it gave way.
  const gone = new Set(since.flatMap((each) => each.gone.map(endsOf)))
  return [
    ...without(then, now).filter((edge) => !gone.has(endsOf(edge))),
    ...without(now, then).filter((edge) => !made.has(edge)),
  ]
}

/** The two blocks of a row of `edges`, which come first in it. */
function endsOf(row: string): string {
  return JSON.stringify(JSON.parse(row).slice(0, 2))
}

function without(from: ReadonlySet<string>, some: ReadonlySet<string>): string[] {
  return [...from].filter((each) => !some.has(each))
}

/** Blocks with more edges than are allowed. */
async function overfull({ store }: Side, cap = 10): Promise<string[]> {
  const { blocks } = await store.read((tx) => tx.page({ order: 'arrival', limit: 1_000 }))
  const degrees = await store.read((tx) => tx.degrees(blocks.map(({ id }) => id)))
  return [...degrees].filter(([, degree]) => degree > cap).map(([id]) => id)
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
