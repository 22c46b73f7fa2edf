import type { Part } from './table.ts'

/** A flag of a bench, as `node:util` parses it, with a sentence for `--help`. */
export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly default?: string
  readonly description: string
  /** Marks a path. Results show this word instead, since a path says nothing on another machine. */
  readonly place?: 'FILE' | 'DIR'
}

/** Parsed flags by name; absent when not given and without a default. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

export type Log = (line: string) => void

/** One bench of the suite. */
export interface Bench {
  readonly name: string
  /** One sentence for the list of benches. */
  readonly summary: string
  readonly flags: Readonly<Record<string, Flag>>
  /** Runs the bench and returns its result as plain data. */
  readonly run: (flags: FlagValues, log: Log) => Promise<unknown>
  /** Returns the tables of a result, from its JSON alone; the page of benchmarks shows some by their names. */
  readonly present: (data: never) => readonly Part[]
}

export function fileFlag(description: string): Flag {
  return { type: 'string', place: 'FILE', description }
}

export function folderFlag(description: string): Flag {
  return { type: 'string', place: 'DIR', description }
}

export function textFlag(description: string, fallback?: string): Flag {
  return { type: 'string', description, ...(fallback !== undefined && { default: fallback }) }
}

/** Returns the flag as a positive whole number. */
export function wholeNumber(flags: FlagValues, name: string): number {
  const value = Number(flags[name])
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} wants a whole number of 1 or more`)
  return value
}

/** Returns the comma-separated parts of a flag; none when it is absent. */
export function listOf(flags: FlagValues, name: string): string[] {
  const value = flags[name]
  return typeof value === 'string' && value !== '' ? value.split(',').map((part) => part.trim()) : []
}

/** Returns the comma-separated parts of a flag, all known ones for `all`; throws if one of them is not known. */
export function namesIn<Name extends string>(
  flags: FlagValues,
  flag: string,
  known: readonly Name[],
): readonly Name[] {
  if (flags[flag] === 'all') return known
  const names = listOf(flags, flag)
  const unknown = names.filter((name) => !known.some((each) => each === name))
  if (unknown.length > 0) throw new Error(`--${flag} knows ${known.join(', ')}; not ${unknown.join(', ')}`)
  return names as Name[]
}

/** Returns the path that a flag names, and throws if there is none. */
export function pathIn(flags: FlagValues, name = 'data'): string {
  const path = flags[name]
  if (typeof path === 'string') return path
  throw new Error(`--${name} is needed: --help says what it names`)
}
