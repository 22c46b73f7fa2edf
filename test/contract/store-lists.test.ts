import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DECAY_TIERS } from '../../src/domain/score/experience.ts'
import type { BlockCondition, BlockFilter, BlockOrder } from '../../src/ports/store/pages.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { AT, aBlock, anEdge, aPair } from '../../src/testing/harness.ts'
import { createNaiveStore } from '../oracle/database.ts'
import { LATER, tags } from './store-values.ts'

const ORDERS: readonly BlockOrder[] = ['recent', 'arrival', 'newest', 'proved', 'doubted', 'fading', 'joined']

const CONDITIONS: readonly BlockCondition[] = [
  {},
  ...(['inbox', 'active', 'archived'] as const).map((status) => ({ status })),
  ...['self/*', 'x%y', 'ä'].map((tag) => ({ tag })),
  ...(['peer', 'user', 'agent'] as const).map((sourceClass) => ({ sourceClass })),
  ...DECAY_TIERS.map((tier) => ({ tier })),
  ...['café', '100%', 'x_y', '\\', 'É', 'tea is', 'TEA'].map((words) => ({ words: words.split(' ') })),
  ...[{ category: 'mind' }, { session: 'two' }, { source: 'Ä_%' }, { since: LATER }, { until: LATER }],
  ...[{ isolated: true }, { undecided: true }, { status: 'active', isolated: true } as const],
]

const text = fc.constantFrom('Tea is at four', 'Café É', '100% x_y', 'ÉTÉ tea', 'back\\slash', 'nothing')
const few = fc.constantFrom(0, 0, 0.5, 1, 3)
const block = fc.record(
  {
    ...{ content: text, summary: text, cue: text, source: fc.constantFrom('Ä_%', 'other') },
    category: fc.constantFrom('knowledge', 'mind', 'item', 'observation'),
    tags: fc
      .tuple(tags, fc.boolean())
      .map(([some, binds]) => (binds ? ['self/constitutional', ...some] : some)),
    status: fc.constantFrom('inbox' as const, 'active' as const, 'active' as const, 'archived' as const),
    sourceClass: fc.constantFrom('peer' as const, 'user' as const),
    session: fc.constantFrom('one', 'two'),
    createdAt: fc.constantFrom(AT, LATER),
    ...{ successes: few, failures: few, lastReinforcedAt: fc.constantFrom(0, 1, 2.5, 40) },
    decayLambda: fc.constantFrom(0.00001, 0.01, 0.05),
  },
  { requiredKeys: [] },
)
const place = fc.nat(11)
const memory = fc.record({
  blocks: fc.array(block, { minLength: 3, maxLength: 12, size: 'max' }),
  edges: fc.array(fc.tuple(place, place, fc.constantFrom(0.2, 0.2, 0.9)), { maxLength: 6 }),
  pairs: fc.array(fc.tuple(place, place, fc.boolean()), { maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 4 }),
})
type Memory = typeof memory extends fc.Arbitrary<infer T> ? T : never

async function fill(store: Store, { blocks, edges, pairs }: Memory): Promise<void> {
  const idAt = (at: number) => `block-${at % blocks.length}`
  await store.write(async (tx) => {
    await tx.insertBlocks(blocks.map((fields, at) => aBlock(idAt(at), fields)))
    await tx.saveEdges(edges.map(([one, other, weight]) => anEdge(idAt(one), idAt(other), { weight })))
    for (const [one, other, resolved] of pairs) {
      if (idAt(one) === idAt(other)) continue
      await tx.savePairs([aPair(idAt(one), idAt(other))])
      if (resolved) await tx.resolvePair(idAt(one), idAt(other))
    }
  })
}

async function pageIds(store: Store, filter: BlockFilter) {
  const { blocks, ...rest } = await store.read((tx) => tx.page(filter))
  return { ids: blocks.map(({ id }) => id), ...rest }
}

/** The ids of all pages, one after the other. */
async function walk(store: Store, filter: BlockFilter): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await pageIds(store, { ...filter, ...(cursor !== undefined && { cursor }) })
    ids.push(...page.ids)
    if (ids.length > 99) throw new Error('The pages never end.')
    if (page.cursor === undefined) return ids
    cursor = page.cursor
  }
}

test('every filter in every order lists what a naive store lists, and counts and spreads it alike', async () => {
  await fc.assert(
    fc.asyncProperty(memory, async (given) => {
      const [store, naive] = [await openSqliteStore(':memory:'), createNaiveStore()]
      for (const each of [store, naive]) await fill(each, given)
      for (const condition of CONDITIONS)
        for (const order of ORDERS) {
          const filter = { ...condition, order, hours: 20, limit: 99, count: true, facets: 2 } as const
          const said = JSON.stringify({ condition, order })
          expect(await pageIds(store, filter), said).toEqual(await pageIds(naive, filter))
          const few = { ...filter, limit: 0, facetsOf: ['tier', 'status'] } as const
          expect(await pageIds(store, few), said).toEqual(await pageIds(naive, few))
        }
      await Promise.all([store.close(), naive.close()])
    }),
    { numRuns: 8 },
  )
})

test('pages of a list skip no block and repeat none, by cursor and by offset, in every order', async () => {
  await fc.assert(
    fc.asyncProperty(memory, fc.nat(12), async (given, offset) => {
      const store = await openSqliteStore(':memory:')
      await fill(store, given)
      const { limit } = given
      for (const condition of [{}, { status: 'active' }, { isolated: true }] as const)
        for (const order of ORDERS) {
          const filter = { ...condition, order, hours: 20 }
          const { ids } = await pageIds(store, { ...filter, limit: 99 })
          expect(new Set(ids).size).toBe(ids.length)
          expect(await walk(store, { ...filter, limit })).toEqual(ids)
          const jumped = await pageIds(store, { ...filter, limit, offset })
          expect(jumped.ids).toEqual(ids.slice(offset, offset + limit))
          expect(jumped.cursor === undefined).toBe(offset + limit >= ids.length)
        }
      await store.close()
    }),
    { numRuns: 8 },
  )
})

test('the pages of one list compare freshness at the hours of its first page', async () => {
  const store = await openSqliteStore(':memory:')
  // At hour 10 the slow one has faded more, at hour 100 the fast one.
  await store.write((tx) =>
    tx.insertBlocks([
      aBlock('slow', { decayLambda: 0.01, lastReinforcedAt: 0 }),
      aBlock('fast', { decayLambda: 0.05, lastReinforcedAt: 9 }),
    ]),
  )
  const first = await pageIds(store, { order: 'fading', hours: 10, limit: 1 })
  expect(first.ids).toEqual(['slow'])
  const { cursor = '' } = first
  expect((await pageIds(store, { order: 'fading', hours: 100, limit: 9, cursor })).ids).toEqual(['fast'])
  expect((await pageIds(store, { order: 'fading', hours: 100, limit: 9 })).ids).toEqual(['fast', 'slow'])
  await store.close()
})
