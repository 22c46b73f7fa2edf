import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EdgeOrigin } from './edge.ts'
import { evictForCap, outranks } from './linker.ts'

const edge = fc.record({
  from: fc.constantFrom('a', 'b', 'm'),
  to: fc.constantFrom('m', 'y', 'z'),
  relation: fc.constantFrom('similar', 'co_occurs', 'supports', 'outcome', 'own_word'),
  origin: fc.constantFrom<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred'),
  weight: fc.constantFrom(0.1, 0.2, 0.5, 0.9),
})

/** Generates at most one edge a pair around m and z, the ends of the new edge, and none between these two. */
const residents = fc.uniqueArray(
  edge.filter(({ from, to }) => from !== to && `${from}${to}` !== 'mz'),
  { selector: ({ from, to }) => from + to, maxLength: 8 },
)
const newcomer = edge.map((each) => ({ ...each, from: 'm', to: 'z' }))
const cap = fc.integer({ min: 1, max: 4 })
const weightOf = ({ weight }: { weight: number }) => weight
const degree = (id: string, edges: readonly { from: string; to: string }[]) =>
  edges.filter(({ from, to }) => from === id || to === id).length

test('evictForCap makes room at both ends, and removes an edge only where an end is full', () => {
  fc.assert(
    fc.property(newcomer, residents, cap, (added, edges, most) => {
      const gone = evictForCap(added, edges, { cap: most, weightOf })
      if (gone === undefined) return
      const left = edges.filter((each) => !gone.includes(each))
      for (const id of ['m', 'z']) {
        expect(degree(id, left)).toBeLessThan(most)
        if (degree(id, edges) < most) expect(degree(id, gone)).toBe(0)
      }
      for (const victim of gone) expect(outranks(added, victim)).toBe(true)
      expect(new Set(gone).size).toBe(gone.length)
    }),
  )
})

test('evictForCap is undefined only where a full end has too few edges that the new one outranks', () => {
  fc.assert(
    fc.property(newcomer, residents, cap, (added, edges, most) => {
      const tooFew = ['m', 'z'].some((id) => {
        const atEnd = edges.filter(({ from, to }) => from === id || to === id)
        return atEnd.filter((each) => !outranks(added, each)).length >= most
      })
      expect(evictForCap(added, edges, { cap: most, weightOf }) === undefined).toBe(tooFew)
    }),
  )
})
