import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseGivenSettings } from '../../src/adapters/project/settings-schema.ts'
import { openMemory } from '../../src/engine/memory.ts'
import type { OpenMemory } from '../../src/engine/open-memory.ts'
import { table } from '../../src/operations/table.ts'
import { memoriesOf, openService } from '../../src/surfaces/service/open.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { HASHING, elfmem as runElfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { describeServed } from './describe.ts'

const config = { embeddings: { provider: 'hashing' }, store: { packedIndex: true } } as const

/** Returns the packed indexes that were kept somewhere in a folder. */
const indexesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('index'))

describeServed('a memory in PostgreSQL', (served) => {
  test('is opened by address and name, and is another one by another name', async () => {
    const url = served().database.worker
    const one = await openMemory(url, { config, memory: 'one' })
    await one.remember({ content: 'The kettle is in the hall.' })
    await one.dream()
    const again = await openMemory(url, { config, memory: 'one' })
    const other = await openMemory(url, { config })
    expect((await again.recall({ query: 'Where is the kettle?' })).text).toContain('hall')
    expect((await other.recall({ query: 'Where is the kettle?' })).text).not.toContain('hall')
    expect([one.location, other.location].map((each) => each.split('#')[1])).toEqual(['one', 'default'])
    const shown = JSON.stringify([await one.settings(), await one.status(), await one.doctor()])
    expect(shown).not.toContain(new URL(url).username)
    await Promise.all([one, again, other].map((each) => each.close()))
    expect(existsSync('postgres:')).toBe(false)
  })

  test('keeps its packed index on this machine', async () => {
    const folder = temporaryFolder()
    const before = process.env.XDG_CACHE_HOME
    process.env.XDG_CACHE_HOME = folder
    try {
      const open = () => openMemory(served().database.worker, { config, memory: 'packed' })
      const memory = await open()
      // A smaller index is read from its rows as quickly.
      const blocks = Array.from({ length: 1_100 }, (_, n) => ({ content: `Crate ${n} holds rope` }))
      await memory.rememberMany({ blocks })
      await memory.dream()
      await memory.close()
      expect(indexesIn(folder)).toHaveLength(1)
      const again = await open()
      expect((await again.recall({ query: 'what does crate 17 hold?' })).text).toContain('Crate 17')
      await again.close()
    } finally {
      if (before === undefined) delete process.env.XDG_CACHE_HOME
      else process.env.XDG_CACHE_HOME = before
    }
    const folderOfService = temporaryFolder()
    const project = {
      settings: parseGivenSettings(config),
      database: { path: ':memory:', rule: '--db' },
      env: { XDG_CACHE_HOME: folderOfService },
    } as const
    const source = await memoriesOf({ kind: 'database', url: served().database.worker }, project)
    const failed = (error: unknown) => expect.fail(String(error))
    const service = openService(source, { project, bounds: {}, failed })
    const holder = { name: 'ann', memory: 'packed', capability: 'owner', tools: 'all' } as const
    const asked = { query: 'what does crate 17 hold?' }
    const ask = (memory: OpenMemory) => memory.call(table.recall, asked)
    await service.memories.use({ ...holder, sha256: '' }, ask)
    await service.close()
    expect(indexesIn(folderOfService)).toHaveLength(1)
  })

  const elfmem = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const home = temporaryDirectory()
    const said = await runElfmem(args, { home, env: { ...HASHING, XDG_CACHE_HOME: home, ...env } })
    expect(readdirSync(home).filter((name) => name.startsWith('postgres'))).toEqual([])
    return said
  }

  test('is reached from the command line by flags and by variables', async () => {
    const url = served().database.worker
    const named = ['--db', url, '--memory', 'shell']
    expect((await elfmem(['remember', 'Tea is at four.', ...named])).code).toBe(0)
    expect((await elfmem(['dream', ...named])).code).toBe(0)
    const variables = { ELFMEM_DB: url, ELFMEM_MEMORY: 'shell' }
    expect((await elfmem(['recall', 'when is tea'], variables)).out).toContain('four')
    expect((await elfmem(['recall', 'when is tea'], { ELFMEM_DB: url })).out).not.toContain('four')
    const shown = await elfmem(['config', '--json', ...named])
    expect(shown.out).toContain('#shell')
    expect(shown.out).not.toContain('elfmem_worker')
    expect((await elfmem(['remember', 'x', '--db', `${url}#a`, '--memory', 'b'])).code).toBe(2)
  })

  test('asks for the package pg where it is not installed', async () => {
    const hooks = `import { registerHooks } from 'node:module'
registerHooks({ resolve(name, context, next) { if (name === 'pg') throw new Error('no pg here'); return next(name, context) } })`
    const given = ['--no-warnings', '--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
    const bin = join(import.meta.dirname, '../../src/bin.ts')
    const argv = ['status', '--json', '--db', served().database.worker]
    const { stdout } = spawnSync(process.execPath, [...given, bin, ...argv], { encoding: 'utf8' })
    const { code, recovery } = JSON.parse(stdout) as { code: string; recovery: string }
    expect([code, recovery.includes('npm install pg')]).toEqual(['CONFIG_INVALID', true])
  })

  test('is moved and migrated from the command line', async () => {
    const folder = temporaryFolder()
    const file = `${folder}/memory.db`
    expect((await elfmem(['remember', 'Tea is at five.', '--db', file])).code).toBe(0)
    const to = ['--to', served().database.worker, '--memory', 'by-shell']
    expect((await elfmem(['move', '--db', file, ...to, '--as', 'agent'])).code).toBe(2)
    expect((await elfmem(['move', '--db', file, ...to])).code).toBe(0)
    expect((await elfmem(['move', '--db', file, ...to])).code).toBe(1)
    const back = ['--db', `${served().database.worker}#by-shell`, '--to', `${folder}/back.db`]
    expect((await elfmem(['move', ...back])).code).toBe(0)
    expect((await elfmem(['inbox', '--db', `${folder}/back.db`])).out).toContain('five')
    const migrated = await elfmem(['migrate', '--store', served().database.owner, '--json'])
    const { from, to: version } = JSON.parse(migrated.out)
    expect([from, version]).toEqual([version, expect.any(Number)])
    expect((await elfmem(['migrate', '--print'])).out).toContain('GRANT')
    expect((await elfmem(['migrate'])).code).toBe(2)
  })
})
