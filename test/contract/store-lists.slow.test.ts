import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BlockFilter, BlockOrder } from '../../src/ports/store/pages.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { AT, aBlock, anEdge } from '../../src/testing/harness.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const BLOCKS = 20_000
/** Shares of the processor time of a look at all the blocks, each read whole, in the same run: some twice what they take. */
const PAGE_MOST = 0.6
const FACETS_MOST = 2

const ORDERS: readonly BlockOrder[] = ['recent', 'arrival', 'newest', 'proved', 'doubted', 'fading', 'joined']
const CONDITIONS = [
  {},
  { words: ['lighthouse', 'Zürich'] },
  { words: ['keeper'] },
  ...[{ sourceClass: 'peer' }, { source: 'source 3' }, { tier: 'ephemeral' }, { tag: 'tag/7' }],
  ...[{ session: 'session 9' }, { since: AT }, { until: AT }, { isolated: true }, { undecided: true }],
] as const

/** Blocks like those of a memory in use: some 170 letters, two edges, and a few reports. */
function blockAt(at: number) {
  return aBlock(idAt(at), {
    content: `The keeper of harbour ${at} counted ${at * 7} ropes and crates, and wrote ${'down what was there '.repeat(5)}`,
    category: at % 9 === 0 ? 'observation' : 'knowledge',
    tags: [`tag/${at % 40}`, `other/${at % 7}`],
    session: `session ${Math.floor(at / 20)}`,
    ...(at % 5 === 0 ? { sourceClass: 'peer' as const, source: `source ${at % 30}` } : {}),
    ...(at % 50 === 0 ? { successes: at % 3, failures: at % 2 } : {}),
    lastReinforcedAt: (at * 7919) % 300,
  })
}

const idAt = (at: number) => ((at * 2_654_435_761) % 2 ** 32).toString(16).padStart(16, '0')

/** The quickest of five calls, in milliseconds of processor time: other work makes calls slower, never quicker. */
async function cost(call: () => Promise<unknown>): Promise<number> {
  const spent: number[] = []
  for (let time = 0; time < 5; time++) {
    const before = process.cpuUsage()
    await call()
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1_000)
  }
  return Math.min(...spent)
}

test(`in any order a page of 100 blocks among ${BLOCKS} costs less than reading all of them, and facets no more than twice that`, async () => {
  const store = await openSqliteStore(join(temporaryFolder(), 'memory.db'))
  for (let at = 0; at < BLOCKS; at += 1_000) {
    const places = Array.from({ length: 1_000 }, (_, i) => at + i)
    await store.write(async (tx) => {
      await tx.insertBlocks(places.map(blockAt))
      const earlier = places.filter((place) => place > 9 && place % 100 !== 0)
      await tx.saveEdges(
        earlier.flatMap((place) => [
          anEdge(idAt(place), idAt(Math.floor(place / 2)), { weight: 0.5 }),
          anEdge(idAt(place), idAt(place - 7), { weight: (place % 10) / 10 }),
        ]),
      )
    })
  }
  const dear: Record<string, number> = {}
  const all = await cost(() => store.read((tx) => tx.page({ order: 'newest', limit: BLOCKS })))
  const note = async (filter: BlockFilter, most: number) => {
    const spent = await cost(() => store.read((tx) => tx.page({ status: 'active', ...filter })))
    if (spent > most * all) dear[JSON.stringify(filter)] = spent / all
  }
  for (const order of ORDERS)
    for (const condition of CONDITIONS) {
      await note({ ...condition, order, hours: 301, limit: 100, offset: 9_000 }, PAGE_MOST)
    }
  for (const condition of CONDITIONS) {
    await note({ ...condition, order: 'newest', limit: 100, count: true }, PAGE_MOST)
    await note({ ...condition, order: 'newest', limit: 0, count: true, facets: 50 }, FACETS_MOST)
  }
  expect(dear).toEqual({})
  await store.close()
}, 120_000)
