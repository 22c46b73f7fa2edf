import * as z from 'zod'
import { type Capability, mayDo, type OwnersCall, type Principal } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { overLimit, ownerOnly, readsOnly } from '../intake/check-input.ts'
import {
  issuePath,
  issueSentences,
  type SchemaIssue,
  TOLD_MAX,
  type ValueSchema,
  type Wrong,
} from './schema-issue.ts'
import { aliasOf } from './schemas.ts'
import { EXAMPLE } from './wording.ts'

/**
 * The values of an argument that only an owner may pass: all of them (`given`), those of a list, or those inside an object
 * or the objects of a list.
 */
export type OwnerValues = 'given' | readonly (string | boolean)[] | OwnerArguments
/** The values that only an owner may pass, by the names of their arguments. */
export type OwnerArguments = { readonly [argument: string]: OwnerValues }

/** The part of an operation's record that the door reads. */
interface Guarded {
  readonly name: string
  readonly needs: Capability
  readonly input: { readonly shape: Readonly<Record<string, unknown>> }
  readonly positionals?: readonly string[]
  readonly fromFile?: unknown
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output'>>
  readonly ownerOnly?: OwnerArguments
  readonly forReader?: Readonly<Record<string, boolean>>
  readonly isLibraryOnly?: true
}

/** A call as the door looks at it. */
export interface Asking {
  readonly caller: Principal
  /** The arguments as the caller wrote them. */
  readonly raw: unknown
  /** The path or name of the memory. */
  readonly location: string
}

/** Throws `OWNER_ONLY` when a caller may not call an operation at all. */
export function mustBeAllowed(operation: Guarded, asking: Asking): void {
  const { name, needs } = operation
  const { caller } = asking
  if (mayDo(caller, needs)) return
  if (needs !== 'owner') throw readsOnly(caller, name)
  throw ownerOnly(caller, {
    what: `${name} is for the owner`,
    call: ownersCall(operation, asking),
  })
}

/** The arguments of an operation for a caller who may only read; throws `OWNER_ONLY` if it asks for another value. */
export function heldFor({ name, forReader = {} }: Guarded, caller: Principal, raw: unknown): object {
  if (mayDo(caller, 'agent')) return {}
  const asked = Object(raw) as Readonly<Record<string, unknown>>
  const other = Object.entries(forReader).find(([key, value]) => (asked[key] ?? value) !== value)
  if (other !== undefined) throw readsOnly(caller, `${name} with ${other[0]}: ${!other[1]}`)
  return forReader
}

/**
 * Throws `OWNER_ONLY` for an argument that only an owner may pass.
 *
 * @param input the arguments as they are parsed
 */
export function mustBeOwners(operation: Guarded, asking: Asking, input: object): void {
  const { caller } = asking
  if (mayDo(caller, 'owner')) return
  const found = ownerArgumentIn(input, ownerArguments(operation))
  if (found === undefined) return
  throw ownerOnly(caller, {
    what: `${operation.name}: ${saidOf(found)} is for the owner to say`,
    call: ownersCall(operation, asking),
    otherwise: otherwiseOf(found, operation),
    details: { arguments: [found.path] },
  })
}

function saidOf({ path, value }: OwnerArgument): string {
  return typeof value === 'string' && value.length > 20 ? path : `${path} ${JSON.stringify(value)}`
}

function otherwiseOf({ name, path }: OwnerArgument, { local = {}, input }: Guarded): string {
  if (name in local && 'name' in input.shape)
    return `Leave ${path} out and give a name: it lies beside the memory.`
  return `Leave ${path} out.`
}

/**
 * Returns a call as the owner makes it: in the memory that was asked, and in the scope that the caller is bound to. Undefined
 * for a record that no command calls. With `scope: null` it is the call in the whole memory. A name that the operation does not
 * know is left out, as the owner might paste it: it is the caller's text, or a flag of the command line.
 */
export function ownersCall(
  operation: Pick<Guarded, 'name' | 'input' | 'isLibraryOnly'>,
  { caller: { scope }, raw, location }: Asking,
): OwnersCall | undefined {
  if (operation.isLibraryOnly) return undefined
  const { shape } = operation.input
  const asked = Object(raw) as Readonly<Record<string, unknown>>
  const given = Object.entries(asked).filter(
    ([name, value]) => value !== undefined && !(name === 'scope' && value === null),
  )
  const known = given.filter(([name, value]) => Object.hasOwn(shape, name) && isWritable(shape[name], value))
  const bound = scope !== undefined && 'scope' in shape && asked.scope !== null ? { scope } : {}
  return {
    operation: operation.name,
    input: { ...bound, ...Object.fromEntries(known) },
    memory: location,
    ...(known.length < given.length && { isPart: true }),
  }
}

