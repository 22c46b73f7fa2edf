import * as z from 'zod'
import { type Settings, settingsSchema } from '../../engine/settings.ts'
import { ElfmemError } from '../../errors.ts'
import { issuePath, issueSentence, parsePlainly } from '../../operations/schema-issue.ts'
import { type JsonSchema, respellSchema, snakeCase } from './spelling.ts'

/** A single setting, which a file or an environment variable can set. */
export interface SettingLeaf {
  /** camelCase, outermost first. */
  readonly path: readonly string[]
  /** `ELFMEM_MEMORY_INBOX_THRESHOLD`. */
  readonly env: string
  readonly schema: JsonSchema
}

/** Settings as they stand in a file or come from the environment: camelCase, incomplete, unchecked. */
export type RawSettings = Readonly<Record<string, unknown>>

let cached: JsonSchema | undefined

/** The settings as JSON Schema, names in camelCase. About 15 ms the first time. */
export function settingsJsonSchema(): JsonSchema {
  cached ??= z.toJSONSchema(settingsSchema, { io: 'input' }) as JsonSchema
  return cached
}

/** Returns the schema of settings with names as files spell them. */
export function settingsFileSchema(): JsonSchema {
  return respellSchema(settingsJsonSchema(), snakeCase)
}

/** Returns every single setting, in the order of the schema. */
export function settingLeaves(): SettingLeaf[] {
  return [...leavesOf(settingsJsonSchema(), [])]
}

function* leavesOf(schema: JsonSchema, path: readonly string[]): Generator<SettingLeaf> {
  for (const [key, each] of Object.entries(schema.properties ?? {})) {
    const here = [...path, key]
    if (isGroup(each)) yield* leavesOf(each, here)
    else yield { path: here, env: ['ELFMEM', ...here.map(snakeCase)].join('_').toUpperCase(), schema: each }
  }
}

/** A group's keys can be set one by one; an object that must be complete, or a record, is one value. */
function isGroup(schema: JsonSchema): boolean {
  return schema.properties !== undefined && (schema.required ?? []).length === 0
}

/** Lays `over` on `base`, group by group. */
export function mergeSettings(
  base: RawSettings,
  over: RawSettings,
  schema = settingsJsonSchema(),
): RawSettings {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const group = schema.properties?.[key]
    const both = isRecord(merged[key]) && isRecord(value)
    merged[key] =
      both && group && isGroup(group)
        ? mergeSettings(merged[key] as RawSettings, value as RawSettings, group)
        : value
  }
  return merged
}

/** Fills in the defaults, or says which value is wrong and where it came from. */
export function parseSettings(
  raw: RawSettings,
  originOf: (path: readonly PropertyKey[]) => string,
): Settings {
  const parsed = parsePlainly(settingsSchema, raw)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => {
    const spelled = { path: path.map((key) => (typeof key === 'string' ? snakeCase(key) : key)), message }
    return {
      ...{ path: issuePath(spelled), message: issueSentence(spelled, 'the settings') },
      origin: originOf(path),
    }
  })
  const sentences = issues.map(({ message, origin }) => `${origin}: ${message}`)
  throw new ElfmemError('CONFIG_INVALID', sentences.join(' '), {
    recovery: 'Correct or remove the named value; docs/configuration.md lists every setting with its range.',
    details: { issues },
    cause: parsed.error,
  })
}

/** Returns the settings that a program gives; throws `CONFIG_INVALID` for a key that is no setting. */
export function parseGivenSettings(given: RawSettings): Settings {
  const settings = parseSettings(given, () => 'config')
  const lost = lostOf(settings, given)
  if (lost.length === 0) return settings
  const message = `config: ${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} no setting.`
  throw new ElfmemError('CONFIG_INVALID', message, {
    recovery: 'Leave it out or correct its name; docs/configuration.md lists every setting.',
    details: { unknown: lost },
  })
}

/** The keys of `given` that did not make it into the settings, wherever they stand. */
function lostOf(settings: object, given: object, at = ''): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    if (value === undefined) return []
    const kept = (settings as RawSettings)[key]
    if (kept === undefined) return [`${at}${key}`]
    return isRecord(value) && isRecord(kept) ? lostOf(kept, value, `${at}${key}.`) : []
  })
}

/** The value at a path; undefined where nothing is. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (group, key) => (isRecord(group) && Object.hasOwn(group, key) ? group[key] : undefined),
    values,
  )
}

/** Sets the value at a path, and makes the groups on the way. */
export function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let group = target
  for (const key of path.slice(0, -1)) {
    group[key] ??= {}
    group = group[key] as Record<string, unknown>
  }
  group[path.at(-1) ?? ''] = value
}

/** True for an object with keys: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
