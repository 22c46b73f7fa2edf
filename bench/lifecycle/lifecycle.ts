import { join } from 'node:path'
import type { SettingsInput } from '../../src/index.ts'
import { type Bench, listOf, wholeNumber } from '../lib/bench.ts'
import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { percent, points, table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type Played, play, type Served } from './play.ts'
import { createWorld } from './world.ts'

/** Settings of a policy, and what is switched off in it. */
interface Policy {
  readonly name: string
  readonly config: SettingsInput
}

const OURS: Policy = { name: 'elfmem', config: {} }
/** The same match, but neither belief nor edges nor age move a rank. */
const WITHOUT_LEARNING: Policy = {
  name: 'no learning',
  config: {
    frames: { attention: { belief: 0, recency: 0 } },
    recall: { expansionSeeds: 0, twins: false },
  },
}
const ABLATIONS: Readonly<Record<string, Policy>> = {
  belief: { name: '− belief', config: { frames: { attention: { belief: 0 } } } },
  edges: { name: '− edges', config: { recall: { expansionSeeds: 0 } } },
  recency: { name: '− recency', config: { frames: { attention: { recency: 0 } } } },
  twins: { name: '− newer of near twins', config: { recall: { twins: false } } },
  stretch: { name: '− stretch', config: { recall: { stretchFloor: 0 } } },
  archive: { name: '− archiving', config: { memory: { archiveRecency: 0 } } },
}

const FIRST_SEED = 700

interface Summary {
  readonly hit: number
  readonly recall: number
  readonly reciprocalRank: number
  /** Of the second half of the sessions, as are the next two. */
  readonly lateHarmful: number
  readonly lateRecall: number
  readonly lateHidden: number
  /** Share of useful facts archived when they were asked for. */
  readonly archived: number
}

type Differences = Readonly<
  Record<'hit' | 'recall' | 'reciprocalRank' | 'lateHarmful' | 'lateRecall', Interval>
>

interface Row extends Summary {
  readonly name: string
  /** elfmem minus this policy, paired by seed. */
  readonly ahead: Differences
}

export const lifecycle: Bench = {
  name: 'lifecycle',
  summary: 'whether reported outcomes make later recalls better, in a simulated world',
  flags: {
    seeds: { type: 'string', default: '3', description: 'Worlds played' },
    sessions: {
      type: 'string',
      default: '100',
      description: 'Sessions of 20 questions in each, at most 100',
    },
    ablate: {
      type: 'string',
      description: `Comma-separated parts to switch off one at a time, or "all": ${Object.keys(ABLATIONS).join(', ')}`,
    },
  },
  run: async (flags, log) => {
    const sessions = Math.min(100, wholeNumber(flags, 'sessions'))
    const seeds = Array.from({ length: wholeNumber(flags, 'seeds') }, (_, i) => FIRST_SEED + i)
    const policies = [OURS, WITHOUT_LEARNING, ...ablationsOf(listOf(flags, 'ablate'))]
    const results = new Map(policies.map(({ name }) => [name, [] as Played[]]))
    await withTemporaryFolder(async (folder) => {
      for (const seed of seeds) {
        const world = createWorld(seed)
        for (const [i, { name, config }] of policies.entries()) {
          const played = await play(world, { path: join(folder, `${seed}-${i}.db`), config, sessions })
          log(`world ${seed}, ${name}: ${played.seconds.toFixed(0)} s, ${played.archived} facts archived`)
          results.get(name)?.push(played)
        }
      }
    })
    return report({ results, seeds: seeds.length, sessions })
  },
}

function ablationsOf(given: readonly string[]): Policy[] {
  const names = given.length === 1 && given[0] === 'all' ? Object.keys(ABLATIONS) : given
  return names.map((name) => {
    const policy = ABLATIONS[name]
    if (!policy) throw new Error(`--ablate knows ${Object.keys(ABLATIONS).join(', ')}; not ${name}`)
    return policy
  })
}

function report({
  results,
  seeds,
  sessions,
}: {
  readonly results: ReadonlyMap<string, readonly Played[]>
  readonly seeds: number
  readonly sessions: number
}) {
  const ours = (results.get(OURS.name) ?? []).map((played) => summarise(played.served, sessions))
  const rows = [...results].map(([name, played]): Row => {
    const own = played.map(({ served }) => summarise(served, sessions))
    return { name, ...averageOf(own), ahead: differences(ours, own) }
  })
  const text = table(
    [
      'policy',
      'hit@5',
      'recall@5',
      'MRR',
      'harmful*',
      'recall@5*',
      'hidden found*',
      'elfmem ahead, recall@5',
      'recall@5*',
      'MRR',
    ],
    rows.map((row) => [
      row.name,
      percent(row.hit),
      percent(row.recall),
      percent(row.reciprocalRank),
      percent(row.lateHarmful),
      percent(row.lateRecall),
      percent(row.lateHidden),
      ...(row.name === OURS.name
        ? ['', '', '']
        : [interval(row.ahead.recall), interval(row.ahead.lateRecall), interval(row.ahead.reciprocalRank)]),
    ]),
  )
  const secondsPerWorld = mean((results.get(OURS.name) ?? []).map(({ seconds }) => seconds))
  return {
    report: [
      `${seeds} worlds, ${sessions} sessions of 20 questions; * in the second half of the sessions`,
      text,
      `${secondsPerWorld.toFixed(0)} s a world and policy; ${percent(rows[0]?.archived ?? 0)} % of useful facts were archived when asked for`,
    ].join('\n\n'),
    data: { seeds, sessions, rows, secondsPerWorld },
  }
}

function summarise(served: readonly Served[], sessions: number): Summary {
  const late = served.filter(({ session }) => session >= sessions / 2)
  const hidden = late.reduce((sum, each) => sum + each.hidden, 0)
  return {
    hit: mean(served.map(({ hit }) => hit)),
    recall: mean(served.map(({ recall }) => recall)),
    reciprocalRank: mean(served.map(({ reciprocalRank }) => reciprocalRank)),
    lateHarmful: mean(late.map(({ harmful }) => harmful)),
    lateRecall: mean(late.map(({ recall }) => recall)),
    lateHidden: late.reduce((sum, each) => sum + each.hiddenFound, 0) / Math.max(1, hidden),
    archived: mean(served.map(({ archived }) => archived)),
  }
}

function averageOf(summaries: readonly Summary[]): Summary {
  const average = (key: keyof Summary) => mean(summaries.map((each) => each[key]))
  return {
    hit: average('hit'),
    recall: average('recall'),
    reciprocalRank: average('reciprocalRank'),
    lateHarmful: average('lateHarmful'),
    lateRecall: average('lateRecall'),
    lateHidden: average('lateHidden'),
    archived: average('archived'),
  }
}

function differences(ours: readonly Summary[], others: readonly Summary[]): Differences {
  const of = (key: keyof Summary) => tInterval(ours.map((each, i) => each[key] - (others[i] as Summary)[key]))
  return {
    hit: of('hit'),
    recall: of('recall'),
    reciprocalRank: of('reciprocalRank'),
    lateHarmful: of('lateHarmful'),
    lateRecall: of('lateRecall'),
  }
}

function interval({ mean: centre, low, high }: Interval): string {
  return `${points(centre)} [${points(low)}, ${points(high)}]`
}
