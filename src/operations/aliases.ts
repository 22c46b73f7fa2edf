import type * as z from 'zod'
import { ElfmemError } from '../errors.ts'

/** The names of an argument or a field, as its schema says them. */
export interface Naming {
  /** It is another name of this argument or field. */
  readonly aliasOf?: string
  /** Its values are also taken under this argument, which else means something of its own. */
  readonly alsoAs?: string
}

/**
 * Another name of an argument. The door takes its value for that of the argument, and refuses both at once; help and lists of
 * tools do not show it, and the editor strikes it through.
 *
 * @param schema of the argument, without its default
 */
export function alias<S extends z.ZodType>(name: string, schema: S): z.ZodOptional<S> {
  return schema.optional().describe(`Another name of ${name}`).meta({ aliasOf: name })
}

/** Another name of a field of a result, whose value stands under both. */
export function sameField<S extends z.ZodType>(name: string, schema: S): S {
  return schema.describe(`Another name of ${name}`).meta({ aliasOf: name })
}

/** An argument that is looked for under other names, too. */
interface Renaming {
  readonly from: string
  readonly to: string
  /** If `from` is an argument of its own: which of its values are meant for `to`. */
  readonly means?: z.ZodType
}

const renamings = new WeakMap<z.ZodObject, readonly Renaming[]>()

function renamingsOf(input: z.ZodObject): readonly Renaming[] {
  const known = renamings.get(input)
  if (known !== undefined) return known
  const all = Object.entries(input.shape).flatMap(([name, schema]): Renaming[] => {
    const { aliasOf, alsoAs } = namingOf(schema as z.ZodType)
    if (aliasOf !== undefined) return [{ from: name, to: aliasOf }]
    return alsoAs === undefined ? [] : [{ from: alsoAs, to: name, means: schema as z.ZodType }]
  })
  renamings.set(input, all)
  return all
}

/** Returns what the schema of an argument or field says of its names. */
export function namingOf(schema: z.ZodType): Naming {
  return (schema.meta() ?? {}) as Naming
}

/** The argument that a name stands for: itself, unless it is an alias. */
export function argumentOf(input: z.ZodObject, name: string): string {
  const schema = Object.hasOwn(input.shape, name) ? (input.shape[name] as z.ZodType) : undefined
  return (schema && namingOf(schema).aliasOf) ?? name
}

interface Named {
  readonly name: string
  readonly input: z.ZodObject
}

/**
 * The input with each value under the one name of its argument; the same object where no other name is used. Throws
 * `INVALID_INPUT` if an argument is given by two names.
 *
 * @param raw what the caller wrote; in what is parsed, defaults stand beside aliases
 */
export function withoutAliases<T extends object>(
  { name: operation, input }: Named,
  raw: unknown,
  given: T,
): T {
  const written = Object(raw) as Readonly<Record<string, unknown>>
  const named = { ...given } as Record<string, unknown>
  const taken = new Map<string, string>()
  for (const { from, to, means } of renamingsOf(input)) {
    if (written[from] === undefined) continue
    if (means !== undefined && (written[to] !== undefined || !means.safeParse(written[from]).success))
      continue
    const other = taken.get(to) ?? (written[to] === undefined ? undefined : to)
    if (other !== undefined) throw twice(operation, { names: [from, other], name: to })
    taken.set(to, from)
    named[to] = named[from]
    delete named[from]
  }
  return taken.size === 0 ? given : (named as T)
}

function twice(
  operation: string,
  { names, name }: { readonly names: readonly string[]; readonly name: string },
): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${operation}: ${names.join(' and ')} are names of one argument.`, {
    recovery: `Pass ${name} alone.`,
    details: { operation, arguments: [...new Set([...names, name])] },
  })
}