/** False of what a switch takes besides on and off, which a command line has no words for. */
function isWritable(schema: unknown, value: unknown): boolean {
  return typeof value === 'boolean' || !(schema as z.ZodType).safeParse(true).success
}

/** The arguments of an operation that only an owner may pass; places on this machine are among them. */
export function ownerArguments({
  ownerOnly = {},
  local = {},
}: Pick<Guarded, 'ownerOnly' | 'local'>): OwnerArguments {
  const places = Object.keys(local).map((name) => [name, 'given'] as const)
  return { ...Object.fromEntries(places), ...ownerOnly }
}

/** An argument of a call that only an owner may pass. */
interface OwnerArgument {
  /** The name of the argument; that of the innermost one. */
  readonly name: string
  /** The path of the argument as the caller wrote it: `blocks[2].sourceClass`. */
  readonly path: string
  readonly value: unknown
}

/** The first argument of a call that only an owner may pass; undefined when there is none. */
function ownerArgumentIn(input: object, rules: OwnerArguments, path = ''): OwnerArgument | undefined {
  for (const [name, values] of Object.entries(rules)) {
    const value = (input as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    const found = ownerValueIn(value, values, { name, path: path === '' ? name : `${path}.${name}` })
    if (found !== undefined) return found
  }
  return undefined
}

function ownerValueIn(
  value: unknown,
  values: OwnerValues,
  place: Pick<OwnerArgument, 'name' | 'path'>,
): OwnerArgument | undefined {
  if (values === 'given') return { ...place, value }
  if (isList(values)) return values.some((each) => each === value) ? { ...place, value } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return ownerArgumentIn(value, values, place.path)
  for (const [at, each] of value.entries()) {
    const found = ownerValueIn(each, values, { ...place, path: `${place.path}[${at}]` })
    if (found !== undefined) return found
  }
  return undefined
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(values: Exclude<OwnerValues, 'given'>): values is readonly (string | boolean)[] {
  return Array.isArray(values)
}

/** Lists with more items are looked at item by item, so that nothing is made of each that is wrong. */
const TAKEN_WHOLE = 50

/** The parts of an operation that reading its input needs. */
interface Called<I extends z.ZodObject> {
  readonly name: string
  readonly input: I
  readonly guide: { readonly example: string }
}

/**
 * Returns the input of an operation, as its schema makes it. Throws `LIMIT_EXCEEDED` for a text or list that is too long, and
 * `INVALID_INPUT` with a sentence for each of the first places that are wrong, what is allowed there and one call that works;
 * an argument that the operation does not take is wrong, too.
 */
export function parseInput<I extends z.ZodObject>(operation: Called<I>, raw: unknown): z.output<I> {
  const inLists = wrongInLists(operation.input, raw)
  if (inLists.count > 0) throw refused(operation, raw, inLists)
  const parsed = operation.input.safeParse(raw ?? {})
  if (parsed.success) return withoutAliases(operation, raw, parsed.data)
  const { issues } = parsed.error
  throw refused(operation, raw, { first: issues.slice(0, TOLD_MAX), count: issues.length })
}

/** Returns a list that is too long, or the problems of the items in the long lists of an input, each checked by itself. */
function wrongInLists({ shape }: z.ZodObject, raw: unknown): Wrong {
  const first: SchemaIssue[] = []
  let count = 0
  for (const [name, value] of Object.entries<unknown>(Object(raw))) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(shape, name)) continue
    const schema = withoutWrapping(shape[name] as z.ZodType)
    const maximum = mostItems(schema)
    if (Array.isArray(value) && value.length > maximum) {
      const issue = { path: [name], code: 'too_big', message: 'Too big', origin: 'array', maximum }
      return { first: [issue], count: 1 }
    }
    for (const [key, item, each] of itemsOf(schema, value)) {
      const issues = each.safeParse(item).error?.issues ?? []
      count += issues.length
      for (const issue of issues.slice(0, TOLD_MAX - first.length))
        first.push({ ...issue, path: [name, key, ...issue.path] })
    }
  }
  return { first, count }
}

