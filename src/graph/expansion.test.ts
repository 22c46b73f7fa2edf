import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expandNeighbours, relationShare, type Seed } from '../outcome/formulas.ts'
import { CONTRADICTS, type Edge } from './edge.ts'

const SHARES = { outcome: 1, supports: 0.9, similar: 0.5, other: 0.7 }
const FACTOR = 0.7
const positive = fc.double({ min: 0.01, max: 1, noNaN: true })
const ids = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const edges: fc.Arbitrary<Edge[]> = fc.uniqueArray(
  fc
    .record({
      from: fc.constantFrom(...ids),
      to: fc.constantFrom(...ids),
      relation: fc.constantFrom('outcome', 'supports', 'similar', 'own_word', CONTRADICTS),
      origin: fc.constant('agent' as const),
      weight: positive,
      reinforcementCount: fc.constant(0),
      createdAt: fc.constant('2026-03-02T09:00:00.000Z'),
    })
    .filter(({ from, to }) => from < to),
  { selector: ({ from, to }) => from + to, maxLength: 15 },
)
const seeds: fc.Arbitrary<Seed[]> = fc.uniqueArray(
  fc.record({ id: fc.constantFrom(...ids), similarity: positive }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
)
const shareOf = (edge: Edge) => FACTOR * relationShare(edge, SHARES)
const joins = ({ from, to }: Edge, one: string, other: string) =>
  (from === one && to === other) || (from === other && to === one)

test('expandNeighbours gives each neighbour once, by the seed and edge that give it most', () => {
  fc.assert(
    fc.property(seeds, edges, (from, all) => {
      const found = expandNeighbours(from, all, { shareOf, most: 100 })
      for (const id of ids) {
        const offers = from.flatMap(({ id: seed, similarity }) =>
          all
            .filter((edge) => joins(edge, seed, id))
            .map((edge) => similarity * (edge.weight * shareOf(edge))),
        )
        const mine = found.filter((each) => each.id === id)
        expect(mine.map(({ similarity }) => similarity)).toEqual(
          Math.max(0, ...offers) > 0 ? [Math.max(...offers)] : [],
        )
        for (const { seed, edge } of mine) expect(joins(edge, seed, id)).toBe(true)
      }
    }),
  )
})

test('expandNeighbours gives at most the factor of the seed, and nothing along contradicts', () => {
  fc.assert(
    fc.property(seeds, edges, fc.integer({ min: 1, max: 4 }), (from, all, most) => {
      const similarityOf = new Map(from.map(({ id, similarity }) => [id, similarity]))
      for (const { similarity, seed, edge } of expandNeighbours(from, all, { shareOf, most })) {
        expect(similarity).toBeLessThanOrEqual(FACTOR * (similarityOf.get(seed) ?? 0))
        expect(edge.relation).not.toBe(CONTRADICTS)
      }
    }),
  )
})
