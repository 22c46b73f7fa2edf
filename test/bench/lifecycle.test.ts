import { expect, test } from 'vitest'
import { isHarmful, liveVersion } from '../../bench/lifecycle/facts.ts'
import { reportOn } from '../../bench/lifecycle/report.ts'
import { createWorld } from '../../bench/lifecycle/world.ts'
import { dot } from '../../src/domain/vector.ts'

const world = createWorld(1)
const { facts, queries } = world

test('the same seed makes the same world', () => {
  const again = createWorld(1)
  expect(again.queries[999]).toEqual(queries[999])
  expect(createWorld(2).queries[999]).not.toEqual(queries[999])
})

test('the world has about the facts and likenesses it was described with', () => {
  const of = (kind: string) => facts.filter((fact) => fact.kind === kind)
  expect(of('true')).toHaveLength(600)
  expect(of('misleading').length).toBeGreaterThan(60)
  expect(of('update').length).toBeGreaterThan(80)
  expect(of('update').length).toBeLessThan(160)
  const replaced = facts.flatMap(({ vector, next }) =>
    next === undefined ? [] : [dot(vector, facts[next]!.vector)],
  )
  expect(Math.min(...replaced)).toBeGreaterThan(0.75)
  expect(Math.max(...replaced)).toBeLessThan(0.95)
})

test('only what is known and true at the time can be useful', () => {
  for (const { useful, session } of queries) {
    for (const place of useful) {
      const fact = facts[place]!
      expect(fact.arrives).toBeLessThanOrEqual(session)
      expect(isHarmful(fact, session)).toBe(false)
    }
  }
})

test('a replaced fact lives on in its new version', () => {
  const old = facts.findIndex(({ next }) => next !== undefined)
  const { until, next } = facts[old]!
  expect(liveVersion(facts, old, until - 1)).toBe(old)
  expect(liveVersion(facts, old, until)).toBe(next)
})

test('reports are the same whatever else was shown, and most are honest', () => {
  const helped = queries.flatMap((query) => {
    const [useful] = [...query.useful] as [number]
    const alone = reportOn([useful], query, world).find(({ scope }) => scope === 'blocks')
    return alone ? [alone.signal] : []
  })
  expect(helped.length).toBeGreaterThan(queries.length / 4)
  const honest = helped.filter((signal) => signal === 1).length / helped.length
  expect(honest).toBeGreaterThan(0.85)
  expect(honest).toBeLessThan(0.95)
})

test('most questions are nearer to what they speak of than to other topics', () => {
  const nearer = queries.filter(({ vector, useful }) => {
    const [one] = [...useful] as [number]
    const stranger = facts.find(({ topic }) => topic !== facts[one]!.topic)!
    return dot(vector, facts[one]!.vector) > dot(vector, stranger.vector)
  })
  expect(nearer.length / queries.length).toBeGreaterThan(0.8)
})
