import { type Settings, settingsSchema } from '../../../engine/settings.ts'
import { type SettingLeaf, settingLeaves } from '../settings-schema.ts'
import { type JsonSchema, snakeCase } from '../spelling.ts'

/** A setting with its value, and all that is known of it. */
export interface SettingInForce {
  /** The name of the setting as files spell it, such as `memory.inbox_threshold`. */
  readonly name: string
  /** The value of the setting; absent if it has none. Names and passwords in addresses are left out. */
  readonly value?: unknown
  readonly default?: unknown
  readonly isDefault: boolean
  /** The source of the value: a variable, a file by its path, or `config` for what a program passed; absent of a default. */
  readonly source?: string
  readonly unit: string
  /** Limits or choices in words; empty without any. */
  readonly range: string
  /** The reason for the default. */
  readonly reason: string
  /** The environment variable that sets it. */
  readonly variable: string
  /** True if a project's file may set it. */
  readonly project?: boolean
}

/** Says what set a value, by its path in camelCase. */
export type SourceOf = (path: readonly string[]) => string | undefined

/** Returns every setting, in the order of the schema. No key of a model is a setting: they name variables. */
export function settingsInForce(settings: Settings, sourceOf: SourceOf = () => undefined): SettingInForce[] {
  const defaults = settingsSchema.parse({})
  return settingLeaves().map((leaf) => {
    const [value, fallback] = [valueIn(settings, leaf), valueIn(defaults, leaf)]
    const { unit = '', description = '', project } = leaf.schema
    const isDefault = JSON.stringify(value) === JSON.stringify(fallback)
    const source = sourceOf(leaf.path)
    return {
      name: leaf.path.map(snakeCase).join('.'),
      ...(value === undefined ? {} : { value: withoutCredentials(value) }),
      ...(fallback === undefined ? {} : { default: fallback }),
      isDefault,
      ...(source === undefined ? {} : { source }),
      ...{ unit, range: choicesOf(leaf.schema) || rangeOf(leaf.schema), reason: description },
      variable: leaf.env,
      ...(project === undefined ? {} : { project }),
    }
  })
}

function valueIn(settings: Settings, { path }: SettingLeaf): unknown {
  return path.reduce<unknown>((group, key) => (Object(group) as Record<string, unknown>)[key], settings)
}

/** An address without what opens it; anything else as it is. */
export function withoutCredentials(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return value
  const url = new URL(value)
  if (url.username === '' && url.password === '' && url.search === '') return value
  url.username = ''
  url.password = ''
  url.search = ''
  return url.href
}

function choicesOf({ enum: choices, anyOf = [] }: JsonSchema): string {
  if (choices !== undefined) return choices.map(String).join(' | ')
  return anyOf
    .map((each) => choicesOf(each))
    .filter(Boolean)
    .join(' | ')
}

/** `0 to 1`, `at least 16`; empty without limits. */
export function rangeOf(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems } = schema
  const lowest = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const highest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return [
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    limits(lowest, highest),
    maxLength === undefined ? '' : limits(minLength, maxLength, ' characters'),
    limits(undefined, maxItems, ' items'),
  ]
    .filter(Boolean)
    .join(', ')
}

function limits(least: number | undefined, most: number | undefined, unit = ''): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (most !== undefined) return `at most ${most}${unit}`
  return least === undefined ? '' : `at least ${least}${unit}`
}
