import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingLeaves } from '../../../src/adapters/project/settings-schema.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../../surfaces/helpers/cli.ts'

test('settings gives value, source, range and reason of every setting', async () => {
  const { memory, path } = await openTestMemory({ settings: { memory: { inboxThreshold: 7 } } })
  const { settings, database } = await memory.settings()
  expect(settings).toHaveLength(settingLeaves().length)
  const named = new Map(settings.map((each) => [each.name, each]))
  expect(named.get('memory.inbox_threshold')).toMatchObject({
    ...{ value: 7, isDefault: false, source: 'config', unit: 'blocks', range: expect.stringMatching(/\d/) },
    ...{ variable: 'ELFMEM_MEMORY_INBOX_THRESHOLD', default: expect.any(Number) },
  })
  expect(named.get('memory.keep_operations')).toMatchObject({ isDefault: true, value: 20_000 })
  expect(named.get('memory.keep_operations')?.source).toBeUndefined()
  expect(settings.filter(({ reason }) => reason === '')).toEqual([])
  expect(database).toEqual({ path, rule: '--db' })
})

test('settings and elfmem config print no password of an address', async () => {
  const embeddings = { baseUrl: 'https://ann:hunter2@models.example/v1?key=s3cret' }
  const { memory } = await openTestMemory({ settings: { embeddings } })
  const { settings } = await memory.settings()
  expect(settings.find(({ name }) => name === 'embeddings.base_url')?.value).toBe('https://models.example/v1')
  expect(JSON.stringify(settings)).not.toMatch(/hunter2|s3cret/)
  const env = { ELFMEM_EMBEDDINGS_BASE_URL: embeddings.baseUrl }
  for (const flags of [[], ['--all'], ['--json'], ['--all', '--json']]) {
    const { out } = await elfmem(['config', ...flags], { home: temporaryDirectory(), env })
    expect(out).toContain('models.example')
    expect(out).not.toMatch(/hunter2|s3cret/)
  }
})

test('elfmem config names the file or variable that set a value', async () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, '.elfmem'))
  const file = join(home, '.elfmem', 'config.yaml')
  writeFileSync(file, 'memory:\n  inbox_threshold: 9\n')
  const env = { ELFMEM_MEMORY_KEEP_SESSIONS: '5' }
  const { out } = await elfmem(['config'], { home, env })
  expect(out).toMatch(new RegExp(`memory.inbox_threshold +9 .*\\(${file}\\)`))
  expect(out).toMatch(/memory.keep_sessions +5 .*\(ELFMEM_MEMORY_KEEP_SESSIONS\)/)
  const { list } = JSON.parse((await elfmem(['config', '--all', '--json'], { home, env })).out)
  expect(list).toHaveLength(settingLeaves().length)
  expect(list).toContainEqual(
    expect.objectContaining({ name: 'memory.inbox_threshold', value: 9, source: file }),
  )
})
