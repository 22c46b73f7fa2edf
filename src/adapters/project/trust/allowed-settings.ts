import { isGroup, isRecord, type RawSettings, settingsJsonSchema } from '../settings-schema.ts'
import { type JsonSchema, snakeCase } from '../spelling.ts'

/** The settings of a project's file that count, and the names of the others as files spell them. */
export interface AllowedSettings {
  readonly values: RawSettings
  readonly refused: readonly string[]
}

/** Returns the values of a project's config file, in camelCase, that have the mark `project` in their schema. */
export function allowedOf(given: RawSettings): AllowedSettings {
  const refused: string[] = []
  const walk = (group: RawSettings, schema: JsonSchema, at: readonly string[]): RawSettings => {
    const kept = Object.entries(group).flatMap(([key, value]) => {
      const [path, each] = [[...at, key], schema.properties?.[key] ?? {}]
      if (isGroup(each) && isRecord(value)) return [[key, walk(value, each, path)] as const]
      if (each.project === true) return [[key, value] as const]
      refused.push(path.map(snakeCase).join('.'))
      return []
    })
    return Object.fromEntries(kept)
  }
  return { values: walk(given, settingsJsonSchema(), []), refused }
}

/** The value at a path; undefined where nothing is. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (group, key) => (isRecord(group) && Object.hasOwn(group, key) ? group[key] : undefined),
    values,
  )
}
