import { describe, expect, test } from 'vitest'
import type { ProjectFiles } from '../../src/adapters/project/files.ts'
import { type ProjectRequest, resolveProject } from '../../src/adapters/project/resolve.ts'
import { type SettingLeaf, settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { type Settings, settingsSchema } from '../../src/config/settings.ts'

/** A file system of these texts; a path that ends in a slash is an empty directory. */
function filesOf(texts: Readonly<Record<string, string>>): ProjectFiles {
  const paths = Object.keys(texts)
  return {
    exists: (path) => paths.some((each) => each === path || each.startsWith(`${path}/`)),
    read: (path) => texts[path],
  }
}

const HOME = '/home/ann'

function resolve(texts: Readonly<Record<string, string>>, request: Partial<ProjectRequest> = {}) {
  return resolveProject({
    cwd: `${HOME}/code/app/src`,
    home: HOME,
    env: {},
    files: filesOf(texts),
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
  const project = { [`${HOME}/code/app/.elfmem/config.yaml`]: 'project:\n  db: data/x.db\n' }

  test('is the first of flag, environment, config, project and home that names one', async () => {
    const env = { ELFMEM_DB: 'env.db' }
    const flags = { db: '~/flag.db' }
    const chosen = async (
      request: Partial<ProjectRequest>,
      texts: Readonly<Record<string, string>> = project,
    ) => (await resolve(texts, request)).database
    expect(await chosen({ flags, env })).toEqual({ path: `${HOME}/flag.db`, rule: '--db' })
    expect(await chosen({ env })).toEqual({ path: `${HOME}/code/app/src/env.db`, rule: 'ELFMEM_DB' })
    expect(await chosen({})).toEqual({ path: `${HOME}/code/app/data/x.db`, rule: 'project.db' })
    expect(await chosen({}, { [`${HOME}/code/app/.elfmem/`]: '' })).toEqual({
      path: `${HOME}/code/app/.elfmem/memory.db`,
      rule: 'project directory',
    })
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

  test('is the first of flag, environment, project and home that is there', async () => {
    const texts = {
      [file]: 'project: { agent_name: project }',
      [`${HOME}/.elfmem/config.yaml`]: 'project: { agent_name: home }',
      '/etc/elf.json': '{"project": {"agent_name": "flag"}}',
      '/etc/elf.yaml': 'project: { agent_name: env }',
    }
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

  test('named by hand must exist', async () => {
    await expect(resolve({}, { flags: { config: 'gone.yaml' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('gone.yaml'),
    })
  })

  test('warns of a key that means nothing and names the nearest that does', async () => {
    const { warnings, settings } = await resolve({ [file]: 'memory:\n  inbox_treshold: 3\nlllm: {}\n' })
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/memory\.inbox_treshold.*memory\.inbox_threshold/)
    expect(settings.memory.inboxThreshold).toBe(10)
  })

  test('takes a key of old and says what it is called now, unless the key of today is there and wins', async () => {
    const { warnings, settings } = await resolve({
      [file]: 'recall:\n  stretch_floor: 0.1\nllm:\n  keep_pairs: 7\n  max_unlabelled_pairs: 8\n',
    })
    expect(warnings).toEqual([
      `${file}: recall.stretch_floor is called recall.normalisation_floor now; the old name still counts.`,
    ])
    expect(settings.recall.normalisationFloor).toBe(0.1)
    expect(settings.llm.maxUnlabelledPairs).toBe(8)
  })

  test.each([
    ['memory:\n  inbox_threshold: many\n', 'memory.inbox_threshold'],
    ['recall:\n  top_k: -1\n', 'recall.top_k'],
    ['- a\n- b\n', 'sections'],
    ['memory: [', 'config.yaml'],
  ])('with a wrong value %j is refused naming file and place', async (text, place) => {
    const refusal = expect(resolve({ [file]: text })).rejects
    await refusal.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) })
    await expect(resolve({ [file]: text })).rejects.toMatchObject({ message: expect.stringContaining(place) })
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
  test('sets by the variables of old, too, and says what those that count are called now', async () => {
    const old = { ELFMEM_RECALL_STRETCH_FLOOR: '0.1', ELFMEM_LLM_KEEP_PAIRS: '7' }
    const { warnings, settings } = await resolve(
      {},
      { env: { ...old, ELFMEM_LLM_MAX_UNLABELLED_PAIRS: '8' } },
    )
    expect(warnings.map((warning) => /ELFMEM_\w+ is called ELFMEM_\w+/.exec(warning)?.[0])).toEqual([
      'ELFMEM_RECALL_STRETCH_FLOOR is called ELFMEM_RECALL_NORMALISATION_FLOOR',
    ])
    expect(settings.recall.normalisationFloor).toBe(0.1)
    expect(settings.llm.maxUnlabelledPairs).toBe(8)
  })

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

  test('wins over the file, and the flag over both', async () => {
    const texts = { [`${HOME}/code/app/.elfmem/config.yaml`]: 'recall: { top_k: 3, pool: 30 }' }
    const { settings } = await resolve(texts, { env: { ELFMEM_RECALL_TOP_K: '4' } })
    expect([settings.recall.topK, settings.recall.pool]).toEqual([4, 30])
  })

  test('is filled up from the .env of the project and never changed', async () => {
    const env = { ELFMEM_RECALL_TOP_K: '4' }
    const dotEnv = '# keys\nELFMEM_RECALL_TOP_K=9\nELFMEM_PROJECT_AGENT_NAME = "Ann"\nKEY=\'a b\'\nnonsense\n'
    const texts = { [`${HOME}/code/app/.git/`]: '', [`${HOME}/code/app/.env`]: dotEnv }
    const { settings, env: merged } = await resolve(texts, { env })
    expect([settings.recall.topK, settings.project.agentName, merged.KEY]).toEqual([4, 'Ann', 'a b'])
    expect(env).toEqual({ ELFMEM_RECALL_TOP_K: '4' })
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
