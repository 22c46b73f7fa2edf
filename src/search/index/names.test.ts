import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type NameGain, throughNames } from './names.ts'
import { Postings } from './postings.ts'

const OPTIONS = {
  throughNames: 0.25,
  throughNamesShare: 0.2,
  throughNamesCap: 0.95,
}
const TERMS = ['ada', 'bo', 'cy', 'di']

const block = fc.record({
  /** Rank by the question alone, in tenths. */
  rank: fc.integer({ min: -2, max: 10 }),
  words: fc.subarray(TERMS),
  names: fc.array(fc.subarray(TERMS, { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
  lone: fc.constantFrom(0, 0.5, 1),
  passes: fc.boolean(),
})
interface World {
  readonly blocks: readonly (typeof block extends fc.Arbitrary<infer T> ? T : never)[]
  readonly question: readonly string[]
  readonly pool: number
}
const world: fc.Arbitrary<World> = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 24 }),
  question: fc.subarray(TERMS, { maxLength: 2 }),
  pool: fc.integer({ min: 1, max: 6 }),
})

const rankOf = (blocks: World['blocks'], slot: number) => (blocks[slot]?.rank ?? 0) / 10

function placedOf({ blocks, pool }: World) {
  return blocks
    .flatMap(({ passes }, slot) => (passes ? [{ slot, rank: rankOf(blocks, slot) }] : []))
    .sort((one, other) => other.rank - one.rank || one.slot - other.slot)
    .slice(0, pool)
}

function stepped(given: World): ReadonlyMap<number, NameGain> {
  const { blocks, question, pool } = given
  const postings = new Postings()
  for (const [slot, { words }] of blocks.entries()) postings.set(slot, words)
  // Half of them lie packed, as after a start.
  postings.pack('words', blocks.length)
  for (const [slot, { words }] of blocks.entries()) if (slot % 2 === 0) postings.set(slot, words)
  const placed = placedOf(given)
  return throughNames(
    placed,
    {
      blocks: blocks.length,
      question: new Set(question),
      namesAt: (slot) => blocks[slot]?.names ?? [],
      holding: (terms, most) => postings.holding(terms, most),
      shareAt: (slot) => blocks[slot]?.lone ?? 0,
      rankAt: (slot) => (blocks[slot]?.passes ? rankOf(blocks, slot) : undefined),
      least: placed.length < pool ? Number.NEGATIVE_INFINITY : (placed.at(-1)?.rank ?? 0),
      mostAt: (slot) => rankOf(blocks, slot),
    },
    OPTIONS,
  )
}

const isRare = (holders: number, size: number) =>
  holders >= 2 && holders <= Math.max(3, Math.floor(0.2 * size))

/** What the names of one block are worth to another, none of them given by the question. */
function worthsOf(from: number, to: number, { blocks, question }: World): readonly number[] {
  const holds = (slot: number, name: readonly string[]) =>
    name.every((term) => blocks[slot]?.words.includes(term))
  return (blocks[from]?.names ?? [])
    .filter((name) => !name.every((term) => question.includes(term)) && holds(to, name))
    .map((name) => blocks.filter((_, slot) => holds(slot, name)).length)
    .filter((holders) => isRare(holders, blocks.length))
    .map((holders) => Math.log(1 + (blocks.length - holders + 0.5) / (holders + 0.5)))
    .map((idf) => idf / Math.log(1 + blocks.length))
}

/** The formula for every block, one after the other. */
function naive(given: World): Map<number, number> {
  const placed = placedOf(given)
  const least = placed.length < given.pool ? Number.NEGATIVE_INFINITY : (placed.at(-1)?.rank ?? 0)
  const seeds = placed.slice(0, 1).filter(({ rank }) => rank > 0)
  const gains = given.blocks.map(({ passes, lone }, slot) => {
    const links = seeds
      .filter((seed) => seed.slot !== slot)
      .flatMap(({ slot: from, rank }) => worthsOf(from, slot, given).map((worth) => ({ rank, worth })))
    const [link] = links.sort((one, other) => other.worth - one.worth)
    const rank = rankOf(given.blocks, slot)
    const raised = link
      ? Math.min(rank + 0.25 * lone * link.worth, OPTIONS.throughNamesCap * link.rank)
      : rank
    return passes && raised > least ? raised - rank : 0
  })
  return new Map([...gains.entries()].filter(([, gain]) => gain > 0))
}

test('throughNames gives the blocks and gains of the formula written out', () => {
  let led = 0
  fc.assert(
    fc.property(world, (given) => {
      const gains = stepped(given)
      led += gains.size
      const wanted = naive(given)
      expect([...gains.keys()].sort()).toEqual([...wanted.keys()].sort())
      for (const [slot, { amount }] of gains) expect(amount).toBeCloseTo(wanted.get(slot) as number, 9)
    }),
    { numRuns: 500 },
  )
  expect(led).toBeGreaterThan(20)
})

test('throughNames keeps a block below the cap of the one that led to it, and leads to no filtered block', () => {
  fc.assert(
    fc.property(world, (given) => {
      for (const [slot, { amount, from }] of stepped(given)) {
        expect(slot).not.toBe(from)
        expect(given.blocks[slot]?.passes).toBe(true)
        const cap = OPTIONS.throughNamesCap * rankOf(given.blocks, from)
        expect(rankOf(given.blocks, slot) + amount).toBeLessThanOrEqual(cap + 1e-9)
      }
    }),
    { numRuns: 500 },
  )
})

test('holding gives the blocks with all terms, or undefined where there are more than asked for', () => {
  const texts = fc.array(fc.subarray(TERMS), { maxLength: 30 })
  const asked = fc.subarray(TERMS, { minLength: 1 })
  fc.assert(
    fc.property(texts, texts, asked, fc.integer({ min: 0, max: 6 }), (packed, later, terms, most) => {
      const postings = new Postings()
      for (const [slot, words] of packed.entries()) postings.set(slot, words)
      postings.pack('words', packed.length)
      for (const [slot, words] of later.entries()) postings.set(slot * 2, words)
      const all = new Map([...packed.entries(), ...later.map((words, i) => [i * 2, words] as const)])
      const wanted = [...all].flatMap(([slot, words]) =>
        terms.every((t) => words.includes(t)) ? [slot] : [],
      )
      const found = postings.holding(terms, most)
      expect(found?.toSorted()).toEqual(wanted.length > most ? undefined : wanted.sort())
    }),
  )
})
