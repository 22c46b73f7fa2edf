import * as z from 'zod'
import { issuePath, issueSentence, type SchemaIssue, type ValueSchema } from '../domain/text/schema-issue.ts'
import { ElfmemError } from '../errors.ts'
import { sentences } from './wording.ts'

/** What is wrong in more places is wrong for the same reason. */
const TOLD_MAX = 5
/** Lists with more items are looked at item by item, so that nothing is made of each that is wrong. */
const TAKEN_WHOLE = 50

/** The parts of an operation that reading its input needs. */
interface Called<I extends z.ZodObject> {
  readonly name: string
  readonly input: I
  readonly guide: { readonly example: string }
}

/** The first places that are wrong, and how many there are in all. */
interface Wrong {
  readonly first: readonly SchemaIssue[]
  readonly count: number
}

/**
 * The input of an operation, as its schema makes it. Throws `INVALID_INPUT` with a sentence for each of the first places
 * that are wrong, what is allowed there and one call that works; an argument that the operation does not take is wrong, too.
 */
export function parseInput<I extends z.ZodObject>(operation: Called<I>, raw: unknown): z.output<I> {
  const inLists = wrongInLists(operation.input, raw)
  if (inLists.count > 0) throw refused(operation, raw, inLists)
  const parsed = operation.input.safeParse(raw ?? {})
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  throw refused(operation, raw, { first: issues.slice(0, TOLD_MAX), count: issues.length })
}

/** What is wrong with the items of the long lists of an input, each looked at by itself. */
function wrongInLists({ shape }: z.ZodObject, raw: unknown): Wrong {
  const first: SchemaIssue[] = []
  let count = 0
  for (const [name, value] of Object.entries(Object(raw))) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(shape, name)) continue
    for (const [at, item, each] of itemsOf(shape[name] as z.ZodType, value)) {
      const issues = each.safeParse(item).error?.issues ?? []
      count += issues.length
      for (const issue of issues)
        if (first.length < TOLD_MAX) first.push({ ...issue, path: [name, at, ...issue.path] })
    }
  }
  return { first, count }
}

function* itemsOf(
  schema: z.ZodType,
  value: object,
): Generator<[at: string | number, item: unknown, z.ZodType]> {
  const of = withoutWrapping(schema)
  if (of instanceof z.ZodArray && Array.isArray(value) && value.length > TAKEN_WHOLE)
    for (const [at, item] of value.entries()) yield [at, item, of.element as z.ZodType]
  if (!(of instanceof z.ZodRecord) || Array.isArray(value)) return
  const keys = Object.keys(value)
  if (keys.length <= TAKEN_WHOLE) return
  for (const key of keys) yield [key, (value as Record<string, unknown>)[key], of.valueType as z.ZodType]
}

/** What may be left out, or has a value then, by what it is else. */
function withoutWrapping(schema: z.ZodType): z.ZodType {
  let of = schema
  while (of instanceof z.ZodOptional || of instanceof z.ZodDefault || of instanceof z.ZodReadonly)
    of = of.unwrap() as z.ZodType
  return of
}

function refused<I extends z.ZodObject>(
  { name, input, guide }: Called<I>,
  whole: unknown,
  { first, count }: Wrong,
): ElfmemError {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as ValueSchema
  const told = first.map((issue) => issueSentence(issue, { schema, whole, name }))
  const further = count - told.length
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
        issues: first.map((issue, at) => ({ path: issuePath(issue), message: told[at] ?? issue.message })),
      },
    },
  )
}

/** Every name that a sentence may hold, so that each surface can spell it its own way. */
function namesIn({ properties = {}, items, anyOf = [], additionalProperties }: ValueSchema): Set<string> {
  const inside = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') inside.push(additionalProperties)
  return new Set([...Object.keys(properties), ...inside.flatMap((each) => [...namesIn(each)])])
}
