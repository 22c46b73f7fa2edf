import type { Capability } from '../../domain/safety/principal.ts'

/**
 * Which values of an argument only an owner may pass: all of them (`given`), those of a list, or those inside an object
 * or the objects of a list.
 */
export type OwnerValues = 'given' | readonly (string | boolean)[] | OwnerArguments
export type OwnerArguments = { readonly [argument: string]: OwnerValues }

/** What the door looks at in the record of an operation. */
export interface Guarded {
  readonly name: string
  readonly needs: Capability
  readonly input: { readonly shape: Readonly<Record<string, unknown>> }
  readonly positionals?: readonly string[]
  readonly fromFile?: unknown
  readonly local?: Readonly<Record<string, 'path' | 'input' | 'output'>>
  readonly ownerOnly?: OwnerArguments
  readonly forReader?: Readonly<Record<string, boolean>>
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
export interface OwnerArgument {
  /** Its name; that of the innermost one. */
  readonly name: string
  /** As the caller wrote it: `blocks[2].sourceClass`. */
  readonly path: string
  readonly value: unknown
}

/** The first argument of a call that only an owner may pass; undefined when there is none. */
export function ownerArgumentIn(input: object, rules: OwnerArguments, path = ''): OwnerArgument | undefined {
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
