import { describe, expect, test } from 'vitest'
import type { ProjectRequest } from '../../src/adapters/project/project.ts'
import { resolveProject } from '../../src/adapters/project/resolve.ts'
import { type SettingLeaf, settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { type Settings, settingsSchema } from '../../src/config/settings.ts'
import { readSources } from '../helpers/sources.ts'
import { TRUSTS_ALL, writtenFiles } from '../helpers/written-files.ts'

const HOME = '/home/ann'
const TRUSTS_NONE = { find: () => undefined, save: () => undefined }

function resolve(texts: Readonly<Record<string, string>>, request: Partial<ProjectRequest> = {}) {
  return resolveProject({
    cwd: `${HOME}/code/app/src`,
    home: HOME,
    env: {},
    files: writtenFiles(texts),
    trustStore: TRUSTS_ALL,
    platform: 'linux',
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
    expect(await chosen({ flags, env })).toEqual({ path: `${HOME}/flag.db`, rule: '--db' })
    expect(await chosen({ env })).toEqual({ path: `${HOME}/code/app/src/env.db`, rule: 'ELFMEM_DB' })
    expect(await chosen({ env: { ELFMEM_PROJECT_DB: 'data/x.db' } })).toEqual({
      path: `${HOME}/code/app/data/x.db`,
      rule: 'project.db',
    })
    expect(await chosen({ flags: { config: '/etc/elf.yaml' } })).toEqual({
      path: '/etc/data/x.db',
      rule: 'project.db',
    })
    expect(await chosen({})).toEqual({
      path: `${HOME}/code/app/.elfmem/memory.db`,
      rule: 'project directory',
    })
    expect(await chosen({ trustStore: TRUSTS_NONE })).toEqual({ path: `${HOME}/mine.db`, rule: 'project.db' })
    expect(await chosen({}, {})).toEqual({ path: `${HOME}/.elfmem/agent.db`, rule: 'home directory' })
  })

  test('of two projects of one name is not the same', async () => {
    const twin = (root: string) =>
      resolve({ [`${root}/.elfmem/config.yaml`]: 'project:\n  name: twin\n' }, { cwd: root })
    const [one, other] = await Promise.all([twin(`${HOME}/one`), twin(`${HOME}/other`)])
    expect(one.settings.project.name).toBe(other.settings.project.name)
    expect(one.database.path).not.toBe(other.database.path)
  })

  test('may lie in memory', async () => {
    expect((await resolve({}, { flags: { db: ':memory:' } })).database.path).toBe(':memory:')
  })
})

