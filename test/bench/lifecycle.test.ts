import { expect, test } from 'vitest'
import { CONDITIONS, conditionsNamed } from '../../bench/lifecycle/conditions.ts'
import { isHarmful, liveVersion } from '../../bench/lifecycle/facts.ts'
import { reportOn } from '../../bench/lifecycle/report.ts'
import { actOn } from '../../bench/lifecycle/traces.ts'
import { createWorld } from '../../bench/lifecycle/world.ts'
import { dot } from '../../src/domain/score/vector.ts'

const world = createWorld(1)
const { facts, queries } = world

test('the same seed makes the same world', () => {
  const again = createWorld(1)
  expect(again.queries[999]).toEqual(queries[999])
  expect(createWorld(2).queries[999]).not.toEqual(queries[999])
})

test('what is known and when does not depend on how it is asked for', () => {
  for (const conditions of Object.values(CONDITIONS)) {
    const other = createWorld(1, conditions)
    expect(other.facts).toEqual(facts)
    expect(other.starts).toEqual(world.starts)
  }
  expect(createWorld(1, CONDITIONS.default)).toEqual(world)
})

test('the conditions change what they say', () => {
  const named = (name: string) => createWorld(1, conditionsNamed(name))
  const reports = (name: string) => {
    const changed = named(name)
    return changed.queries.flatMap((query) => reportOn([...query.useful], query, changed))
  }
  expect(reports('unreported')).toEqual([])
  expect(new Set(reports('whole-set').map(({ scope }) => scope))).toEqual(new Set(['set']))
  expect(named('whole-set').queries).toEqual(queries)
  const hidden = (asked: typeof queries) => asked.reduce((sum, query) => sum + query.hidden.length, 0)
  expect(hidden(named('unreported-clear').queries)).toBeLessThan(0.9 * hidden(queries))
  const alone = (asked: typeof queries) => asked.filter(({ useful }) => useful.size === 1).length
  expect(alone(named('recurring').queries)).toBeLessThan(0.7 * alone(queries))
  expect(() => conditionsNamed('sunny')).toThrow('--world knows default, ')
})

test('the world has about the facts and similarities it was described with', () => {
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

test('what is done with a fact does not depend on what else was shown, and harm is taken back more often', () => {
  const traced = createWorld(1, conditionsNamed('traced'))
  const inputs = (places: readonly number[], at: number) =>
    actOn(places, traced.queries[at]!, traced).flatMap((event) =>
      event.kind === 'tool' && event.edited !== undefined ? [`${event.edited} ${event.input}`] : [],
    )
  const places = [...facts.keys()].slice(0, 200)
  const alone = places.flatMap((place) => inputs([place], 7))
  expect(alone.length).toBeGreaterThan(5)
  expect(inputs(places, 7)).toEqual(alone)
  const reverts = (harmful: boolean) =>
    traced.queries
      .map((query) => {
        const place = facts.findIndex((fact) => isHarmful(fact, query.session) === harmful)
        return actOn(harmful ? [place] : [...query.useful], query, traced)
      })
      .filter((events) => events.some((event) => event.kind === 'tool' && event.input.includes('revert')))
      .length
  expect(reverts(true)).toBeGreaterThan(2 * reverts(false))
})
