import { describe, expect, test } from 'vitest'
import type { ProjectRequest } from '../../src/adapters/project/project.ts'
import { resolveProject } from '../../src/adapters/project/resolve.ts'
import { type SettingLeaf, settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { type Settings, settingsSchema } from '../../src/engine/settings.ts'
import { trustsAll, writtenFiles } from '../helpers/written-files.ts'

const HOME = '/home/ann'
const TRUSTS_NONE = { find: () => undefined, save: () => undefined }

function resolve(texts: Readonly<Record<string, string>>, request: Partial<ProjectRequest> = {}) {
  return resolveProject({
    cwd: `${HOME}/code/app/src`,
    home: HOME,
    env: {},
    files: writtenFiles(texts),
    trustStore: trustsAll(texts),
    ...request,
  })
}

describe('the project', () => {
  test.each([
    [
      'the nearest directory that looks like one',
      { [`${HOME}/code/app/package.json`]: '' },
      `${HOME}/code/app`,
    ],
    [
      'the nearest of several',
      { [`${HOME}/code/.git/`]: '', [`${HOME}/code/app/go.mod`]: '' },
      `${HOME}/code/app`,
    ],
    [
      'one with a memory further up, not a nearer package',
      { [`${HOME}/code/.elfmem/`]: '', [`${HOME}/code/app/package.json`]: '' },
      `${HOME}/code`,
    ],
    ['never the home directory', { [`${HOME}/.elfmem/`]: '', [`${HOME}/package.json`]: '' }, undefined],
  ])('is %s', async (_, texts, root) => {
    expect((await resolve(texts)).root).toBe(root)
  })
})

describe('the database', () => {
  test('is the first of flag, environment, named config, trusted project, user’s file and home', async () => {
    const env = { ELFMEM_DB: 'env.db' }
    const flags = { db: '~/flag.db' }
    const texts = {
      [`${HOME}/code/app/.elfmem/`]: '',
      [`${HOME}/.elfmem/config.yaml`]: 'project: { db: mine.db }',
      '/etc/elf.yaml': 'project: { db: data/x.db }',
    }
    const chosen = async (
      request: Partial<ProjectRequest>,
      given: Readonly<Record<string, string>> = texts,
    ) => (await resolve(given, request)).database
    const order = [
      [{ flags, env }, '--db', `${HOME}/flag.db`],
      [{ env }, 'ELFMEM_DB', `${HOME}/code/app/src/env.db`],
      [{ flags: { config: '/etc/elf.yaml' } }, 'project.db', '/etc/data/x.db'],
      [{}, 'project directory', `${HOME}/code/app/.elfmem/memory.db`],
      [{ trustStore: TRUSTS_NONE }, 'project.db', `${HOME}/mine.db`],
    ] as const
    for (const [request, rule, path] of order) expect(await chosen(request)).toEqual({ path, rule })
    expect(await chosen({}, {})).toEqual({ path: `${HOME}/.elfmem/agent.db`, rule: 'home directory' })
  })
})

describe('the config', () => {
  const file = `${HOME}/code/app/.elfmem/config.yaml`
  const named = (text: string) => resolve({ [file]: text }, { flags: { config: file } })

  const texts = {
    [file]: 'project: { agent_name: project }\nrecall: { top_k: 3 }',
    [`${HOME}/.elfmem/config.yaml`]:
      'project: { agent_name: home }\nrecall: { top_k: 5, match_from: 0.7 }\nmemory: { embed_batch: 7 }',
    '/etc/elf.json': '{"project": {"agent_name": "flag"}}',
    '/etc/elf.yaml': 'project: { agent_name: env }',
  }

  test('of the project counts before that of the user, and a named one replaces both', async () => {
    const chosen = async (
      request: Partial<ProjectRequest>,
      given: Readonly<Record<string, string>> = texts,
    ) => {
      const { configs, settings } = await resolve(given, request)
      return [settings.project.agentName, configs[0]?.rule]
    }
    const env = { ELFMEM_CONFIG: '/etc/elf.yaml' }
    expect(await chosen({ env, flags: { config: '/etc/elf.json' } })).toEqual(['flag', '--config'])
    expect(await chosen({ env })).toEqual(['env', 'ELFMEM_CONFIG'])
    expect(await chosen({})).toEqual(['project', 'project directory'])
    expect(await chosen({ cwd: '/srv' })).toEqual(['home', 'home directory'])
    expect(await chosen({}, {})).toEqual(['elf', undefined])
  })

  test('of a project sets what it may set, and warns of each other key', async () => {
    for (const { path, schema } of settingLeaves()) {
      const value = another({ path, env: '', schema })
      const given = path.reduceRight<unknown>((inner, key) => ({ [snakeCase(key)]: inner }), value)
      const name = path.map(snakeCase).join('.')
      const { settings, warnings } = await resolve({
        [file]: JSON.stringify(given),
      })
      const told = warnings.filter((each) => each.includes(name))
      const fallback = at(settingsSchema.parse({}), path)
      const counts = schema.project === true
      expect([name, told.length]).toEqual([name, counts ? 0 : 1])
      if (counts) expect({ value: at(settings, path) }).toMatchObject({ value })
      else expect([name, at(settings, path)]).toEqual([name, fallback])
    }
  })

  test('of a project counts for its own memory alone, and once it is trusted', async () => {
    const nameWith = async (db: string) =>
      (await resolve(texts, { flags: { db } })).settings.project.agentName
    expect(await nameWith('/elsewhere/memory.db')).toBe('home')
    expect(await nameWith('~/.elfmem/agent.db')).toBe('home')
    expect(await nameWith(`${HOME}/code/app/.elfmem/memory.db`)).toBe('project')
    const { settings, warnings } = await resolve(texts, { trustStore: TRUSTS_NONE })
    expect([settings.project.agentName, warnings]).toEqual(['home', []])
  })

  test('warns of an unknown key and names the nearest', async () => {
    const { warnings, settings } = await named('memory:\n  inbox_treshold: 3\nlllm: {}\n')
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/memory\.inbox_treshold.*memory\.inbox_threshold/)
    expect(settings.memory.inboxThreshold).toBe(10)
  })

  test.each([
    ['memory:\n  inbox_threshold: many\n', 'memory.inbox_threshold'],
    ['- a\n- b\n', 'sections'],
    ['memory: [', 'config.yaml'],
  ])('with a wrong value %j is refused naming file and place', async (text, place) => {
    const refusal = expect(named(text)).rejects
    await refusal.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) })
    await expect(named(text)).rejects.toMatchObject({ message: expect.stringContaining(place) })
  })
})

