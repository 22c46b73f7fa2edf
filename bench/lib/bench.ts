import type { Part } from './part.ts'

/** A flag of a bench, as `node:util` parses it, with a sentence for `--help`. */
export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly default?: string | boolean
  readonly description: string
  /** The value is a path: results name it by this word, since it says nothing about another machine. */
  readonly place?: 'FILE' | 'DIR'
}

/** Parsed flags by name; absent when not given and without a default. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

/** What a bench found: text for people, plain data for machines. */
interface BenchResult {
  readonly report: string
  readonly data: unknown
}

/** One bench of the suite. */
export interface Bench {
  readonly name: string
  /** One sentence for the list of benches. */
  readonly summary: string
  readonly flags: Readonly<Record<string, Flag>>
  readonly run: (flags: FlagValues, log: (line: string) => void) => Promise<BenchResult>
  /** What the page of benchmarks may show of a result, from its JSON alone; absent when it shows nothing. */
  readonly present?: (data: never) => readonly Part[]
}

/** The flag as a positive whole number. */
export function wholeNumber(flags: FlagValues, name: string): number {
  const value = Number(flags[name])
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} wants a whole number of 1 or more`)
  return value
}

/** The comma-separated parts of a flag; none when it is absent. */
export function listOf(flags: FlagValues, name: string): string[] {
  const value = flags[name]
  return typeof value === 'string' && value !== '' ? value.split(',').map((part) => part.trim()) : []
}

/** The comma-separated parts of a flag; throws if one of them is not known. */
export function namesIn<Name extends string>(
  flags: FlagValues,
  flag: string,
  known: readonly Name[],
): readonly Name[] {
  const names = listOf(flags, flag)
  const unknown = names.filter((name) => !known.some((each) => each === name))
  if (unknown.length > 0) throw new Error(`--${flag} knows ${known.join(', ')}; not ${unknown.join(', ')}`)
  return names as Name[]
}

/** The file that `--data` names. */
export function dataFile(flags: FlagValues): string {
  if (typeof flags.data === 'string') return flags.data
  throw new Error('--data FILE is needed: a file in LoCoMo format')
}
