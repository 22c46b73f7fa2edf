import { type Bench, namesIn, textFlag, wholeNumber } from '../lib/bench.ts'
import { type Interval, mean, tInterval } from '../lib/statistics.ts'
import { intervalText, type Part, percent } from '../lib/table.ts'
import { CONDITIONS } from './conditions.ts'
import { type Played, play, type Served } from './play.ts'
import { ABLATIONS, policiesFor } from './policies.ts'
import { createWorld } from './world.ts'

/** No constant was chosen on the worlds from here on. */
const FIRST_SEED = 700
const MOST_SESSIONS = 100

/** Measures of a play; late is the second half of the sessions. */
type Measures = Readonly<Record<string, number>>

/** The means of a policy over the seeds, and by how much it is behind the first policy, paired by seed. */
interface Row {
  readonly name: string
  readonly means: Measures
  readonly behind: Readonly<Record<string, Interval>>
}

interface LifecycleData {
  readonly world: string
  readonly rows: readonly Row[]
}

export const lifecycle: Bench = {
  name: 'lifecycle',
  summary: 'whether reports make later recalls better, in a simulated world',
  flags: {
    seeds: textFlag('Worlds played', '10'),
    'first-seed': textFlag(
      `Seed of the first of them; choose constants on those below ${FIRST_SEED} only`,
      String(FIRST_SEED),
    ),
    sessions: textFlag('Sessions of 20 questions in each', String(MOST_SESSIONS)),
    world: textFlag(`Conditions: ${Object.keys(CONDITIONS).join(', ')}`, 'default'),
    ablate: textFlag(
      `Comma-separated mechanisms to take away one at a time, or "all", which plays baselines, too: ${Object.keys(ABLATIONS).join(', ')}`,
    ),
  },
  run: async (flags, log): Promise<LifecycleData> => {
    const [world = ''] = namesIn(flags, 'world', Object.keys(CONDITIONS))
    const sessions = Math.min(MOST_SESSIONS, wholeNumber(flags, 'sessions'))
    const policies = policiesFor(world, namesIn(flags, 'ablate', Object.keys(ABLATIONS)))
    const measured = new Map<string, Measures[]>(policies.map(({ name }) => [name, []]))
    for (let seed = 0; seed < wholeNumber(flags, 'seeds'); seed++) {
      const conditions = CONDITIONS[world] as (typeof CONDITIONS)[string]
      const played = createWorld(Number(flags['first-seed']) + seed, conditions)
      for (const policy of policies) {
        log(`world ${seed + 1}, ${policy.name}`)
        measured.get(policy.name)?.push(measuresOf(await play(played, policy, sessions), sessions))
      }
    }
    const [first = []] = measured.values()
    return { world, rows: [...measured].map(([name, own]) => rowOf(name, own, first)) }
  },
  present: partsOf,
}

function measuresOf({ served, usage }: Played, sessions: number): Measures {
  const late = served.filter(({ session }) => session >= sessions / 2)
  const meanOf = (of: readonly Served[], key: Exclude<keyof Served, 'onPoint'>) =>
    mean(of.map((each) => each[key]))
  const share = (part: 'hiddenFound' | 'expanded', whole: 'hidden' | 'found') =>
    meanOf(late, part) / Math.max(1e-9, meanOf(late, whole))
  const [on, off] = [true, false].map((wanted) => served.filter(({ onPoint }) => onPoint === wanted)) as [
    Served[],
    Served[],
  ]
  return {
    hit: meanOf(served, 'hit'),
    recall: meanOf(served, 'recall'),
    rank: meanOf(served, 'reciprocalRank'),
    lateHarmful: meanOf(late, 'harmful'),
    lateRecall: meanOf(late, 'recall'),
    lateHidden: share('hiddenFound', 'hidden'),
    lateExpanded: share('expanded', 'found'),
    usage,
    ...{ onSolved: meanOf(on, 'first'), onRank: meanOf(on, 'reciprocalRank') },
    ...{ offSolved: meanOf(off, 'first'), offRank: meanOf(off, 'reciprocalRank') },
  }
}

function rowOf(name: string, own: readonly Measures[], first: readonly Measures[]): Row {
  const of = (all: readonly Measures[], key: string) => all.map((each) => each[key] ?? 0)
  const each = <T>(work: (key: string) => T) =>
    Object.fromEntries(Object.keys(own[0] ?? {}).map((key) => [key, work(key)]))
  return {
    name,
    means: each((key) => mean(of(own, key))),
    behind: each((key) => tInterval(of(first, key).map((value, i) => value - (own[i]?.[key] ?? 0)))),
  }
}

function partsOf({ world, rows }: LifecycleData): readonly Part[] {
  const show = ({ means }: Row, keys: readonly string[]) => keys.map((key) => percent(means[key] ?? 0))
  const behind = (row: Row, keys: readonly string[]) =>
    keys.map((key) => (row === rows[0] ? '' : intervalText(row.behind[key] as Interval)))
  if (world.startsWith('strategies')) {
    const [ours, plain] = rows as [Row, Row]
    const cells = (on: string) =>
      ['Solved', 'Rank'].flatMap((measure) => [
        ...[...show(ours, [on + measure]), ...show(plain, [on + measure])],
        ...behind(plain, [on + measure]),
      ])
    const head = ['questions', 'solved', 'as plain notes', 'ahead', 'MRR', 'as plain notes', 'ahead']
    const cases = [
      ['on the point', ...cells('on')],
      ['off the point', ...cells('off')],
    ]
    return [{ name: 'strategies', body: { head, rows: cases } }]
  }
  if (world === 'traced') {
    const head = ['signals', 'recall@5', 'none, less with', 'harmful*', 'none, less with']
    const keys = ['recall', 'lateHarmful']
    const cells = rows.map((row) => [
      row.name,
      ...keys.flatMap((key) => [...show(row, [key]), ...behind(row, [key])]),
    ])
    return [{ name: 'signals', body: { head, rows: cells } }]
  }
  const head = [
    ...['policy', 'hit@5', 'recall@5', 'MRR', 'harmful*', 'recall@5*', 'hidden found*'],
    ...['by edges*', 'usage edges', 'elfmem ahead, recall@5', 'recall@5*', 'MRR'],
  ]
  const shown = ['hit', 'recall', 'rank', 'lateHarmful', 'lateRecall', 'lateHidden', 'lateExpanded', 'usage']
  const cells = rows.map((row) => [
    ...[row.name, ...show(row, shown)],
    ...behind(row, ['recall', 'lateRecall', 'rank']),
  ])
  return [{ name: 'worlds', body: { head, rows: cells } }]
}
