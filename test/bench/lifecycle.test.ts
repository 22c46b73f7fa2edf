import { expect, test } from 'vitest'
import { conditionsNamed } from '../../bench/lifecycle/conditions.ts'
import { isHarmful } from '../../bench/lifecycle/facts.ts'
import { ABLATIONS } from '../../bench/lifecycle/policies.ts'
import { reportOn } from '../../bench/lifecycle/report.ts'
import { createWorld } from '../../bench/lifecycle/world.ts'
import { settingsSchema } from '../../src/config/settings.ts'

const world = createWorld(1)
const { facts, queries } = world

test('one seed makes one world, and its conditions change how it is asked and not what is known', () => {
  expect(createWorld(1)).toEqual(world)
  expect(createWorld(2).queries[999]).not.toEqual(queries[999])
  expect(createWorld(1, conditionsNamed('unreported-clear')).facts).toEqual(facts)
})

test('the world has about the numbers of facts that the page describes', () => {
  const count = (kind: string) => facts.filter((fact) => fact.kind === kind).length
  expect(count('true')).toBe(600)
  expect(Math.abs(count('misleading') - 75)).toBeLessThan(15)
  expect(Math.abs(count('update') - 120)).toBeLessThan(40)
})

test('only what is known and true at the time is useful', () => {
  const wrong = queries.filter(({ useful, session }) =>
    [...useful].some((place) => facts[place]!.arrives > session || isHarmful(facts[place]!, session)),
  )
  expect(wrong).toEqual([])
})

test('nine in ten reports on a single useful block say that it helped', () => {
  const signals = queries.flatMap((query) => {
    const [useful] = [...query.useful] as [number]
    return reportOn([useful], query, world)
      .filter(({ scope }) => scope === 'blocks')
      .map(({ signal }) => signal)
  })
  expect(signals.length).toBeGreaterThan(queries.length / 4)
  expect(signals.filter((signal) => signal === 1).length / signals.length).toBeCloseTo(0.9, 1)
})

test.each(Object.entries(ABLATIONS))('the ablation %s changes settings that there are', (_, { config }) => {
  expect(settingsSchema.parse(config)).toMatchObject(config)
  expect(settingsSchema.parse(config)).not.toEqual(settingsSchema.parse({}))
})
