import { availableParallelism } from 'node:os'
import { type Bench, type FlagValues, listOf, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { mean } from '../lib/statistics.ts'
import { intervalText, percent, points } from '../lib/table.ts'
import { type Beside, besideParts, playBeside } from './beside.ts'
import { CONDITIONS, conditionsNamed } from './conditions.ts'
import {
  averageOf,
  type Differences,
  differencesOf,
  policyTable,
  type Row,
  type SignalRow,
  type Summary,
  signalTable,
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
import { type Plan, playAll, type Results } from './spread.ts'

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
      description: `Comma-separated mechanisms to take away one at a time, or "all": ${Object.keys(ABLATIONS).join(', ')}; "traces": signals of the world traced`,
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
    const beside = plan.world === 'default' ? await playBeside(plan, log) : undefined
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
  const verdict = verdictOf(averageOf(ours), averageOf(without), differencesOf(ours, without))
  const bare = summaries.get(WITHOUT_SIGNALS.name)
  const signals = bare && signalsOf(summaries, bare)
  const secondsPerWorld = mean((results.get(OURS.name) ?? []).map(({ seconds }) => seconds))
  const data: LifecycleData = {
    ...{ seeds, world, sessions, rows, verdict, secondsPerWorld },
    ...(signals === undefined ? {} : { signals }),
    ...(beside === undefined ? {} : { beside }),
  }
  return { report: textOf(partsOf(data)), data }
}

/** Tells whether learning earns its keep, by what is required of it. */
function verdictOf(ours: Summary, without: Summary, ahead: Differences): string {
  const { recall, earlyRecall, lateRecall } = ahead
  const requirements = [
    [
      'recall@5 at least 5 points above no learning, interval above 0',
      recall.mean >= 0.05 && recall.low > 0,
      intervalText(recall),
    ],
    [
      'a larger gap late than early',
      lateRecall.mean > earlyRecall.mean,
      `${points(earlyRecall.mean)} early, ${points(lateRecall.mean)} late`,
    ],
    [
      'late harmful share at most half of no learning',
      ours.lateHarmful <= 0.5 * without.lateHarmful,
      `${percent(ours.lateHarmful)} % against ${percent(without.lateHarmful)} %`,
    ],
    ['more than 30 % of the edges made by use', ours.usage > 0.3, `${percent(ours.usage)} %`],
  ] as const
  const lines = requirements.map(
    ([says, isMet, because]) => `  ${isMet ? 'met' : 'MISSED'}: ${says} (${because})`,
  )
  return ['verdict', ...lines].join('\n')
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
  readonly verdict: string
  readonly secondsPerWorld: number
  /** Of the world `traced`: what signals do, beside none. */
  readonly signals?: readonly SignalRow[]
  /** Results of the default world beside its main table. */
  readonly beside?: Beside
}

/** The tables of a result. */
function partsOf({ seeds, world, sessions, ...measured }: LifecycleData): readonly Part[] {
  const { rows, verdict, secondsPerWorld, signals, beside } = measured
  const ahead = rows.find(({ name }) => name === WITHOUT_LEARNING.name)?.ahead
  return [
    {
      name: 'worlds',
      body: `${seeds.length} worlds from ${seeds[0]} (${world}), ${sessions} sessions of 20 questions; * in the second half of the sessions`,
    },
    { name: 'policies', body: policyTable(rows) },
    ...(signals === undefined ? [] : [{ name: 'signals', body: signalTable(signals) }]),
    ...(ahead
      ? [
          {
            name: 'halves',
            body: `ahead of no learning in recall@5: ${intervalText(ahead.earlyRecall)} early, ${intervalText(ahead.lateRecall)} late`,
          },
        ]
      : []),
    { name: 'cost', body: `${secondsPerWorld.toFixed(0)} s a world and policy` },
    ...(beside === undefined ? [] : besideParts(beside)),
    { name: 'verdict', body: verdict },
  ]
}
