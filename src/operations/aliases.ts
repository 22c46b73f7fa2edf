import type * as z from 'zod'
import { ElfmemError } from '../errors.ts'

/**
 * Declares the name that the Python elfmem has for an argument or for a field of a result. An argument is taken under both
 * names, a field stands under both; help and lists of tools show the first alone.
 */
export function alias<S extends z.ZodType>(name: string, schema: S): S {
  return schema.describe(`Another name of ${name}`).meta({ aliasOf: name })
}

/** Returns the argument or field that a schema is another name of. */
export function aliasOf(schema: z.ZodType): string | undefined {
  return schema.meta()?.aliasOf as string | undefined
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
export function withoutAliases<T extends object>(operation: Named, raw: unknown, parsed: T): T {
  const written = Object(raw) as Readonly<Record<string, unknown>>
  const named = { ...parsed } as Record<string, unknown>
  const taken = new Map<string, string>()
  for (const [name, schema] of Object.entries(operation.input.shape)) {
    const first = aliasOf(schema as z.ZodType)
    if (first === undefined || written[name] === undefined) continue
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
