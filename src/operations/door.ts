import * as z from 'zod'
import { issuePath, issueSentence, type SchemaIssue, type ValueSchema } from '../domain/text/schema-issue.ts'
import { shellWord } from '../domain/text/text.ts'
import { ElfmemError } from '../errors.ts'
import { type Capability, mayDo, type Principal } from '../flow/engine/engine.ts'
import { ownerOnly, readsOnly } from '../flow/guard/owner-only.ts'
import { sentences } from './wording.ts'

/**
 * Which values of an argument only an owner may pass: all of them (`given`), those of a list, or those inside an object
 * or the objects of a list.
 */
export type OwnerValues = 'given' | readonly (string | boolean)[] | OwnerArguments
export type OwnerArguments = { readonly [argument: string]: OwnerValues }

/** What the door looks at in the record of an operation. */
interface Guarded {
  readonly name: string
  readonly needs: Capability
  readonly input: { readonly shape: Readonly<Record<string, unknown>> }
  readonly positionals?: readonly string[]
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output'>>
  readonly ownerOnly?: OwnerArguments
  readonly forReader?: Readonly<Record<string, boolean>>
}

/** Throws `OWNER_ONLY` when a caller may not call an operation at all. */
export function mustBeAllowed(operation: Guarded, caller: Principal, input: unknown): void {
  const { name, needs } = operation
  if (mayDo(caller, needs)) return
  if (needs !== 'owner') throw readsOnly(caller, name)
  throw ownerOnly(caller, { what: `${name} is for the owner`, command: commandOf(operation, input) })
}

/** What an operation's arguments are for a caller who may only look; throws `OWNER_ONLY` when it asks for another value. */
export function heldFor({ name, forReader = {} }: Guarded, caller: Principal, raw: unknown): object {
  if (mayDo(caller, 'agent')) return {}
  const asked = Object(raw) as Readonly<Record<string, unknown>>
  const other = Object.entries(forReader).find(([key, value]) => (asked[key] ?? value) !== value)
  if (other !== undefined) throw readsOnly(caller, `${name} with ${other[0]}: ${!other[1]}`)
  return forReader
}

/** Throws `OWNER_ONLY` for an argument that only an owner may pass. */
export function mustBeOwners(
  operation: Guarded,
  caller: Principal,
  { input, raw }: { readonly input: object; readonly raw: unknown },
): void {
  if (mayDo(caller, 'owner')) return
  const found = ownerArgumentIn(input, ownerArguments(operation))
  if (found === undefined) return
  throw ownerOnly(caller, {
    what: `${operation.name}: ${saidOf(found)} is for the owner to say`,
    command: commandOf(operation, raw),
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

/** What is longer stands in a command as a blank to fill in. */
const SHOWN_MAX = 60

/** The command line that makes a call. Texts that are long or of several lines stand as `'…'`. */
function commandOf(
  { name, positionals = [] }: Pick<Guarded, 'name' | 'positionals'>,
  input: unknown,
): string {
  const given = Object.entries(Object(input) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  )
  const placed = positionals.flatMap((key) => wordsOf(given.find(([each]) => each === key)?.[1]))
  const flags = given
    .filter(([key]) => !positionals.includes(key))
    .flatMap(([key, value]) =>
      value === true ? [flagOf(key)] : wordsOf(value).flatMap((word) => [flagOf(key), word]),
    )
  return ['elfmem', kebab(name), ...placed, ...flags].join(' ')
}

function wordsOf(value: unknown): string[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  return [typeof value === 'object' ? "'…'" : quoted(String(value))]
}

function quoted(text: string): string {
  if (text.length > SHOWN_MAX || /[\p{Cc}\u2028\u2029]/u.test(text)) return "'…'"
  return shellWord(text)
}

function flagOf(key: string): string {
  return `--${kebab(key)}`
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
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
  /** Its name; that of the innermost one. */
  readonly name: string
  /** As the caller wrote it: `blocks[2].sourceClass`. */
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

/** What is wrong in more places is wrong for the same reason. */
const TOLD_MAX = 5

/** The parts of an operation that reading its input needs. */
interface Called<I extends z.ZodObject> {
  readonly name: string
  readonly input: I
  readonly guide: { readonly example: string }
}

/**
 * The input of an operation, as its schema makes it. Throws `INVALID_INPUT` with a sentence for each place that is
 * wrong, what is allowed there and one call that works; an argument that the operation does not take is wrong, too.
 */
export function parseInput<I extends z.ZodObject>(operation: Called<I>, raw: unknown): z.output<I> {
  const parsed = operation.input.safeParse(raw ?? {})
  if (parsed.success) return parsed.data
  throw refused(operation, raw, parsed.error)
}

function refused<I extends z.ZodObject>(
  { name, input, guide }: Called<I>,
  whole: unknown,
  error: z.ZodError,
): ElfmemError {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as ValueSchema
  const issues: readonly SchemaIssue[] = error.issues
  const told = issues.slice(0, TOLD_MAX).map((issue) => issueSentence(issue, { schema, whole, name }))
  const further = issues.length - told.length
  return new ElfmemError(
    'INVALID_INPUT',
    sentences(
      told[0]?.startsWith(`${name} takes `) !== true && `${name}:`,
      ...told,
      further > 0 && `${further} more places are wrong.`,
    ),
    {
      recovery: `A call that works: ${guide.example}`,
      details: {
        operation: name,
        arguments: [...namesIn(schema)],
        issues: issues.map((issue, at) => ({ path: issuePath(issue), message: told[at] ?? issue.message })),
      },
      cause: error,
    },
  )
}

/** Every name that a sentence may hold, so that each surface can spell it its own way. */
function namesIn({ properties = {}, items, anyOf = [], additionalProperties }: ValueSchema): Set<string> {
  const inside = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') inside.push(additionalProperties)
  return new Set([...Object.keys(properties), ...inside.flatMap((each) => [...namesIn(each)])])
}
