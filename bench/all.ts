import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, type FlagValues, listOf } from './lib/bench.ts'
import { RESULTS } from './lib/result.ts'
import { table } from './lib/table.ts'

/** One bench of the whole run, as the page shows it. */
interface Planned {
  readonly name: string
  readonly flags: readonly string[]
  /** Instead of these flags when only a smoke test is wanted. */
  readonly quick: readonly string[]
  /** Whether it reads the conversations. */
  readonly data: 'needed' | 'used' | 'none'
  /** Whether it keeps things between runs. */
  readonly cache?: true
}

export const PLAN: readonly Planned[] = [
  { name: 'locomo', flags: ['--foreign', '--ablate', 'all'], quick: [], data: 'needed' },
  { name: 'observations', flags: [], quick: [], data: 'needed' },
  { name: 'pooled', flags: [], quick: [], data: 'needed' },
  { name: 'paraphrases', flags: [], quick: [], data: 'none' },
  { name: 'passages', flags: [], quick: [], data: 'none' },
  { name: 'notes', flags: [], quick: [], data: 'none' },
  { name: 'unknown', flags: [], quick: [], data: 'none' },
  { name: 'languages', flags: [], quick: [], data: 'none' },
  { name: 'edges', flags: [], quick: [], data: 'used' },
  { name: 'confidence', flags: [], quick: [], data: 'none' },
  { name: 'conflicts', flags: [], quick: [], data: 'none' },
  { name: 'facts', flags: [], quick: [], data: 'none' },
  { name: 'feedback', flags: [], quick: ['--only', 'clinic'], data: 'used' },
  { name: 'fresh', flags: [], quick: [], data: 'none' },
  { name: 'updates', flags: [], quick: [], data: 'none' },
  { name: 'secrets', flags: [], quick: [], data: 'none' },
  {
    name: 'lifecycle',
    flags: ['--ablate', 'all'],
    quick: ['--seeds', '1', '--sessions', '4'],
    data: 'none',
  },
  {
    name: 'speed',
    flags: [],
    quick: ['--sizes', '1000', '--dream-sizes', '0,1000', '--questions', '50', '--runs', '2'],
    data: 'none',
    cache: true,
  },
  {
    name: 'graph-speed',
    flags: [],
    quick: ['--blocks', '1000', '--edges', '5000'],
    data: 'none',
  },
  { name: 'judging', flags: [], quick: ['--blocks', '10', '--latency', '5'], data: 'none' },
  {
    name: 'peers',
    flags: [],
    quick: ['--sizes', '300', '--searches', '10', '--starts', '1', '--questions', '10'],
    data: 'used',
    cache: true,
  },
]

/** Runs the benches one after the other, each in a process of its own. */
export const all: Bench = {
  name: 'all',
  summary: 'every bench of the page, one after the other, each result written to a folder (takes hours)',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'Conversations in LoCoMo format' },
    results: {
      type: 'string',
      place: 'DIR',
      description: 'Where the results go; by default bench/results, which publish puts on the page',
    },
    cache: { type: 'string', place: 'DIR', description: 'Handed to the benches that keep something' },
    only: {
      type: 'string',
      description: `Comma-separated benches: ${PLAN.map(({ name }) => name).join(', ')}`,
    },
    quick: { type: 'boolean', description: 'Small sizes, to see that all runs; wants --results' },
  },
  run: async (flags, log) => {
    const results = folderOf(flags)
    mkdirSync(results, { recursive: true })
    const rows: string[][] = []
    for (const planned of chosen(flags)) {
      const outcome = await runOne(planned, { flags, results, log })
      rows.push([planned.name, outcome])
    }
    const failed = rows.some(([, outcome]) => outcome === FAILED)
    if (failed) process.exitCode = 1
    return { report: table(['bench', 'outcome'], rows, 2), data: rows }
  },
}

const FAILED = 'failed'
const RUN = new URL('run.ts', import.meta.url)

function folderOf({ results, quick }: FlagValues): string {
  if (typeof results === 'string') return results
  if (quick === true) throw new Error('--quick wants --results: its figures do not belong on the page')
  return RESULTS
}

function chosen(flags: FlagValues): readonly Planned[] {
  const only = listOf(flags, 'only')
  const unknown = only.filter((name) => !PLAN.some((planned) => planned.name === name))
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join(', ')}`)
  return PLAN.filter(({ name }) => only.length === 0 || only.includes(name))
}

async function runOne(
  { name, flags: full, quick, data, cache }: Planned,
  {
    flags,
    results,
    log,
  }: { readonly flags: FlagValues; readonly results: string; readonly log: (line: string) => void },
): Promise<string> {
  if (data === 'needed' && flags.data === undefined) return 'left out: --data is needed'
  const given = (flag: string, wanted: boolean) =>
    wanted && typeof flags[flag] === 'string' ? [`--${flag}`, flags[flag]] : []
  const args = [
    name,
    ...(flags.quick === true ? quick : full),
    ...given('data', data !== 'none'),
    ...given('cache', cache === true),
    '--out',
    join(results, `${name}.json`),
  ]
  const started = performance.now()
  log(`== ${args.join(' ')}`)
  // On the error output, since what it prints is not this bench's own result.
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(RUN), ...args], {
    stdio: ['ignore', 2, 2],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0 ? `done in ${((performance.now() - started) / 1000).toFixed(0)} s` : FAILED
}
