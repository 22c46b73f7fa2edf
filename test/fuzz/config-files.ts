import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import { resolveProject } from '../../src/adapters/project/resolve.ts'
import {
  parseSettings,
  settingLeaves,
  settingsFileSchema,
} from '../../src/adapters/project/settings-schema.ts'
import { camelCase, respell } from '../../src/adapters/project/spelling.ts'
import { FRAME_NAMES } from '../../src/config/frames.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { ElfmemError } from '../../src/errors.ts'
import { TRUSTS_ALL, writtenFiles } from '../helpers/written-files.ts'
import { type Bound, tryFor } from './bound.ts'
import { type Damage, damaged, damages } from './damage.ts'
import { hostileText, hostileValue } from './hostile.ts'
import { spoilt } from './mutate.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const HOME = '/home/somebody'
const PROJECT = join(HOME, 'project')
const NAMES = ['config.yaml', 'config.json'] as const

/** What somebody may have written for elfmem to find. */
interface Files {
  readonly name: (typeof NAMES)[number]
  readonly config: string
  readonly dotEnv: string
  readonly env: Readonly<Record<string, string>>
}

const settings = arbitraryOf(settingsFileSchema())

const YAML = [
  'a: &a\n  b: *a\n',
  '&a [*a]',
  'memory: &m\n  <<: *m\n',
  'memory: {? [a, b] : c}\n',
  '? {a: 1}\n: b\n',
  '--- !!set {a, b}\n',
  'memory: !!binary AAAA\n',
  'memory: !made-up {inbox_threshold: 3}\n',
  'memory:\n  inbox_threshold: 0x10\n',
  'memory:\n  inbox_threshold: .nan\n',
  'memory:\n  inbox_threshold: -.inf\n',
  'memory: {inbox_threshold: 1}\nmemory: {inbox_threshold: 2}\n',
  '__proto__:\n  polluted: true\n',
  'memory:\n  __proto__:\n    inbox_threshold: 3\n',
  'constructor:\n  prototype:\n    polluted: true\n',
  '--- 1\n--- 2\n',
  '\t\tmemory: 1',
  '\ufeffmemory: {}',
  '2024-01-01',
  '%YAML 9.9\n---\nmemory: {}\n',
  `${'['.repeat(5_000)}`,
  `memory: ${'{a: '.repeat(2_000)}1${'}'.repeat(2_000)}`,
  `${Array.from({ length: 9 }, (_, at) => `x${at}: &x${at} [${`*x${at - 1}, `.repeat(at > 0 ? 9 : 0)}1]`).join('\n')}\n`,
]
const JSON_TEXTS = [
  '['.repeat(20_000),
  `${'{"memory":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  '{"__proto__": {"polluted": true}}',
  '{"memory": {"__proto__": {"inbox_threshold": 3}}}',
  '{"memory": {"inbox_threshold": 1e999}}',
  '{"memory": 1, "memory": {}}',
  'null',
  '"text"',
]

const config: fc.Arbitrary<Pick<Files, 'name' | 'config'>> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NAMES), settings)
    .map(([name, value]) => ({ name, config: written(name, value) })),
  fc
    .tuple(fc.constantFrom(...NAMES), spoilt(settings))
    .map(([name, value]) => ({ name, config: written(name, value) })),
  fc
    .tuple(fc.constantFrom(...NAMES), settings, damages)
    .map(([name, value, done]: [Files['name'], unknown, readonly Damage[]]) => ({
      name,
      config: damaged(written(name, value), done),
    })),
  fc.constantFrom(...YAML).map((text) => ({ name: 'config.yaml' as const, config: text })),
  fc.constantFrom(...JSON_TEXTS).map((text) => ({ name: 'config.json' as const, config: text })),
  fc.tuple(fc.constantFrom(...NAMES), hostileText).map(([name, text]) => ({ name, config: text })),
)

const variables = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...settingLeaves().map(({ env }) => env)),
    fc.constantFrom('ELFMEM_SCOPE', 'ELFMEM_DB', 'ELFMEM___PROTO__', 'ELFMEM_', 'ELFMEM_MEMORY', 'elfmem_db'),
  ),
  fc.oneof(
    fc.constantFrom('1', '0', '-1', '0x10', '1e999', ' ', 'true', 'a,b', '{}', '[]', '{"__proto__": 1}'),
    fc.double().map(String),
    hostileText,
    hostileValue.filter((value) => typeof value === 'object').map(jsonOr),
  ),
  { maxKeys: 3 },
)

const files: fc.Arbitrary<Files> = fc
  .tuple(config, variables, variables, fc.option(hostileText, { nil: '' }))
  .map(([found, env, lines, noise]) => {
    const dotEnv = Object.entries(lines).map(([key, value]) => `${key}=${value}`)
    return { ...found, env, dotEnv: [...dotEnv, noise].join('\n') }
  })

function written(name: Files['name'], value: unknown): string {
  if (name === 'config.json') return jsonOr(value)
  try {
    return stringify(value)
  } catch {
    return jsonOr(value)
  }
}

/** As JSON; empty for what has no such form. */
function jsonOr(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** Whatever stands in files and variables: settings within their ranges, or a refusal that names the place. */
export async function tryConfigFiles(bound: Bound): Promise<void> {
  const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
  await tryFor(
    bound,
    files,
    async (given) => {
      await expectSettings(given)
      expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(prototype)
    },
    { round: 10 },
  )
  await tryFor(
    { ...bound, cases: Math.min(bound.cases, 50), seconds: bound.seconds / 4 },
    settings,
    expectSame,
  )
}

function resolveWith({ name, config: text, dotEnv, env }: Files) {
  const path = join(PROJECT, '.elfmem', name)
  const files = writtenFiles({ [path]: text, [join(PROJECT, '.env')]: dotEnv })
  const flags = { config: path }
  return resolveProject({ cwd: PROJECT, home: HOME, env, flags, files, trustStore: TRUSTS_ALL })
}

async function expectSettings(given: Files): Promise<void> {
  try {
    const { settings: found, warnings, database } = await resolveWith(given)
    expect(settingsSchema.safeParse(found).error).toBeUndefined()
    expect(warnings.every((each) => typeof each === 'string')).toBe(true)
    expect(typeof database.path).toBe('string')
  } catch (error) {
    if (!ElfmemError.is(error)) throw new Error('no error of ours', { cause: error })
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message.trim()).not.toBe('')
    expect(error.recovery.trim()).not.toBe('')
  }
}

/** A frame's name has one spelling. */
function inCode(name: string): string {
  return (FRAME_NAMES as readonly string[]).includes(name) ? name : camelCase(name)
}

/** Settings that may be said are understood as they were said, in both spellings of a file. */
async function expectSame(value: unknown): Promise<void> {
  const said = parsedOr(respell(value, settingsFileSchema(), inCode) as Record<string, unknown>)
  for (const name of NAMES) {
    const found = await resolveWith({ name, config: written(name, value), dotEnv: '', env: {} }).then(
      (project) => project.settings,
      () => undefined,
    )
    expect(found, name).toEqual(said)
  }
}

function parsedOr(value: Record<string, unknown>): unknown {
  try {
    return parseSettings(value, () => 'test')
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return undefined
  }
}