/** Returns how many items a list may have by its schema. */
function mostItems({ _zod: { def } }: z.ZodType): number {
  const limits = (def.checks ?? []).map(({ _zod: check }) => check.def)
  return limits.find(isMaximum)?.maximum ?? Number.POSITIVE_INFINITY
}

function isMaximum(check: z.core.$ZodCheckDef): check is z.core.$ZodCheckMaxLengthDef {
  return check.check === 'max_length'
}

/** Returns the items of a long list or record, each with its schema. */
function itemsOf(of: z.ZodType, value: object): [at: string | number, item: unknown, z.ZodType][] {
  const isArray = Array.isArray(value)
  const items = Object.entries(value as Readonly<Record<string, unknown>>)
  const schema = isArray ? of instanceof z.ZodArray && of.element : of instanceof z.ZodRecord && of.valueType
  if (!schema || items.length <= TAKEN_WHOLE) return []
  return items.map(([key, item]) => [isArray ? Number(key) : key, item, schema as z.ZodType])
}

/** The schema without its optional or default wrapping. */
function withoutWrapping(schema: z.ZodType): z.ZodType {
  let of = schema
  while (of instanceof z.ZodOptional || of instanceof z.ZodDefault || of instanceof z.ZodReadonly)
    of = of.unwrap() as z.ZodType
  return of
}

/** The unit in which a value that is too long is counted; the value of an item is counted as JSON. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', file: 'bytes' }

function overLong(issue: SchemaIssue, whole: unknown): ElfmemError {
  const { path, origin = '', maximum } = issue
  const value = path.reduce<unknown>((at, key) => (Object(at) as Record<PropertyKey, unknown>)[key], whole)
  const found =
    origin === 'file' ? Buffer.byteLength(JSON.stringify(value)) : (value as string | unknown[]).length
  return overLimit({
    ...{ what: issuePath(issue), found, limit: Number(maximum), unit: UNITS[origin] ?? '' },
    recovery: origin === 'array' ? 'Make several calls of it.' : 'Shorten it, or part it over several calls.',
  })
}

function refused<I extends z.ZodObject>(
  { name, input, guide }: Called<I>,
  whole: unknown,
  { first, count }: Wrong,
): ElfmemError {
  const long = first.find(({ code, origin = '' }) => code === 'too_big' && origin in UNITS)
  if (long !== undefined) return overLong(long, whole)
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as ValueSchema
  const { told, message } = issueSentences({ first, count }, { schema, whole, name })
  return new ElfmemError('INVALID_INPUT', message, {
    recovery: `${EXAMPLE}${guide.example}`,
    details: {
      operation: name,
      arguments: [...namesIn(schema)],
      issues: first.map((issue, at) => ({ path: issuePath(issue), message: told[at] ?? issue.message })),
    },
  })
}

/** Returns every name that a sentence may hold, so that each surface can spell it its own way. */
function namesIn({ properties = {}, items, anyOf = [], additionalProperties }: ValueSchema): Set<string> {
  const inside = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') inside.push(additionalProperties)
  return new Set([...Object.keys(properties), ...inside.flatMap((each) => [...namesIn(each)])])
}

interface Named {
  readonly name: string
  readonly input: z.ZodObject
}

/**
 * Returns the parsed input with each value under the first name of its argument. Throws `INVALID_INPUT` if an argument is
 * given by two names.
 *
 * @param raw the input as the caller wrote it; in the parsed one, defaults stand beside aliases
 */
function withoutAliases<T extends object>(operation: Named, raw: unknown, parsed: T): T {
  const written = Object(raw) as Readonly<Record<string, unknown>>
  const named = { ...parsed } as Record<string, unknown>
  const taken = new Map<string, string>()
  for (const [name, schema] of Object.entries(operation.input.shape)) {
    const first = written[name] === undefined ? undefined : aliasOf(schema as z.ZodType)
    if (first === undefined) continue
    const other = taken.get(first) ?? (written[first] === undefined ? undefined : first)
    if (other !== undefined) throw twice(operation.name, [name, other, first])
    taken.set(first, name)
    named[first] = named[name]
    delete named[name]
  }
  return named as T
}

function twice(operation: string, names: readonly [name: string, other: string, first: string]): ElfmemError {
  const [name, other, first] = names
  return new ElfmemError('INVALID_INPUT', `${operation}: ${name} and ${other} are names of one argument.`, {
    recovery: `Pass ${first} alone.`,
    details: { operation, arguments: [...new Set(names)] },
  })
}
