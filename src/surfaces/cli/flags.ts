import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ElfmemError } from '../../errors.ts'
import { capabilityFrom } from '../../flow/guard/accept-caller.ts'
import { nearest } from '../../operations/wording.ts'
import type { GlobalOptions } from './io.ts'

export type Options = NonNullable<ParseArgsConfig['options']>

/** Flags every command takes. */
export const GLOBAL_FLAGS = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  db: { type: 'string' },
  config: { type: 'string' },
  as: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Options

export interface ParsedFlags {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
  readonly global: GlobalOptions
  readonly help: boolean
}

/** Marks a negative number, which would otherwise be taken for a short flag. */
const NEGATIVE = '\u0000'

/** Reads flags strictly; an unknown one is refused with what would be understood. */
export function parseFlags(argv: readonly string[], options: Options): ParsedFlags {
  const all = { ...options, ...GLOBAL_FLAGS }
  try {
    const { values, positionals } = parseArgs({
      args: protectNegatives(argv, all),
      options: all,
      allowPositionals: true,
      strict: true,
    })
    const { json, quiet, db, config, as, help } = values as {
      json?: boolean
      quiet?: boolean
      db?: string
      config?: string
      as?: string
      help?: boolean
    }
    return {
      values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, restored(value)])),
      positionals: positionals.map((each) => each.replace(NEGATIVE, '')),
      global: {
        json: json === true,
        quiet: quiet === true,
        ...(db === undefined ? {} : { db }),
        ...(config === undefined ? {} : { config }),
        ...(as === undefined ? {} : { as: capabilityFrom(as) }),
      },
      help: help === true,
    }
  } catch (cause) {
    if (ElfmemError.is(cause)) throw cause
    const message = firstSentence((cause as Error).message)
    const similar = nearestFlag(message, Object.keys(all))
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

function protectNegatives(argv: readonly string[], options: Options): string[] {
  const args: string[] = []
  for (const arg of argv) {
    const before = args.at(-1)
    if (!/^-\.?\d/.test(arg)) args.push(arg)
    else if (before?.startsWith('--') && options[before.slice(2)]?.type === 'string')
      args[args.length - 1] = `${before}=${arg}`
    else args.push(`${NEGATIVE}${arg}`)
  }
  return args
}

function restored<T>(value: T): T {
  return typeof value === 'string' ? (value.replace(NEGATIVE, '') as T) : value
}

function nearestFlag(message: string, known: readonly string[]): string | undefined {
  const unknown = /^Unknown option '--([^']+)'/.exec(message)?.[1]
  return unknown === undefined ? undefined : nearest(unknown, known)
}

/** Node explains at length how to quote; the first sentence says what is wrong. */
function firstSentence(message: string): string {
  const first = message.split(/\.\s/)[0]?.replaceAll('\n', ' ') ?? message
  return first.endsWith('.') ? first : `${first}.`
}
