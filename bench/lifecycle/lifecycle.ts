import { availableParallelism } from 'node:os'
import { type Bench, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { type Interval, mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { type Beside, besideParts, playBeside } from './beside.ts'
import { CONDITIONS, conditionsNamed } from './conditions.ts'
import type { GraphState } from './graph-state.ts'
import {
  averageOf,
  type CurvePoint,
  curveOf,
  differencesOf,
  growthOf,
  meanGraph,
  type Summary,
  summarise,
} from './measures.ts'
import {
  ABLATIONS,
  ablationsNamed,
  BASELINES,
  OURS,
  type Policy,
  policyOf,
  WITHOUT_LEARNING,
  WITHOUT_SIGNALS,
} from './policies.ts'
import {
  curveTable,
  graphTable,
  interval,
  policyTable,
  type Row,
  type SignalRow,
  signalTable,
} from './print.ts'
import { type Plan, playAll, type Results } from './spread.ts'
import { judge, verdictLine } from './verdict.ts'

/** No constant was chosen on the worlds from here on. */
const FIRST_SEED = 700
const MOST_SESSIONS = 100

export const lifecycle: Bench = {
  name: 'lifecycle',
  summary: 'whether reported outcomes make later recalls better, in a simulated world',
  flags: {
    seeds: { type: 'string', default: '10', description: 'Worlds played' },
    'first-seed': {
      type: 'string',
      default: String(FIRST_SEED),
      description: `Seed of the first of them; choose constants on those below ${FIRST_SEED} only`,
    },
    sessions: {
      type: 'string',
      default: String(MOST_SESSIONS),
      description: `Sessions of 20 questions in each, at most ${MOST_SESSIONS}`,
    },
    world: {
      type: 'string',
      default: 'default',
      description: `Conditions: ${Object.keys(CONDITIONS).join(', ')}`,
    },
    ablate: {
      type: 'string',
      description: `Comma-separated mechanisms to take away or add one at a time, or "all": ${Object.keys(ABLATIONS).join(', ')}; "traces": signals of the world traced`,
    },
    baselines: {
      type: 'boolean',
      description: 'Also vectors alone, words alone and the newest; on with --ablate all',
    },
    try: {
      type: 'string',
      description:
        'Comma-separated changes of settings to play beside, such as recall.newerFirst=1; & joins several into one',
    },
    jobs: { type: 'string', default: String(availableParallelism()), description: 'Plays at the same time' },
  },
  run: async (flags, log) => {
    const plan = planOf(flags)
    const results = await playAll(plan, log)
    const beside = plan.world === 'default' ? await playBeside(plan, results, log) : undefined
    return report(plan, results, beside)
  },
  present: partsOf,
}

function planOf(flags: FlagValues): Plan {
  const first = Number(flags['first-seed'])
  if (!Number.isInteger(first) || first < 0) throw new Error('--first-seed wants a whole number of 0 or more')
  const world = String(flags.world)
  conditionsNamed(world)
  return {
    seeds: Array.from({ length: wholeNumber(flags, 'seeds') }, (_, i) => first + i),
    world,
    policies: policiesOf(flags),
    sessions: Math.min(MOST_SESSIONS, wholeNumber(flags, 'sessions')),
    jobs: wholeNumber(flags, 'jobs'),
  }
}

function policiesOf(flags: FlagValues): Policy[] {
  const baselines = flags.baselines ?? flags.ablate === 'all'
  const policies = [
    OURS,
    WITHOUT_LEARNING,
    ...(baselines ? BASELINES : []),
    ...ablationsNamed(listOf(flags, 'ablate')),
    ...listOf(flags, 'try').map(policyOf),
  ]
  // One played twice would count its worlds twice.
  return [...new Map(policies.map((policy) => [policy.name, policy])).values()]
}

function report({ seeds, world, sessions }: Plan, results: Results, beside: Beside | undefined) {
  const summaries = new Map(
    [...results].map(([name, played]) => [name, played.map((each) => summarise(each, sessions))] as const),
  )
  const ours = summaries.get(OURS.name) ?? []
  const without = summaries.get(WITHOUT_LEARNING.name) ?? []
  const rows = [...summaries].map(([name, own]) => ({
    name,
    means: averageOf(own),
    ...(name === OURS.name ? {} : { ahead: differencesOf(ours, own) }),
  }))
  const played = results.get(OURS.name) ?? []
  const curve = curveOf(played, results.get(WITHOUT_LEARNING.name) ?? [], sessions)
  const graph = meanGraph(played)
  const ahead = differencesOf(ours, without)
  const growth = growthOf(ours, without)
  const verdict = judge({
    ...ahead,
    lateHarmful: averageOf(ours).lateHarmful,
    lateHarmfulWithoutLearning: averageOf(without).lateHarmful,
    usage: averageOf(ours).usage,
  })
  const bare = summaries.get(WITHOUT_SIGNALS.name)
  const signals = bare && signalsOf(summaries, bare)
  const secondsPerWorld = mean(played.map(({ seconds }) => seconds))
  const data: LifecycleData = {
    ...{ seeds, world, sessions, rows, curve, growth, graph, verdict, secondsPerWorld },
    ...(signals === undefined ? {} : { signals }),
    ...(beside === undefined ? {} : { beside }),
  }
  return { report: textOf(partsOf(data)), data }
}

/** How far each policy with signals is from the one without, which differs in nothing else. */
function signalsOf(
  summaries: ReadonlyMap<string, readonly Summary[]>,
  bare: readonly Summary[],
): SignalRow[] {
  return [...summaries]
    .filter(([name]) => name !== WITHOUT_SIGNALS.name && name !== WITHOUT_LEARNING.name)
    .map(([name, own]) => ({ name, means: averageOf(own), ahead: differencesOf(own, bare) }))
}

interface LifecycleData extends Pick<Plan, 'seeds' | 'world' | 'sessions'> {
  readonly rows: readonly Row[]
  readonly curve: readonly CurvePoint[]
  /** How much further ahead of no learning elfmem is in the second half. */
  readonly growth: Interval
  readonly graph: readonly GraphState[]
  readonly verdict: ReturnType<typeof judge>
  readonly secondsPerWorld: number
  /** Of the world `traced`: what signals do, beside none. */
  readonly signals?: readonly SignalRow[]
  /** Results of the default world beside its main table. */
  readonly beside?: Beside
}

/** The tables of a result. */
function partsOf({ seeds, world, sessions, ...measured }: LifecycleData): readonly Part[] {
  const { rows, curve, growth, graph, verdict, secondsPerWorld, signals, beside } = measured
  const ours = rows.find(({ name }) => name === OURS.name)?.means
  const ahead = rows.find(({ name }) => name === WITHOUT_LEARNING.name)?.ahead
  return [
    {
      name: 'worlds',
      body: `${seeds.length} worlds from ${seeds[0]} (${world}), ${sessions} sessions of 20 questions; * in the second half of the sessions`,
    },
    { name: 'policies', body: policyTable(rows) },
    ...(signals === undefined ? [] : [{ name: 'signals', body: signalTable(signals) }]),
    {
      name: 'curve',
      title: 'elfmem by tenth of the sessions; promoted and pruned edges are means for one curation',
      body: curveTable(curve, graph),
    },
    ...(ahead
      ? [
          {
            name: 'halves',
            body: `ahead of no learning in recall@5: ${interval(ahead.earlyRecall)} early, ${interval(ahead.lateRecall)} late, ${interval(growth)} more late`,
          },
        ]
      : []),
    { name: 'graph', body: graphTable(graph) },
    {
      name: 'cost',
      body: `${secondsPerWorld.toFixed(0)} s a world and policy; ${percent(ours?.archived ?? 0)} % of useful facts were archived when asked for`,
    },
    ...(beside === undefined ? [] : besideParts(beside)),
    { name: 'verdict', body: verdictLine(verdict) },
  ]
}
