import { settingsSchema } from '../../../engine/settings.ts'
import { isGroup, isRecord, type RawSettings, settingsJsonSchema } from '../settings-schema.ts'
import { type JsonSchema, snakeCase } from '../spelling.ts'

/** The settings of a project's file that count, and the names of the others. */
export interface AllowedSettings {
  readonly values: RawSettings
  /** Settings that were given and do not count, as files spell them. */
  readonly refused: readonly string[]
  /** Limits that were given above what holds without them, as files spell them. */
  readonly raised: readonly string[]
}

/**
 * The values of a project's config file that it may set. The mark `project` of a setting says so: `any` value, or only
 * a `lower` one than would hold without the file.
 *
 * @param given camelCase
 * @param otherwise the value of a setting without the file
 */
export function allowedOf(
  given: RawSettings,
  otherwise: (path: readonly string[]) => unknown,
): AllowedSettings {
  const refused: string[] = []
  const raised: string[] = []
  const isAllowed = (path: readonly string[], value: unknown, { project }: JsonSchema): boolean => {
    const isRaised = project === 'lower' && isMeasure(value) && Number(value) > Number(otherwise(path))
    if (project !== undefined && !isRaised) return true
    const names = isRaised ? raised : refused
    names.push(path.map(snakeCase).join('.'))
    return false
  }
  const walk = (group: RawSettings, schema: JsonSchema, at: readonly string[]): RawSettings => {
    const kept = Object.entries(group).flatMap(([key, value]) => {
      const [path, each] = [[...at, key], schema.properties?.[key] ?? {}]
      if (isGroup(each) && isRecord(value)) return [[key, walk(value, each, path)] as const]
      return isAllowed(path, value, each) ? [[key, value] as const] : []
    })
    return Object.fromEntries(kept)
  }
  return { values: walk(given, settingsJsonSchema(), []), refused, raised }
}

/** Returns true for a value that can be lower than another: a number, or on and off. */
function isMeasure(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

/** The value at a path; undefined where nothing is. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (group, key) => (isRecord(group) && Object.hasOwn(group, key) ? group[key] : undefined),
    values,
  )
}

/**
 * The values of a project without the impossible ones, which are named as files spell them: a file that came with a
 * project must not keep its owner from the memory.
 *
 * @param mergedWith all settings, if the project gave these
 */
export function rightOf(values: RawSettings, mergedWith: (values: RawSettings) => RawSettings) {
  const wrong: string[] = []
  let kept = values
  for (;;) {
    const issues = settingsSchema.safeParse(mergedWith(kept)).error?.issues ?? []
    const path = issues
      .flatMap((issue) => partsOf(issue.path))
      .find((part) => valueAt(kept, part) !== undefined)
    if (path === undefined) return { values: kept, wrong }
    wrong.push(path.map(snakeCase).join('.'))
    kept = without(kept, path)
  }
}

/** A path and the groups it lies in, the longest first. */
export function partsOf(path: readonly PropertyKey[]): readonly (readonly string[])[] {
  return path.map((_, at) => path.slice(0, path.length - at).map(String))
}

function without(values: RawSettings, [key = '', ...rest]: readonly string[]): RawSettings {
  const { [key]: value, ...others } = values
  if (rest.length === 0 || !isRecord(value)) return others
  return { ...others, [key]: without(value, rest) }
}