describe('the config', () => {
  const file = `${HOME}/code/app/.elfmem/config.yaml`
  const named = (text: string) => resolve({ [file]: text }, { flags: { config: file } })

  const texts = {
    [file]: 'project: { agent_name: project }\nrecall: { top_k: 3 }',
    [`${HOME}/.elfmem/config.yaml`]:
      'project: { agent_name: home }\nrecall: { top_k: 5, pool: 30 }\nmemory: { max_tags: 7 }',
    '/etc/elf.json': '{"project": {"agent_name": "flag"}}',
    '/etc/elf.yaml': 'project: { agent_name: env }',
  }

  test('of the project counts before that of the user, and a named one replaces both', async () => {
    const chosen = async (
      request: Partial<ProjectRequest>,
      given: Readonly<Record<string, string>> = texts,
    ) => {
      const { config, settings } = await resolve(given, request)
      return [settings.project.agentName, config.rule]
    }
    const env = { ELFMEM_CONFIG: '/etc/elf.yaml' }
    expect(await chosen({ env, flags: { config: '/etc/elf.json' } })).toEqual(['flag', '--config'])
    expect(await chosen({ env })).toEqual(['env', 'ELFMEM_CONFIG'])
    expect(await chosen({})).toEqual(['project', 'project directory'])
    expect(await chosen({ cwd: '/srv' })).toEqual(['home', 'home directory'])
    expect(await chosen({}, {})).toEqual(['elf', 'defaults'])
  })

  test('gives each key by itself: that of the user what that of the project leaves out', async () => {
    const { settings, configs } = await resolve(texts)
    expect([settings.recall.topK, settings.recall.pool, settings.memory.maxTags]).toEqual([3, 30, 7])
    expect(configs.map(({ rule }) => rule)).toEqual(['project directory', 'home directory'])
    const called = await resolve(texts, {
      settings: { recall: { topK: 9 } },
      env: { ELFMEM_RECALL_TOP_K: '4' },
    })
    expect(called.settings.recall).toMatchObject({ topK: 9, pool: 30 })
    const named = await resolve(texts, { flags: { config: '/etc/elf.yaml' } })
    expect(named.settings.recall.topK).toBe(0)
  })

  test('of the user lies in the home directory, else where the platform keeps such files', async () => {
    const places = {
      linux: `${HOME}/.config/elfmem/config.yaml`,
      darwin: `${HOME}/Library/Application Support/elfmem/config.yaml`,
    }
    for (const [platform, path] of Object.entries(places)) {
      const { config } = await resolve({ [path]: 'recall: { top_k: 3 }' }, { platform })
      expect(config.path).toBe(path)
    }
    const env = { XDG_CONFIG_HOME: '/x' }
    const both = { [`${HOME}/.elfmem/config.yaml`]: '', '/x/elfmem/config.yaml': 'recall: { top_k: 3 }' }
    const { config, warnings } = await resolve(both, { env })
    expect(config.path).toBe(`${HOME}/.elfmem/config.yaml`)
    expect(warnings).toEqual([expect.stringContaining('/x/elfmem/config.yaml is not read')])
    expect((await resolve({ '/x/elfmem/config.yaml': '' }, { env })).config.path).toBe(
      '/x/elfmem/config.yaml',
    )
  })

  test('of a project may set what is marked so and nothing else, and says what it may not', async () => {
    for (const { path, schema } of settingLeaves()) {
      const value = another({ path, env: '', schema })
      const given = path.reduceRight<unknown>((inner, key) => ({ [snakeCase(key)]: inner }), value)
      const name = path.map(snakeCase).join('.')
      const { settings, warnings } = await resolve({
        [file]: JSON.stringify(given),
      })
      const told = warnings.filter((each) => each.includes(name))
      const fallback = at(settingsSchema.parse({}), path)
      const counts =
        schema.project === 'any' || (schema.project === 'lower' && Number(value) <= Number(fallback))
      expect([name, told.length]).toEqual([name, counts ? 0 : 1])
      if (counts) expect({ value: at(settings, path) }).toMatchObject({ value })
      else expect([name, at(settings, path)]).toEqual([name, fallback])
      if (schema.project === 'lower' && !counts) expect(told[0]).toContain('may only lower')
    }
  })

  test('of a project may lower a limit below what holds without it', async () => {
    const project = { [file]: 'limits: { query_bytes: 5000, note_bytes: 20000 }' }
    const env = { ELFMEM_LIMITS_NOTE_BYTES: '30000' }
    const limitsOf = async (texts: Readonly<Record<string, string>>, variables = {}) =>
      (await resolve(texts, { env: variables })).settings.limits
    expect(await limitsOf(project)).toMatchObject({ queryBytes: 5000, noteBytes: 16_384 })
    expect(await limitsOf(project, env)).toMatchObject({ queryBytes: 5000, noteBytes: 30_000 })
    const user = { [`${HOME}/.elfmem/config.yaml`]: 'limits: { query_bytes: 1000 }' }
    expect(await limitsOf({ ...project, ...user })).toMatchObject({ queryBytes: 1000 })
  })

  test('of a project acts on its own memory alone, whoever names that', async () => {
    const nameWith = async (db: string) =>
      (await resolve(texts, { flags: { db } })).settings.project.agentName
    expect(await nameWith('/elsewhere/memory.db')).toBe('home')
    expect(await nameWith('~/.elfmem/agent.db')).toBe('home')
    expect(await nameWith(`${HOME}/code/app/.elfmem/memory.db`)).toBe('project')
    const { settings, warnings } = await resolve(texts, { trustStore: TRUSTS_NONE })
    expect([settings.project.agentName, warnings]).toEqual(['home', []])
  })

  test('named by hand must exist', async () => {
    await expect(resolve({}, { flags: { config: 'gone.yaml' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('gone.yaml'),
    })
  })

  test('warns of a key that means nothing and names the nearest that does', async () => {
    const { warnings, settings } = await named('memory:\n  inbox_treshold: 3\nlllm: {}\n')
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/memory\.inbox_treshold.*memory\.inbox_threshold/)
    expect(settings.memory.inboxThreshold).toBe(10)
  })

  test.each([
    ['memory:\n  inbox_threshold: many\n', 'memory.inbox_threshold'],
    ['recall:\n  top_k: -1\n', 'recall.top_k'],
    ['- a\n- b\n', 'sections'],
    ['memory: [', 'config.yaml'],
  ])('with a wrong value %j is refused naming file and place', async (text, place) => {
    const refusal = expect(named(text)).rejects
    await refusal.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) })
    await expect(named(text)).rejects.toMatchObject({ message: expect.stringContaining(place) })
  })

  test('may leave a section empty', async () => {
    const { settings } = await resolve({
      [file]: 'memory:\n  # inbox_threshold: 3\nrecall:\n  top_k: null\n',
    })
    expect(settings).toEqual(settingsSchema.parse({}))
  })

  test('may change one field of a frame', async () => {
    const { settings } = await resolve({
      [file]: 'frames: { task: { token_budget: 99, boosts: { "tag:a_b": 2 } } }',
    })
    const { task } = settingsSchema.parse({}).frames
    expect(settings.frames.task).toEqual({ ...task, tokenBudget: 99, boosts: { 'tag:a_b': 2 } })
  })

  test('is refused when the weights of a frame are negative, unknown or do not sum to 1', () => {
    const even = { similarity: 0.2, confidence: 0.2, recency: 0.2, centrality: 0.2, reinforcement: 0.2 }
    const read = (weights: typeof even) => settingsSchema.safeParse({ frames: { task: { weights } } }).success
    expect(read(even)).toBe(true)
    for (const wrong of [{ similarity: 0.3 }, { similarity: -0.2, recency: 0.6 }, { similarity: Number.NaN }])
      expect(read({ ...even, ...wrong })).toBe(false)
  })
})

