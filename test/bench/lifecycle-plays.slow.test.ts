import { expect, test } from 'vitest'
import { edgesOf, meanOutcomeWeight, usageShare } from '../../bench/lifecycle/graph-state.ts'
import { lifecycle } from '../../bench/lifecycle/lifecycle.ts'
import { curveOf, summarise } from '../../bench/lifecycle/measures.ts'
import type { Played } from '../../bench/lifecycle/play.ts'
import {
  ABLATIONS,
  ablationsNamed,
  BASELINES,
  OURS,
  policyOf,
  WITHOUT_LEARNING,
} from '../../bench/lifecycle/policies.ts'
import { playAll, type Results } from '../../bench/lifecycle/spread.ts'
import { judge } from '../../bench/lifecycle/verdict.ts'
import { settingsSchema } from '../../src/config/settings.ts'

const SESSIONS = 10
const policies = [OURS, WITHOUT_LEARNING, ...BASELINES, ABLATIONS.outcomeEdges!]
const plan = { seeds: [1], world: 'default', policies, sessions: SESSIONS, jobs: 2 }
const silent = () => {}
const results = await playAll(plan, silent)

test('every policy keeps to settings there are, and says whether it takes or adds', () => {
  for (const { name, config } of Object.values(ABLATIONS)) {
    expect(name).toMatch(/^[−+] \S/)
    expect(config).not.toEqual({})
    expect(settingsSchema.parse(config)).toMatchObject(config)
    expect(settingsSchema.parse(config)).not.toEqual(settingsSchema.parse({}))
  }
  const names = Object.values(ABLATIONS).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('a mechanism nobody knows is refused', async () => {
  expect(ablationsNamed(['all'])).toEqual(Object.values(ABLATIONS))
  expect(() => ablationsNamed(['belief', 'luck'])).toThrow(/--ablate knows belief, .*; not luck/)
  expect(() => ablationsNamed(['constructor'])).toThrow('not constructor')
  const flags = { seeds: '1', 'first-seed': '0', sessions: '1', world: 'default', jobs: '1' }
  await expect(lifecycle.run({ ...flags, ablate: 'luck' }, silent)).rejects.toThrow('not luck')
  await expect(lifecycle.run({ ...flags, world: 'sunny' }, silent)).rejects.toThrow('not sunny')
})

test('a setting to try becomes a policy', () => {
  expect(policyOf('recall.pool=30&recall.expansion=off&frames.attention.belief=0.6').config).toEqual({
    recall: { pool: 30, expansion: 'off' },
    frames: { attention: { belief: 0.6 } },
  })
  expect(() => policyOf('recall.pool')).toThrow('--try wants section.key=value')
})

test('results do not depend on how many plays go on at the same time', async () => {
  const few = { ...plan, policies: [OURS, WITHOUT_LEARNING] }
  const alone = await playAll({ ...few, jobs: 1 }, silent)
  for (const { name } of few.policies) expect(timeless(alone, name)).toEqual(timeless(results, name))
})

test('a play that fails fails the whole', async () => {
  const wrong = policyOf('recall.pool=many')
  await expect(playAll({ ...plan, policies: [wrong] }, silent)).rejects.toThrow('pool')
})

test('policies play as they say', () => {
  const edges = (name: string, relation: string) => edgesOf(of(name).graph.at(-1)!, relation)
  const expanded = (name: string) => sum(of(name).served.map((each) => each.expanded))
  expect(edges(OURS.name, 'outcome')).toBeGreaterThan(0)
  expect(edges('− outcome edges', 'outcome')).toBe(0)
  expect(expanded('no learning')).toBe(0)
  expect(answers('− outcome edges')).not.toEqual(answers(OURS.name))
  expect(answers('vector only')).not.toEqual(answers('no learning'))
  expect(answers('keyword only')).not.toEqual(answers('no learning'))
  for (const { name } of BASELINES) expect(recall(name)).toBeLessThan(recall('no learning'))
  expect(recall('newest first')).toBeLessThan(0.3)
})

test('what is measured is counted session by session', () => {
  const { served, curated, graph } = of(OURS.name)
  expect(served).toHaveLength(20 * SESSIONS)
  expect(curated).toHaveLength(SESSIONS)
  expect(graph.map(({ sessions }) => sessions)).toEqual(Array.from({ length: SESSIONS }, (_, at) => at + 1))
  const last = graph.at(-1)!
  expect(usageShare(last)).toBeCloseTo(1 - edgesOf(last, 'similar') / edgesOf(last))
  expect(meanOutcomeWeight(last)).toBeGreaterThan(0.7)
  const joined = edgesOf(last, 'co_occurs')
  // What the last session joined no curation has seen.
  expect(sum(curated.map(({ promoted }) => promoted))).toBeLessThanOrEqual(joined)
  const curve = curveOf([of(OURS.name)], [of(WITHOUT_LEARNING.name)], SESSIONS)
  expect(curve.map(({ sessions }) => sessions)).toEqual(Array.from({ length: SESSIONS }, (_, at) => at + 1))
  const { recall: whole, earlyRecall, lateRecall } = summarise(of(OURS.name), SESSIONS)
  expect(sum(curve.map((each) => each.recall)) / SESSIONS).toBeCloseTo(whole)
  expect((earlyRecall + lateRecall) / 2).toBeCloseTo(whole)
})

test('the verdict names what is met and what is missed', () => {
  const gain = { mean: 0.06, low: 0.04, high: 0.08 }
  const evidence = {
    recall: gain,
    earlyRecall: { ...gain, mean: 0.05 },
    lateRecall: { ...gain, mean: 0.07 },
    lateHarmful: 0.1,
    lateHarmfulWithoutLearning: 0.2,
    usage: 0.31,
  }
  const met = (changed: Partial<typeof evidence>) =>
    judge({ ...evidence, ...changed }).map((each) => each.met)
  expect(met({})).toEqual([true, true, true, true])
  expect(met({ recall: { ...gain, mean: 0.049 } })).toEqual([false, true, true, true])
  expect(met({ recall: { ...gain, low: -0.01 } })).toEqual([false, true, true, true])
  expect(met({ lateRecall: evidence.earlyRecall })).toEqual([true, false, true, true])
  expect(met({ lateHarmful: 0.11, usage: 0.3 })).toEqual([true, true, false, false])
})

function of(name: string): Played {
  return results.get(name)![0]!
}

function answers(name: string) {
  return of(name).served
}

function recall(name: string): number {
  return summarise(of(name), SESSIONS).recall
}

function timeless(all: Results, name: string) {
  return all.get(name)!.map(({ seconds, ...rest }) => rest)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
