import type * as z from 'zod'
import { type Capability, mayDo, type Principal } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { overLimit, ownerOnly, readsOnly } from '../intake/check-input.ts'
import { issuePath, plainly, wrongInput } from './schema-issue.ts'
import { aliasOf } from './schemas.ts'

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
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output'>>
  readonly ownerOnly?: OwnerArguments
  readonly forReader?: Readonly<Record<string, boolean>>
}

/** Throws `OWNER_ONLY` when a caller may not call an operation at all. */
export function mustBeAllowed({ name, needs }: Guarded, caller: Principal): void {
  if (mayDo(caller, needs)) return
  throw needs === 'owner' ? ownerOnly(caller, { what: `${name} is for the owner` }) : readsOnly(caller, name)
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
export function mustBeOwners(operation: Guarded, caller: Principal, input: object): void {
  if (mayDo(caller, 'owner')) return
  const found = ownerArgumentIn(input, ownerArguments(operation))
  if (found === undefined) return
  throw ownerOnly(caller, {
    what: `${operation.name}: ${saidOf(found)} is for the owner to say`,
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

/** The parts of an operation that reading its input needs. */
interface Called<I extends z.ZodObject> {
  readonly name: string
  readonly input: I
  readonly guide: { readonly example: string }
}

/**
 * Returns the input of an operation, as its schema makes it. Throws `LIMIT_EXCEEDED` for a text or list that is too long, and
 * `INVALID_INPUT` with a sentence for each of the first places that are wrong and one call that works; an argument that the operation does
 * not take is wrong, too.
 */
export function parseInput<I extends z.ZodObject>(
  { name, input, guide }: Called<I>,
  raw: unknown,
): z.output<I> {
  const parsed = input.safeParse(raw ?? {}, { error: plainly })
  if (parsed.success) return withoutAliases({ name, input }, raw, parsed.data)
  const { issues } = parsed.error
  const long = issues.find((issue) => issue.code === 'too_big' && issue.origin in UNITS)
  if (long !== undefined) throw overLong(long as z.core.$ZodIssueTooBig, raw)
  const takes = Object.keys(input.shape)
  throw wrongInput(issues, { name, takes, example: guide.example })
}

/** The unit in which a value that is too long is counted; the value of an item is counted as JSON. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', file: 'bytes' }

function overLong(
  issue: Pick<z.core.$ZodIssueTooBig, 'path' | 'origin' | 'maximum'>,
  whole: unknown,
): ElfmemError {
  const { path, origin, maximum } = issue
  const value = path.reduce<unknown>((at, key) => (Object(at) as Record<PropertyKey, unknown>)[key], whole)
  const found =
    origin === 'file' ? Buffer.byteLength(JSON.stringify(value)) : (value as string | unknown[]).length
  return overLimit({
    ...{ what: issuePath({ path, message: '' }), found, limit: Number(maximum), unit: UNITS[origin] ?? '' },
    recovery: origin === 'array' ? 'Make several calls of it.' : 'Shorten it, or part it over several calls.',
  })
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