describe('the environment', () => {
  test('sets every setting by its variable', async () => {
    for (const leaf of settingLeaves()) {
      const value = another(leaf)
      const { settings, warnings } = await resolve({}, { env: { [leaf.env]: written(value) } })
      // A record may be filled up with the defaults of its other keys.
      expect({ name: leaf.env, value: at(settings, leaf.path) }).toMatchObject({ name: leaf.env, value })
      expect(warnings).toEqual([])
    }
  })
})

function at(settings: Settings, path: readonly string[]): unknown {
  return path.reduce<unknown>((group, key) => (group as Record<string, unknown> | undefined)?.[key], settings)
}

/** A value the setting takes that is not its default. */
function another({ path, schema }: SettingLeaf): unknown {
  const fallback = at(settingsSchema.parse({}), path)
  if (schema.enum) return schema.enum.find((each) => each !== fallback)
  if (schema.format === 'uri') return 'http://localhost:9/v1'
  switch (schema.type) {
    case 'boolean':
      return !fallback
    case 'integer':
    case 'number':
      return anotherNumber(schema, (fallback as number | undefined) ?? 1)
    case 'array':
      if (schema.items?.enum) return schema.items.enum.slice(1)
      return schema.items?.type === 'number' ? (fallback as number[]).map((each) => each / 2) : ['a/*', 'b']
    case 'object':
      return anotherObject(schema)
    default:
      return 'another'
  }
}

function anotherObject({ properties, additionalProperties }: SettingLeaf['schema']): unknown {
  if (properties) {
    const [first = '', ...others] = Object.keys(properties)
    const shares = others.map((key) => [key, 0.1] as const)
    return { ...Object.fromEntries(shares), [first]: 1 - 0.1 * others.length }
  }
  const isNested = typeof additionalProperties === 'object' && additionalProperties.type === 'object'
  return { 'tag:a_b': isNested ? { edgeCosineFloor: 0.25 } : 0.5 }
}

function anotherNumber(
  { minimum = 0, maximum = 1e9, type }: SettingLeaf['schema'],
  fallback: number,
): number {
  const step = type === 'integer' ? 1 : 0.001
  return fallback + step <= maximum ? fallback + step : Math.max(minimum, fallback - step)
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
