import type { Part } from '../lib/part.ts'
import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { intervalText, percent } from '../lib/table.ts'
import type { Played } from './play.ts'
import { OURS, PLAIN_STRATEGIES } from './policies.ts'
import { type Plan, playAll } from './spread.ts'

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
  /** What stands first solves the task. */
  readonly solved: Compared
  readonly reciprocalRank: Compared
}

/** The results of the worlds that are played beside the main table. */
export interface Beside {
  readonly worlds: number
  readonly sessions: number
  readonly strategies: readonly StrategyRow[]
}

/** Plays worlds with strategies, once as strategies and once as plain notes. */
export async function playBeside(plan: Plan, log: (line: string) => void): Promise<Beside> {
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
  return { worlds: seeds.length, sessions, strategies }
}

function compared(first: readonly Played[], plain: readonly Played[], of: (one: Played) => number): Compared {
  const [ours, others] = [first.map(of), plain.map(of)]
  const ahead = tInterval(ours.map((each, i) => each - (others[i] as number)))
  return { with: mean(ours), without: mean(others), ahead }
}

/** The tables of these results. */
export function besideParts({ worlds, sessions, strategies }: Beside): Part[] {
  const cells = ({ with: first, without, ahead }: Compared) => [
    ...[first, without].map(percent),
    intervalText(ahead),
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
  ]
}
