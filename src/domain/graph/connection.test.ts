import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength } from '../text/text.ts'
import {
  assertedEdge,
  type Claim,
  mergedNote,
  NOTE_LENGTH_MAX,
  reinforcedEdge,
  reinforcedWeight,
  updatedEdge,
  weightDistance,
} from './connection.ts'
import type { Edge, EdgeOrigin } from './edge.ts'
import { relationDefaultWeight } from './relation.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const relation = fc.constantFrom('similar', 'supports', 'contradicts', 'was_said_by')
const origin = fc.constantFrom<EdgeOrigin>('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')
const note = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('n'.repeat(250), '😀'.repeat(NOTE_LENGTH_MAX)),
)
const claim: fc.Arbitrary<Claim> = fc.record({ relation, weight: unit, note }, { requiredKeys: [] })
const edge: fc.Arbitrary<Edge> = fc.record(
  {
    from: fc.constant('a'),
    to: fc.constant('b'),
    relation,
    origin,
    weight: unit,
    reinforcementCount: fc.nat(100),
    lastActiveAt: fc.constant(1),
    createdAt: fc.constant('2026-03-02T09:00:00.000Z'),
    note,
  },
  { requiredKeys: ['from', 'to', 'relation', 'origin', 'weight', 'reinforcementCount', 'createdAt'] },
)
const context = { hours: 7, at: '2026-03-03T09:00:00.000Z', source: 'b' }
const rule = fc.constantFrom('add' as const, 'ltp' as const)

test('reinforcedWeight is never lower than the weight and never above 1', () => {
  expect(reinforcedWeight(0.95, 0.1)).toBe(1)
  expect(reinforcedWeight(0.8, 0.1, 'ltp')).toBeCloseTo(0.82, 12)
  fc.assert(
    fc.property(unit, unit, rule, (weight, step, kind) => {
      const after = reinforcedWeight(weight, step, kind)
      expect(after).toBeGreaterThanOrEqual(weight)
      expect(after).toBeLessThanOrEqual(1)
      expect(reinforcedWeight(weight, step, 'ltp')).toBeLessThanOrEqual(
        reinforcedWeight(weight, step) + 1e-12,
      )
    }),
  )
})

test('assertedEdge is of the agent, with what is claimed and the weight of its relation', () => {
  fc.assert(
    fc.property(claim, (said) => {
      const made = assertedEdge(['b', 'a'], said, context)
      const kind = said.relation ?? 'similar'
      expect(made).toEqual({
        from: 'a',
        to: 'b',
        relation: kind,
        origin: 'agent',
        weight: said.weight ?? relationDefaultWeight(kind),
        reinforcementCount: 0,
        lastActiveAt: context.hours,
        createdAt: context.at,
        declaredBy: 'b',
        ...(said.note === undefined ? {} : { note: said.note }),
      })
      if (said.weight === undefined) expect(weightDistance(made)).toBe(0)
    }),
  )
})

test('reinforcedEdge counts one use more, weighs no less, and keeps relation and note', () => {
  fc.assert(
    fc.property(edge, claim, unit, rule, (before, said, step, kind) => {
      const after = reinforcedEdge(before, said, { hours: 7, step, rule: kind })
      expect(after).toMatchObject({
        relation: before.relation,
        origin: 'agent',
        reinforcementCount: before.reinforcementCount + 1,
        lastActiveAt: 7,
        createdAt: before.createdAt,
      })
      expect(after.weight).toBeGreaterThanOrEqual(Math.max(before.weight, said.weight ?? 0))
      expect(after.weight).toBeLessThanOrEqual(1)
      expect(after.note).toBe(mergedNote(before.note, said.note))
    }),
  )
})

test('updatedEdge changes exactly what is claimed, and counts no use', () => {
  fc.assert(
    fc.property(edge, claim, (before, said) => {
      const { declaredBy, previousOrigin, ...after } = updatedEdge(before, said, context)
      expect(after).toEqual({ ...before, ...said, origin: 'agent', lastActiveAt: context.hours })
      expect(declaredBy).toBe(said.relation === undefined ? undefined : context.source)
    }),
  )
})

test('updatedEdge keeps the origin that an edge had before the agent took it over', () => {
  fc.assert(
    fc.property(edge, claim, (before, said) => {
      const taken = updatedEdge(before, said, context)
      const again = reinforcedEdge(taken, {}, { hours: 9, step: 0.1, rule: 'add' })
      const expected = before.origin === 'agent' ? undefined : before.origin
      expect([taken.previousOrigin, again.previousOrigin]).toEqual([expected, expected])
    }),
  )
})

test('mergedNote fits, holds the newer note, and repeats nothing', () => {
  fc.assert(
    fc.property(fc.option(note, { nil: undefined }), note, (before, added) => {
      const both = mergedNote(before, added) ?? ''
      expect(both).toContain(added)
      expect(codePointLength(both)).toBeLessThanOrEqual(NOTE_LENGTH_MAX)
      if (codePointLength(`${before ?? ''}; ${added}`) <= NOTE_LENGTH_MAX)
        expect(both).toContain(before ?? '')
      expect(mergedNote(both, added)).toBe(both)
      expect(mergedNote(both, undefined)).toBe(both)
    }),
  )
})
