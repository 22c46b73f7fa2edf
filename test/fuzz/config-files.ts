import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { resolveProject } from '../../src/adapters/project/resolve.ts'
import { settingLeaves, settingsFileSchema } from '../../src/adapters/project/settings-schema.ts'
import { settingsSchema } from '../../src/engine/settings.ts'
import { ElfmemError } from '../../src/errors.ts'
import { trustsAll, writtenFiles } from '../helpers/written-files.ts'
import { tryFor } from './bound.ts'
import { hostileText, hostileValue } from './hostile.ts'
import { jsonOr, spoilt } from './mutate.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const HOME = '/home/somebody'
const PROJECT = join(HOME, 'project')

const settings = arbitraryOf(settingsFileSchema())

/** YAML of which a parser makes something else than a tree of plain values, and deep or endless values. */
const TEXTS = [
  'a: &a\n  b: *a\n',
  'memory: &m\n  <<: *m\n',
  'memory: {? [a, b] : c}\n',
  'memory: !!binary AAAA\n',
  'memory:\n  inbox_threshold: .nan\n',
  'memory: {inbox_threshold: 1}\nmemory: {inbox_threshold: 2}\n',
  'memory:\n  __proto__:\n    inbox_threshold: 3\n',
  '--- 1\n--- 2\n',
  '\t\tmemory: 1',
  '\ufeffmemory: {}',
  '['.repeat(20_000),
  `${'{"memory":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  '{"memory": {"inbox_threshold": 1e999}}',
]

const config = fc.oneof(
  settings.map(jsonOr),
  spoilt(settings).map(jsonOr),
  fc.tuple(settings, fc.nat(2_000)).map(([value, length]) => jsonOr(value).slice(0, length)),
  fc.constantFrom(...TEXTS),
  hostileText,
)

const variables = fc.dictionary(
  fc.constantFrom(...settingLeaves().map(({ env }) => env), 'ELFMEM_DB', 'ELFMEM___PROTO__', 'elfmem_db'),
  fc.oneof(
    fc.constantFrom('1', '0', '-1', '0x10', '1e999', ' ', 'a,b', '{}'),
    hostileText,
    hostileValue.map(jsonOr),
  ),
  { maxKeys: 3 },
)

const files = fc.record({
  name: fc.constantFrom('config.yaml', 'config.json'),
  config,
  dotEnv: variables,
  env: variables,
})

/** Opens projects with any config file, `.env` file and environment. */
export async function tryConfigFiles(): Promise<void> {
  const prototype = Object.getOwnPropertyNames(Object.prototype)
  await tryFor(files, async ({ name, config: text, dotEnv, env }) => {
    const path = join(PROJECT, '.elfmem', name)
    const lines = Object.entries(dotEnv).map(([key, value]) => `${key}=${value}`)
    const texts = { [path]: text, [join(PROJECT, '.env')]: lines.join('\n') }
    const written = writtenFiles(texts)
    const flags = { config: path }
    const found = await resolveProject({
      ...{ cwd: PROJECT, home: HOME, env, flags },
      files: written,
      trustStore: trustsAll(texts),
    }).catch(refusalOf)
    if (found !== undefined) expect(settingsSchema.safeParse(found.settings).error).toBeUndefined()
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype)
  })
}

function refusalOf(error: unknown): undefined {
  if (!ElfmemError.is(error)) throw new Error('no error of ours', { cause: error })
  expect(error.code).toBe('CONFIG_INVALID')
  expect(error.recovery.trim()).not.toBe('')
}
