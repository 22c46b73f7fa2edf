import type * as z from 'zod'
import { codePointLength, count, shortName } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { EXAMPLE, nearest } from './wording.ts'

/** The most places that a refusal names. More places are usually wrong for the same reason. */
const TOLD_MAX = 5
/** The most unknown and the most known properties that a sentence names. */
const NAMED_MAX = { unknown: 5, known: 40 }
/** Longest text that a sentence repeats, in code points. */
const QUOTED_MAX = 40

/** The kinds of values in words. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ string: 'text', int: 'a whole number', number: 'a number', boolean: 'true or false' },
  ...{ array: 'a list', object: 'an object', record: 'an object' },
}

/** Says what is wrong with a value, as the predicate of a sentence whose subject is its place. A schema's own message stays. */
export const plainly: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? 'another value'
      return issue.input === undefined
        ? `is missing: it must be ${kind}`
        : `must be ${kind}, not ${inWords(issue.input)}`
    }
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}, not ${inWords(issue.input)}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}, not ${inWords(issue.input)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}, not ${inWords(issue.input)}`
    case 'unrecognized_keys':
      return unknownKeys(issue.keys, issue.inst)
    default:
      return `must be another value, not ${inWords(issue.input)}`
  }
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' items' : ''
}

function unknownKeys(keys: readonly string[], schema: unknown): string {
  const { shape = {} } = Object(schema) as { readonly shape?: Readonly<Record<string, z.ZodType>> }
  const known = Object.keys(shape).filter((key) => shape[key]?.meta()?.aliasOf === undefined)
  const said = keys.slice(0, NAMED_MAX.unknown).map((key) => {
    const similar = nearest(key, known)
    return similar === undefined ? shortName(key) : `${shortName(key)} (did you mean ${similar}?)`
  })
  const more = keys.length - said.length
  const takes = known.length === 0 ? 'no arguments' : known.slice(0, NAMED_MAX.known).join(', ')
  return `takes no ${said.join(', ')}${more > 0 ? ` and ${more} more` : ''}. It takes ${takes}`
}

/** The given value, short enough for a sentence. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${count(value.length, 'item')}`
  if (value === null || ['boolean', 'undefined', 'number', 'bigint'].includes(typeof value))
    return String(value)
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`
  const length = codePointLength(value)
  return length > QUOTED_MAX ? `a text of ${count(length, 'character')}` : `"${value}"`
}

/** A problem of a value at one place. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Returns the place of an issue: `blocks[0].content`; empty for the whole value. */
export function issuePath({ path }: SchemaIssue): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${shortName(String(key))}`))
    .join('')
    .replace(/^\./, '')
}

/** Says in one sentence where a value is wrong and why. */
export function issueSentence(issue: SchemaIssue, name: string): string {
  return `${issuePath(issue) || name} ${issue.message}.`
}

/** A value that was refused: its name, all names that it takes, and a call that works. */
interface Wrong {
  readonly name: string
  readonly takes: readonly string[]
  readonly example: string
}

/** Returns the refusal of a value for its problems, of which it names the first. */
export function wrongInput(issues: readonly SchemaIssue[], { name, takes, example }: Wrong): ElfmemError {
  const first = issues.slice(0, TOLD_MAX).map((issue) => {
    return { path: issuePath(issue), message: issueSentence(issue, name) }
  })
  const told = first.map(({ message }) => message)
  const more = issues.length - first.length
  const message = [
    ...(told[0]?.startsWith(`${name} `) ? [] : [`${name}:`]),
    ...told,
    ...(more > 0 ? [`${more} more places are wrong.`] : []),
  ]
  return new ElfmemError('INVALID_INPUT', message.join(' '), {
    recovery: `${EXAMPLE}${example}`,
    details: { operation: name, arguments: takes, issues: first },
  })
}

/** How the options of a function or a class are looked at. */
export interface TakenOptions<Schema extends z.ZodObject> {
  /** The name of the function or class. */
  readonly maker: string
  /** Strict, so that an option it does not have is refused. */
  readonly schema: Schema
  /** A call that works. */
  readonly example: string
}

/**
 * Returns the options that a program passes, as their schema makes them. Throws `INVALID_INPUT` for an unknown option and names the
 * nearest, as operations do: a mistyped option would not switch on what it names.
 */
export function takenOptions<Schema extends z.ZodObject>(
  given: unknown,
  { maker, schema, example }: TakenOptions<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: plainly })
  if (parsed.success) return parsed.data
  throw wrongInput(parsed.error.issues, { name: maker, takes: Object.keys(schema.shape), example })
}

/** Throws `INVALID_INPUT` if a value is no open memory, such as a promise. */
export function mustBeOpen(memory: unknown, method: 'recall' | 'items' | 'call'): void {
  if (typeof (Object(memory) as Readonly<Record<string, unknown>>)[method] === 'function') return
  throw new ElfmemError('INVALID_INPUT', 'That is no open memory.', {
    recovery: 'Pass what openMemory() resolves to; await it first.',
  })
}
