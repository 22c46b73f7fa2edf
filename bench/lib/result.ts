import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadKernel } from '../../src/adapters/embed/minilm/kernel.ts'
import type { Bench, FlagValues } from './bench.ts'

/** What `--out` writes: a result, and all that is needed to make it again. */
export interface Result {
  readonly bench: string
  /** As typed, but for paths. */
  readonly command: string
  readonly machine: Machine
  /** SHA-256 of the files named by `--data`. */
  readonly dataSha256?: string
  readonly data: unknown
}

/** The machine, the versions and the commit that a result was made with. */
interface Machine {
  readonly node: string
  readonly sqlite: string
  readonly cpu: string
  readonly cores: number
  /** Which build of the embedding kernel runs here. */
  readonly kernel: string
  /** The commit measured; `+` at its end says that files differed from it. */
  readonly commit: string
  readonly date: string
}

/** The folder for results that `npm run bench -- publish` puts on the page; it is not in git. */
export const RESULTS = fileURLToPath(new URL('../results', import.meta.url))

const DIGITS = 6

/** Returns a result as JSON, numbers to six digits, which is more than any of them means. */
export function resultJson(result: Result): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value
  return `${JSON.stringify(result, rounded, 1)}\n`
}

/** Returns the results of a folder by the names of their benches. */
export function readResults(folder: string): ReadonlyMap<string, Result> {
  const results = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
  return new Map(results.map((result) => [result.bench, result]))
}

/** Returns the command that makes a result, without flags that have their defaults. */
export function commandOf({ name, flags }: Bench, values: FlagValues): string {
  const words = Object.entries(flags).flatMap(([flag, { type, default: fallback, place }]) => {
    const value = values[flag]
    if (value === undefined || value === fallback || value === false) return []
    return type === 'boolean' ? [`--${flag}`] : [`--${flag}`, place ?? String(value)]
  })
  return ['npm run bench --', name, ...words].join(' ')
}

/** Returns the SHA-256 of the contents of files, one after the other. */
export function sha256(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(readFileSync(path))
  return hash.digest('hex')
}

/** Returns in a line with what machine, versions and commit a result was made. */
export function originOf({ machine, dataSha256 }: Result): string {
  const { node, sqlite, cpu, cores, kernel, commit, date } = machine
  return [
    `Node ${node.replace(/^v/, '')} (SQLite ${sqlite})`,
    `${cores} cores (${cpu})`,
    `kernel ${kernel}`,
    `commit ${commit}`,
    date,
    ...(dataSha256 === undefined ? [] : [`data sha256 ${dataSha256.slice(0, 12)}…`]),
  ].join(', ')
}

export function machineFacts(): Machine {
  const all = cpus()
  return {
    node: process.version,
    sqlite: process.versions.sqlite ?? 'unknown',
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    kernel: loadKernel().build,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  }
}

function commit(): string {
  const root = new URL('../..', import.meta.url)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    // Published numbers are no part of what is measured.
    const measured = ['src', 'kernel', 'model', 'bench', ':(exclude)bench/published.json']
    const changed = git('status', '--porcelain', '--', ...measured) !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`
  } catch {
    return 'unknown (no git here)'
  }
}
