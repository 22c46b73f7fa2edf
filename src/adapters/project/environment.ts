import { ElfmemError } from '../../errors.ts'
import { nearest } from '../../operations/wording.ts'
import { type SettingLeaf, setAt, settingLeaves } from './settings-schema.ts'
import { camelCase, type JsonSchema, respell, respellSchema, snakeCase } from './spelling.ts'
import { HTTP_TOKEN_VARIABLE, SERVICE_VARIABLES, STORE_VARIABLE, TOOLS_VARIABLE } from './variables.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that choose files rather than set a value. */
const FILE_VARIABLES = [
  'ELFMEM_CONFIG',
  'ELFMEM_DB',
  'ELFMEM_MEMORY',
  'ELFMEM_CONFIG_PATH',
  'ELFMEM_DB_PATH',
] as const

/** Shorter names of variables, by which they are reported. */
const SHORT_NAMES: Readonly<Record<string, string>> = { ELFMEM_SCOPE: 'ELFMEM_PROJECT_SCOPE' }

/** Returns the value of a variable, or of its older name in the Python elfmem. */
export function fileVariable(env: Environment, name: 'ELFMEM_CONFIG' | 'ELFMEM_DB'): string | undefined {
  return env[name] || env[`${name}_PATH`] || undefined
}

/** A setting given by a variable. */
export interface EnvironmentSetting {
  readonly path: readonly string[]
  readonly env: string
}

/** Reads every setting that `ELFMEM_<SECTION>_<KEY>` variables give. Lists are comma-separated, objects are JSON. */
export function readEnvironment(env: Environment) {
  const others: readonly string[] = [
    ...FILE_VARIABLES,
    TOOLS_VARIABLE,
    HTTP_TOKEN_VARIABLE,
    STORE_VARIABLE,
    ...Object.values(SERVICE_VARIABLES),
  ]
  const isSetting = (name: string) => !others.includes(name)
  const names = Object.keys(env).filter((name) => name.startsWith('ELFMEM_') && env[name] && isSetting(name))
  if (names.length === 0) return { values: {}, given: [], warnings: [] }
  const leaves = new Map(settingLeaves().map((leaf) => [leaf.env, leaf]))
  const values: Record<string, unknown> = {}
  const given: EnvironmentSetting[] = []
  const warnings: string[] = []
  for (const name of names.sort()) {
    const leaf = leaves.get(SHORT_NAMES[name] ?? name)
    if (leaf) {
      setAt(values, leaf.path, parseValue(env[name] ?? '', leaf))
      given.push({ path: leaf.path, env: name })
      continue
    }
    const similar = nearest(name, [...leaves.keys(), ...others])
    warnings.push(
      `The environment variable ${name} sets nothing${similar === undefined ? '.' : `; did you mean ${similar}?`}`,
    )
  }
  return { values, given, warnings }
}

/** The words that turn a switch on or off. */
const ON = ['true', '1', 'yes', 'on']
const OFF = ['false', '0', 'no', 'off']

function parseValue(text: string, { schema, env }: SettingLeaf): unknown {
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const number = Number(text)
      return Number.isNaN(number) ? refuse(env, 'a number') : number
    }
    case 'boolean':
      return isOn(text.trim().toLowerCase()) ?? refuse(env, 'true or false')
    case 'array':
      return text.split(',').flatMap((each) => each.trim() || [])
    case 'object':
      return parseObject(text, schema, env)
    default:
      return text
  }
}

function isOn(word: string): boolean | undefined {
  return ON.includes(word) ? true : OFF.includes(word) ? false : undefined
}

function parseObject(text: string, schema: JsonSchema, env: string): unknown {
  try {
    return respell(JSON.parse(text), respellSchema(schema, snakeCase), camelCase)
  } catch {
    return refuse(env, 'a JSON object')
  }
}

function refuse(env: string, wanted: string): never {
  throw new ElfmemError('CONFIG_INVALID', `The environment variable ${env} must be ${wanted}.`, {
    recovery: `Correct or unset ${env}.`,
    details: { variable: env },
  })
}

/** The variable that gave the setting at `path`, if one did. */
export function environmentNameOf(
  path: readonly PropertyKey[],
  given: readonly EnvironmentSetting[],
): string | undefined {
  return given.find((each) => each.path.every((key, at) => path[at] === key))?.env
}
