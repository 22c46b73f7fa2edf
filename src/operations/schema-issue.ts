import * as z from 'zod'
import { codePointLength, count, shortName } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { EXAMPLE, nearest, sentences } from './wording.ts'

/** The parts of JSON Schema that say which values are allowed. */
export interface ValueSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly ValueSchema[]
  readonly properties?: Readonly<Record<string, ValueSchema>>
  readonly additionalProperties?: boolean | ValueSchema
  readonly items?: ValueSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  /** Of a property: it is another name of this one. */
  readonly aliasOf?: string
}

/** One problem that a schema found at one place, as Zod reports it. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[]
  readonly code: string
  readonly message: string
  /** Properties that the schema does not have; with the code `unrecognized_keys`. */
  readonly keys?: readonly string[]
  /** Kind of a value that is too big, and its limit; with the code `too_big`. */
  readonly origin?: string
  readonly maximum?: number | bigint
}

/** The first places that are wrong, and how many there are in all. */
export interface Wrong {
  readonly first: readonly SchemaIssue[]
  readonly count: number
}

/** The most places that a refusal names: what is wrong in more places is wrong for the same reason. */
export const TOLD_MAX = 5

/** A value that was given, its schema, and its name for what has no path. */
interface Given {
  readonly schema: ValueSchema
  readonly whole: unknown
  readonly name: string
}

/** Returns a sentence for each of the first places that are wrong, and the whole message. */
export function issueSentences({ first, count: all }: Wrong, given: Given) {
  const told = first.map((issue) => issueSentence(issue, given))
  const further = all - told.length
  const message = sentences(
    told[0]?.startsWith(`${given.name} takes `) !== true && `${given.name}:`,
    ...told,
    further > 0 && `${further} more places are wrong.`,
  )
  return { told, message }
}

/** How messages begin that the schema library makes itself. */
const SCHEMAS_OWN = /^(?:Invalid|Too (?:big|small)|Unrecognized)/
/** Properties that a sentence names; of more it says nothing. */
const NAMED_MAX = 12
/** Unknown properties that a sentence names; the others it counts. */
const UNKNOWN_MAX = 5
/** Longest text that a sentence repeats, in code points. */
const QUOTED_MAX = 40

/** Says in one sentence where a value is wrong, what is allowed there, and what was given. A schema's own message goes on after the place. */
export function issueSentence(issue: SchemaIssue, { schema, whole, name }: Given): string {
  const place = issuePath(issue) || name
  const allowed = schemaAt(schema, issue.path)
  if (issue.code === 'unrecognized_keys') return unknownKeys(place, issue.keys ?? [], allowed)
  const given = issue.path.reduce(valueAt, whole)
  if (issue.path.length === 0)
    return `${name} takes its arguments by name, in one object, not ${inWords(given)}.`
  const isOwn = SCHEMAS_OWN.test(issue.message)
  const wanted = isOwn ? `must be ${allowedValues(allowed) || 'another value'}` : issue.message
  if (given === undefined) return `${place} is missing: it ${wanted}.`
  const isTold = wanted.startsWith('must') && (isOwn || typeof given !== 'object')
  return `${place} ${wanted}${isTold ? `, not ${inWords(given)}` : ''}.`
}

/** Where the issue is: `blocks[0].content`; empty for the whole value. */
export function issuePath({ path }: SchemaIssue): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${shortName(String(key))}`))
    .join('')
    .replace(/^\./, '')
}

function unknownKeys(place: string, keys: readonly string[], { properties = {} }: ValueSchema): string {
  const known = Object.keys(properties)
  const said = keys.slice(0, UNKNOWN_MAX).map((key) => {
    const similar = nearest(key, known)
    return similar === undefined ? shortName(key) : `${shortName(key)} (did you mean ${similar}?)`
  })
  const further = keys.length - said.length
  const names = further > 0 ? `${said.join(', ')} and ${further} more` : said.join(', ')
  const own = known.filter((key) => properties[key]?.aliasOf === undefined)
  const takes = own.length === 0 ? 'It takes no arguments' : `It takes ${own.join(', ')}`
  return `${place} takes no ${names}. ${takes}.`
}

function schemaAt(schema: ValueSchema, path: readonly PropertyKey[]): ValueSchema {
  return path.reduce<ValueSchema>((at, key) => {
    const own = typeof key === 'string' ? at.properties?.[key] : undefined
    if (own !== undefined) return own
    if (at.items !== undefined && typeof key === 'number') return at.items
    return typeof at.additionalProperties === 'object' ? at.additionalProperties : {}
  }, schema)
}

function valueAt(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<PropertyKey, unknown>)[key]
}

/** Which values the schema allows, in words; empty when it does not say. */
function allowedValues(schema: ValueSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(allowedValues))].filter(Boolean).join(' or ')
  if (schema.enum) return `${schema.enum.length > 1 ? 'one of ' : ''}${schema.enum.map(String).join(', ')}`
  if (schema.const !== undefined) return String(schema.const)
  switch (schema.type) {
    case 'string':
      return `text${range(schema.minLength, schema.maxLength, ' of', 'character')}`
    case 'integer':
      return `a whole number${numericRange(schema)}`
    case 'number':
      return `a number${numericRange(schema)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, ' of', 'item')}`
    case 'object':
      return objectWith(schema)
    default:
      return ''
  }
}

function objectWith({ properties = {} }: ValueSchema): string {
  const names = Object.keys(properties)
  return names.length === 0 || names.length > NAMED_MAX ? 'an object' : `an object with ${names.join(', ')}`
}

function numericRange({ minimum, maximum, exclusiveMinimum }: ValueSchema): string {
  const [least, most] = [bound(minimum), bound(maximum)]
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${most === undefined ? '' : ` up to ${most}`}`
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  if (least !== undefined) return ` from ${least} up`
  return most === undefined ? '' : ` up to ${most}`
}

/** Every exact whole number is no bound worth telling. */
function bound(limit: number | undefined): number | undefined {
  return limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit
}

function range(least: number | undefined, most: number | undefined, of: string, unit: string): string {
  const floor = least === 0 ? undefined : least
  if (floor !== undefined && most !== undefined) return `${of} ${floor} to ${count(most, unit)}`
  if (floor !== undefined) return `${of} at least ${count(floor, unit)}`
  return most === undefined ? '' : `${of} at most ${count(most, unit)}`
}

/** The given value, short enough for a sentence. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${count(value.length, 'item')}`
  if (value === null || ['boolean', 'undefined', 'number', 'bigint'].includes(typeof value))
    return String(value)
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`
  const length = codePointLength(value)
  if (length > QUOTED_MAX) return `a text of ${count(length, 'character')}`
  return value === '' ? 'an empty text' : `"${value}"`
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
 * The options that a program passes, as their schema makes them. Throws `INVALID_INPUT` with the nearest name for one that there is
 * not, as operations refuse their arguments: a mistyped option would leave off what it was to switch on.
 */
export function takenOptions<Schema extends z.ZodObject>(
  given: unknown,
  { maker, schema, example }: TakenOptions<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ValueSchema
  const { issues } = parsed.error
  const wrong = { first: issues.slice(0, TOLD_MAX), count: issues.length }
  const { message } = issueSentences(wrong, { schema: json, whole: given, name: maker })
  throw new ElfmemError('INVALID_INPUT', message, {
    recovery: `${EXAMPLE}${example}`,
    details: { arguments: Object.keys(schema.shape) },
  })
}
