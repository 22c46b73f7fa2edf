import * as z from 'zod'
import { issuePath, issueSentence, type SchemaIssue, type ValueSchema } from '../domain/text/schema-issue.ts'
import { ElfmemError } from '../errors.ts'
import { sentences } from './wording.ts'

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
  const { name, input, guide } = operation
  const { error } = parsed
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as ValueSchema
  const issues: readonly SchemaIssue[] = error.issues
  const told = issues.slice(0, TOLD_MAX).map((issue) => issueSentence(issue, { schema, whole: raw, name }))
  const further = issues.length - told.length
  const message = sentences(
    told[0]?.startsWith(`${name} takes `) !== true && `${name}:`,
    ...told,
    further > 0 && `${further} more places are wrong.`,
  )
  throw new ElfmemError('INVALID_INPUT', message, {
    recovery: `A call that works: ${guide.example}`,
    details: {
      operation: name,
      arguments: [...namesIn(schema)],
      issues: issues.map((issue, at) => ({ path: issuePath(issue), message: told[at] ?? issue.message })),
    },
    cause: error,
  })
}

/** Every name that a sentence may hold, so that each surface can spell it its own way. */
function namesIn({ properties = {}, items, anyOf = [], additionalProperties }: ValueSchema): Set<string> {
  const inside = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') inside.push(additionalProperties)
  return new Set([...Object.keys(properties), ...inside.flatMap((each) => [...namesIn(each)])])
}