describe('the environment', () => {
  test.each(settingLeaves().map((leaf) => [leaf.env, leaf] as const))('sets %s', async (env, leaf) => {
    const value = another(leaf)
    const { settings, warnings } = await resolve({}, { env: { [env]: written(value) } })
    // A record may be filled up with the defaults of its other keys.
    expect({ value: at(settings, leaf.path) }).toMatchObject({ value })
    expect(warnings).toEqual([])
  })

  test.each(['1', 'true', 'YES'])('switches the adaptive policy on by its short name (%s)', async (value) => {
    const { settings, warnings } = await resolve({}, { env: { ELFMEM_ADAPTIVE_POLICY: value } })
    expect([settings.memory.adaptivePolicy, warnings]).toEqual([true, []])
  })

  test('wins over the file', async () => {
    const texts = { [`${HOME}/.elfmem/config.yaml`]: 'recall: { top_k: 3, pool: 30 }' }
    const { settings } = await resolve(texts, { env: { ELFMEM_RECALL_TOP_K: '4' } })
    expect([settings.recall.topK, settings.recall.pool]).toEqual([4, 30])
  })

  test('warns of a variable that sets nothing', async () => {
    const { warnings } = await resolve({}, { env: { ELFMEM_RECALL_TOPK: '4' } })
    expect(warnings[0]).toMatch(/ELFMEM_RECALL_TOPK.*ELFMEM_RECALL_TOP_K/)
  })

  test('with a wrong value is refused naming the variable', async () => {
    for (const value of ['four', '-1'])
      await expect(resolve({}, { env: { ELFMEM_RECALL_TOP_K: value } })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('ELFMEM_RECALL_TOP_K'),
      })
  })

  test('may use the older names unless they disagree', async () => {
    expect((await resolve({}, { env: { ELFMEM_DB_PATH: '/x.db' } })).database.path).toBe('/x.db')
    const env = { ELFMEM_DB: '/x.db', ELFMEM_DB_PATH: '/y.db' }
    await expect(resolve({}, { env })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

test('every setting says its unit and why it is what it is', () => {
  const silent = settingLeaves().filter(
    ({ path, schema }) => path[0] !== 'frames' && !(schema.unit && schema.description),
  )
  expect(silent.map(({ path }) => path.map(snakeCase).join('.'))).toEqual([])
})

test('every setting is read somewhere', () => {
  const code = readSources()
    .filter(({ file }) => !/^config\/(.+-settings|frames)\.ts$/.test(file))
    .map(({ text }) => text)
    .join('\n')
  const unread = settingLeaves().filter(({ path }) => !new RegExp(`\\b${path.at(-1)}\\b`).test(code))
  expect(unread.map(({ path }) => path.map(snakeCase).join('.'))).toEqual([])
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
