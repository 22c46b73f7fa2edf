import * as z from 'zod'
import { ElfmemError } from '../errors.ts'
import { issueSentence, type ValueSchema } from './schema-issue.ts'

/** Sentences on wrong options, at most; what is wrong in more of them is wrong for the same reason. */
const TOLD_MAX = 5

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
  const told = parsed.error.issues
    .slice(0, TOLD_MAX)
    .map((issue) => issueSentence(issue, { schema: json, whole: given, name: maker }))
  const begin = told[0]?.startsWith(`${maker} takes `) ? '' : `${maker}: `
  throw new ElfmemError('INVALID_INPUT', begin + told.join(' '), {
    recovery: `A call that works: ${example}`,
    details: { arguments: Object.keys(schema.shape) },
  })
}
