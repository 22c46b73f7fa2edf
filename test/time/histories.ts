import fc from 'fast-check'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import type { SettingsInput } from '../../src/engine/settings.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { readBlocks, readGroundsOf } from '../../src/store/blocks.ts'
import { readLinks } from '../../src/store/graph.ts'
import { readExperience } from '../../src/store/log.ts'
import { BLOCK } from '../../src/store/tables.ts'
import type { Store } from '../../src/store/transaction.ts'
import { createTestClock } from '../helpers/clock.ts'

/** Something that is done to a memory; blocks are named by their places among those that were remembered. */
type Act = (memory: Memory, ids: string[]) => Promise<unknown>

const CONTENTS = ['The office is in Berlin', 'Tea is at four', 'The blue kettle whistles', 'Roses need sun']
const DAYS = ['2026-02-20', '2026-03-01', '2026-03-03', '2026-03-05', '2026-04-01']
const place = fc.nat({ max: 7 })
const day = fc.constantFrom(...DAYS)
const at = (ids: readonly string[], where: number) => ids[where % Math.max(1, ids.length)] ?? 'none'

function act<T>(given: fc.Arbitrary<T>, does: (memory: Memory, ids: string[], given: T) => Promise<unknown>) {
  return given.map(
    (value): Act =>
      (memory, ids) =>
        does(memory, ids, value),
  )
}

const remembering = fc.record(
  { what: fc.nat({ max: 40 }), validFrom: day, validUntil: day, at: day, supersedes: place },
  { requiredKeys: ['what'] },
)

/** Trims the log. */
export const CURATE: Act = (memory) => memory.curate()

/** Steps that change what is known, and recalls, which change nothing of it. */
const ACTS: fc.Arbitrary<Act> = fc.oneof(
  act(remembering, async (memory, ids, { what, supersedes, ...dates }) => {
    const content = `${CONTENTS[what % CONTENTS.length]} ${Math.floor(what / 8)}`
    const replaced = supersedes === undefined || ids.length === 0 ? {} : { supersedes: at(ids, supersedes) }
    ids.push((await memory.remember({ content, ...dates, ...replaced })).blockId)
  }),
  act(fc.tuple(fc.nat({ max: 9 }), place, place), async (memory, ids, [n, one, other]) => {
    const derivedFrom = [at(ids, one), at(ids, other)]
    ids.push((await memory.remember({ content: `What follows, number ${n}`, derivedFrom })).blockId)
  }),
  act(fc.tuple(place, place), (memory, ids, [which, ground]) =>
    memory.edit({ blockId: at(ids, which), derivedFrom: [at(ids, ground)] }),
  ),
  act(fc.constant(undefined), (memory) => memory.dream()),
  act(fc.tuple(place, fc.nat({ max: 9 })), (memory, ids, [which, n]) =>
    memory.edit({ blockId: at(ids, which), content: `Corrected words, number ${n}` }),
  ),
  act(fc.tuple(place, day), (memory, ids, [which, validUntil]) =>
    memory.edit({ blockId: at(ids, which), validUntil }),
  ),
  act(place, (memory, ids, which) => memory.forget({ blockId: at(ids, which) })),
  act(place, (memory, ids, which) => memory.restore({ blockId: at(ids, which) })),
  act(fc.tuple(place, place, fc.constantFrom('a', 'b', 'both')), (memory, ids, [a, b, keep]) =>
    memory.resolve({ a: at(ids, a), b: at(ids, b), keep }),
  ),
  act(fc.tuple(place, place, day), (memory, ids, [a, b, validUntil]) => {
    const edge = { source: at(ids, a), target: at(ids, b), relation: 'supports', validUntil }
    return memory.connect({ ...edge, ifExists: 'update' })
  }),
  act(fc.tuple(place, place), (memory, ids, [a, b]) =>
    memory.disconnect({ source: at(ids, a), target: at(ids, b) }),
  ),
  act(fc.tuple(place, place), (memory, ids, [a, b]) =>
    memory.outcome({ helped: [at(ids, a)], misled: [at(ids, b)] }),
  ),
  act(fc.constantFrom(...CONTENTS), (memory, _ids, query) => memory.recall({ query })),
  act(fc.constant(undefined), (memory) => memory.undo()),
  fc.constant(CURATE),
)

/** Remembers a few blocks to begin with. */
const BEGIN: Act = async (memory, ids) => {
  for (const content of CONTENTS) ids.push((await memory.remember({ content, at: '2026-02-20' })).blockId)
  await memory.dream()
}

/** A history, and a moment of it by its place. */
export const histories = fc.record({
  acts: fc.array(ACTS, { minLength: 6, maxLength: 18 }).map((acts) => [BEGIN, ...acts]),
  moment: fc.nat({ max: 17 }),
})

/** Reads the known rows, without those that use alone changes: freshness, counts, and edges made by use. */
export async function known(store: Store): Promise<unknown> {
  return store.read(async (tx) => {
    const ids = (await tx.rows.scan(BLOCK, { order: ['id'] })).map(({ id }) => id)
    const blocks = (await readBlocks(tx, ids)).map(
      ({ reinforcementCount: _count, lastReinforcedAt: _last, decayLambda, ...block }) => block,
    )
    const { edges, pairs } = await readLinks(tx, ids)
    const { evidence } = await readExperience(tx)
    return {
      blocks: blocks.sort(byText),
      edges: edges
        .filter(({ origin }) => origin !== 'co_retrieval')
        .map(({ reinforcementCount: _count, lastActiveAt: _last, ...edge }) => edge)
        .sort(byText),
      pairs: pairs.toSorted(byText),
      evidence: evidence.toSorted(byText),
      grounds: await readGroundsOf(tx, ids),
    }
  })
}

function byText(one: unknown, other: unknown): number {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)]
  return first < second ? -1 : Number(first > second)
}

/** A memory after a history, and what was known after each of its acts. */
export interface Played {
  readonly store: Store
  readonly moments: readonly { readonly at: string; readonly known: unknown }[]
  readonly close: () => Promise<void>
}

/** Plays a history an hour an act. What is refused does nothing. */
export async function play(acts: readonly Act[], settings: SettingsInput['memory'] = {}): Promise<Played> {
  const store = await openSqliteStore(':memory:')
  const clock = createTestClock('2026-03-01T00:00:00Z')
  const config = { session: { gapCapMinutes: 1 }, memory: settings }
  const memory = await openMemory(':memory:', {
    ...{ as: 'owner', store, clock, config, embedder: createHashingEmbedder() },
  })
  const ids: string[] = []
  const moments: { at: string; known: unknown }[] = []
  for (const each of acts) {
    clock.advance({ hours: 1 })
    await each(memory, ids).catch(() => undefined)
    moments.push({ at: new Date(clock.now()).toISOString(), known: await known(store) })
  }
  return {
    store,
    moments,
    close: () => memory.close().then(() => store.close()),
  }
}
