import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ElfmemError } from '../../errors.ts'
import { capabilityFrom, scopeFrom } from '../../intake/check-input.ts'
import { nearest } from '../../operations/wording.ts'
import type { CliIo, GlobalOptions } from './io.ts'

/** The flags of a command, as `parseArgs` of Node takes them. */
export type Options = NonNullable<ParseArgsConfig['options']>

/** Flags every command takes. */
const GLOBAL_FLAGS = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  db: { type: 'string' },
  memory: { type: 'string' },
  config: { type: 'string' },
  url: { type: 'string' },
  'token-file': { type: 'string' },
  as: { type: 'string' },
  'env-file': { type: 'string' },
  new: { type: 'boolean' },
} as const satisfies Options

/** The flags and positionals of a command line; those of every command stand in `global`. */
export interface ParsedFlags {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
  readonly global: GlobalOptions
}

/** Returns true if a command line asks for help; a word behind `--` is no flag. */
export function asksHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

/** Reads flags strictly; an unknown one is refused with what would be understood. */
export function parseFlags(argv: readonly string[], options: Options): ParsedFlags {
  const all = { ...options, ...GLOBAL_FLAGS }
  try {
    const { values, positionals } = parseArgs({
      ...{ args: [...argv], options: all, allowPositionals: true, strict: true },
    })
    const { json, quiet, db, memory, config, url, as, new: anew } = values as GlobalValues
    const { 'env-file': envFile, 'token-file': tokenFile } = values as GlobalValues
    return {
      ...{ values, positionals },
      global: {
        json: json === true,
        quiet: quiet === true,
        anew: anew === true,
        ...{ db, memory, config, url, tokenFile },
        as: as === undefined ? undefined : capabilityFrom(as),
        envFile,
      },
    }
  } catch (cause) {
    if (ElfmemError.is(cause)) throw cause
    const message = firstSentence((cause as Error).message)
    const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1]
    const similar = unknown === undefined ? undefined : nearest(unknown, Object.keys(all))
    const dashed = argv.find((arg) => /^-.*\s/.test(arg) && !/^--[\w-]+=/.test(arg))
    const otherwise =
      dashed === undefined
        ? 'Add --help to see what this command understands.'
        : 'A text that begins with a dash is taken for a flag: put -- before it, after all flags.'
    throw new ElfmemError('INVALID_INPUT', message, {
      recovery: similar ? `Did you mean --${similar}?` : otherwise,
      cause,
    })
  }
}

type GlobalValues = {
  readonly [K in keyof typeof GLOBAL_FLAGS]?: (typeof GLOBAL_FLAGS)[K]['type'] extends 'string'
    ? string
    : boolean
}

/** Names of flags by a flag that they depend on. */
type FlagRules = Readonly<Record<string, readonly string[]>>

/** A command that is about elfmem itself rather than about memories. */
export interface CommandFacts {
  readonly name: string
  /** The one argument that needs no flag; none by default. */
  readonly usage?: string
  readonly summary: string
  readonly details?: string
  /** Flags as the help shows them: one with `<…>` takes a value, one with `<…>...` several. */
  readonly options: readonly (readonly [flag: string, meaning: string])[]
  /** The flags of every command that this one has a use for. */
  readonly honours: readonly (keyof typeof GLOBAL_FLAGS)[]
  /** For a flag, the flags that mean nothing without it. */
  readonly needs?: FlagRules
  /** For a flag, the flags that contradict it. */
  readonly excludes?: FlagRules
}

/** Runs a command and resolves to its exit code. */
export type RunCommand = (flags: ParsedFlags, io: CliIo) => Promise<number>

/** Parses the flags of a command that is no operation, and refuses flags that it does not use. */
export function parseCommand(argv: readonly string[], command: CommandFacts): ParsedFlags {
  const { name, usage, options } = command
  const own = options.map(([flag]) => {
    const type = flag.includes('<') ? 'string' : 'boolean'
    return [nameOfFlag(flag), { type, multiple: flag.endsWith('...') }] as const
  })
  const flags = withScope(parseFlags(argv, Object.fromEntries(own)))
  const extra = flags.positionals[usage === undefined ? 0 : 1]
  const wrong = extra === undefined ? wrongFlag(flags.values, command) : `"${extra}" is too much`
  if (wrong !== undefined)
    throw new ElfmemError('INVALID_INPUT', `elfmem ${name}: ${wrong}.`, {
      recovery: `Leave it out; \`elfmem ${name} --help\` says what it takes.`,
    })
  return flags
}

/** Returns a clause on a flag that a command does not use, alone or together with the others. */
function wrongFlag(values: ParsedFlags['values'], command: CommandFacts): string | undefined {
  const { honours, needs = {}, excludes = {} } = command
  const isGiven = (flag: string) => values[flag] !== undefined
  const unused = Object.keys(GLOBAL_FLAGS).find(
    (flag) => isGiven(flag) && !(honours as string[]).includes(flag),
  )
  if (unused !== undefined) return `it has no use for --${unused}`
  for (const [other, flags] of Object.entries(needs)) {
    const lonely = isGiven(other) ? undefined : flags.find(isGiven)
    if (lonely !== undefined) return `--${lonely} needs --${other}`
  }
  for (const [other, flags] of Object.entries(excludes)) {
    const against = isGiven(other) ? flags.find(isGiven) : undefined
    if (against !== undefined) return `--${other} and --${against} contradict each other`
  }
  return undefined
}

/** Returns the flags with the scope in its one spelling. Refuses a text that is no scope before the command does anything. */
function withScope(flags: ParsedFlags): ParsedFlags {
  const { scope } = flags.values
  if (typeof scope !== 'string') return flags
  return { ...flags, values: { ...flags.values, scope: scopeFrom(scope) } }
}

/** Returns the name in a flag such as `--scope <text>`. */
export function nameOfFlag(flag: string): string {
  return flag.replace(/^--/, '').replace(/ .*/, '')
}

/** Node explains at length how to quote; the first sentence says what is wrong. */
function firstSentence(message: string): string {
  const first = message.split(/\.\s/)[0]?.replaceAll('\n', ' ') ?? message
  return first.endsWith('.') ? first : `${first}.`
}
