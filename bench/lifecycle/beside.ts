import type { Part } from '../lib/part.ts'
import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { averageOf, differencesOf, summarise } from './measures.ts'
import type { Played } from './play.ts'
import { CONNECTING, OURS, PLAIN_STRATEGIES } from './policies.ts'
import { interval, policyTable, type Row } from './print.ts'
import { type Plan, playAll, type Results } from './spread.ts'

/** Worlds played beside the main table, and sessions of those with strategies. */
const SEEDS = 3
const SESSIONS = 24

/** A measure of one kind of question with strategies first, without, and the difference by seed. */
interface Compared {
  readonly with: number
  readonly without: number
  readonly ahead: Interval
}

/** Questions about a task that has a strategy are on the point; all others are off it. */
interface StrategyRow {
  readonly world: string
  readonly isOnPoint: boolean
  /** Share of tasks that the first entry solves, without and with strategies. */
  readonly solved: Compared
  readonly reciprocalRank: Compared
}

/** The results of the worlds that are played beside the main table. */
export interface Beside {
  readonly worlds: number
  readonly sessions: number
  readonly strategies: readonly StrategyRow[]
  /** Results of one world without agents that connect, and with them. */
  readonly connecting: readonly Row[]
  readonly connectsPerSession: number
}

/** Plays worlds with strategies, once as strategies and once as plain notes, and then agents that connect blocks. */
export async function playBeside(plan: Plan, results: Results, log: (line: string) => void): Promise<Beside> {
  const seeds = plan.seeds.slice(0, SEEDS)
  const sessions = Math.min(SESSIONS, plan.sessions)
  const strategies: StrategyRow[] = []
  for (const world of ['strategies-pay', 'strategies-mislead']) {
    const policies = [OURS, PLAIN_STRATEGIES]
    const played = await playAll({ ...plan, seeds, sessions, world, policies }, log)
    const [first = [], plain = []] = policies.map(({ name }) => played.get(name))
    for (const isOnPoint of [true, false]) {
      const of = (key: 'first' | 'reciprocalRank') =>
        compared(first, plain, ({ served }) =>
          mean(served.filter(({ onPoint }) => onPoint === isOnPoint).map((each) => each[key])),
        )
      strategies.push({ world, isOnPoint, solved: of('first'), reciprocalRank: of('reciprocalRank') })
    }
  }
  const joined = (await playAll({ ...plan, seeds, policies: [CONNECTING] }, log)).get(CONNECTING.name) ?? []
  const apart = (results.get(OURS.name) ?? []).slice(0, seeds.length)
  const [own, other] = [apart, joined].map((all) => all.map((each) => summarise(each, plan.sessions)))
  return {
    ...{ worlds: seeds.length, sessions, strategies },
    connecting: [
      { name: OURS.name, means: averageOf(own ?? []) },
      { name: CONNECTING.name, means: averageOf(other ?? []), ahead: differencesOf(own ?? [], other ?? []) },
    ],
    connectsPerSession: mean(joined.map(({ connected }) => connected / plan.sessions)),
  }
}

function compared(first: readonly Played[], plain: readonly Played[], of: (one: Played) => number): Compared {
  const [ours, others] = [first.map(of), plain.map(of)]
  const ahead = tInterval(ours.map((each, i) => each - (others[i] as number)))
  return { with: mean(ours), without: mean(others), ahead }
}

/** The tables of these results. */
export function besideParts({
  worlds,
  sessions,
  strategies,
  connecting,
  connectsPerSession,
}: Beside): Part[] {
  const cells = ({ with: first, without, ahead }: Compared) => [
    ...[first, without].map(percent),
    interval(ahead),
  ]
  return [
    {
      name: 'strategies',
      title: `${worlds} worlds of ${sessions} sessions with a strategy for each recurring task: shown first once proven, or as a plain note`,
      body: {
        head: ['world', 'questions', 'solved first', 'plain', 'ahead', 'MRR', 'plain', 'ahead'],
        rows: strategies.map(({ world, isOnPoint, solved, reciprocalRank }) => [
          world,
          isOnPoint ? 'on the point' : 'off the point',
          ...cells(solved),
          ...cells(reciprocalRank),
        ]),
      },
    },
    {
      name: 'connecting',
      title: `${worlds} worlds in which agents connect ${connectsPerSession.toFixed(1)} pairs a session, beside the same without`,
      body: policyTable(connecting),
    },
  ]
}
