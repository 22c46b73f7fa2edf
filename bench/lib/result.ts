import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench, Flag, FlagValues } from './bench.ts'
import type { Machine } from './machine.ts'

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

/** The folder for results that `npm run bench -- publish` puts on the page; it is not in git. */
export const RESULTS = fileURLToPath(new URL('../results', import.meta.url))

const DIGITS = 6

/** A result as JSON, numbers to six digits, which is more than any of them means. */
export function resultJson(result: Result): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value
  return `${JSON.stringify(result, rounded, 1)}\n`
}

/** The results of a folder by the names of their benches. */
export function readResults(folder: string): ReadonlyMap<string, Result> {
  const results = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
  return new Map(results.map((result) => [result.bench, result]))
}

/** The command that makes a result, without what stands in the flags by default. */
export function commandOf(
  { name }: Bench,
  flags: Readonly<Record<string, Flag>>,
  values: FlagValues,
): string {
  const words = Object.entries(flags).flatMap(([flag, { type, default: fallback, place }]) => {
    const value = values[flag]
    if (value === undefined || value === fallback || value === false) return []
    return type === 'boolean' ? [`--${flag}`] : [`--${flag}`, place ?? String(value)]
  })
  return ['npm run bench --', name, ...words].join(' ')
}

/** SHA-256 of the contents of files, one after the other. */
export function sha256(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(readFileSync(path))
  return hash.digest('hex')
}

/** Where and of what a result was made, in a line. */
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
