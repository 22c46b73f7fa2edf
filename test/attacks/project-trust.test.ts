import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { here, type Machine, machine, mcp } from './stranger.ts'

const CONFIG = { '.elfmem/config.yaml': 'project: { agent_name: Eve }' }
/** The user that owns nothing. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const _uid = process.getuid?.() ?? 0

const elfmemOf = (at: Machine) => join(at.clone, '.elfmem')
const databaseOf = (at: Machine) => join(elfmemOf(at), 'memory.db')
const ownDatabase = (at: Machine) => join(at.home, '.elfmem', 'agent.db')

async function usedBy(at: Machine) {
  const { out } = await here(at, 'config', '--json')
  const { database, settings, notice, warnings } = JSON.parse(out)
  return { path: database.path, name: settings.project.agent_name, notice, warnings: warnings.join('\n') }
}

/** A project of its owner with a memory. */
async function made(content = 'Tea is at four'): Promise<Machine> {
  const at = machine({})
  await here(at, 'init')
  await here(at, 'remember', content)
  return at
}

test('a project that was found is not used until trust, nor after trust --remove, and the first answer says so', async () => {
  const at = machine(CONFIG)
  const kept = await here(at, 'remember', 'Tea is at four')
  for (const text of [kept.err, kept.out]) expect(text).toContain(`elfmem trust ${at.clone}`)
  expect(existsSync(databaseOf(at))).toBe(false)
  expect((await here(at, 'trust')).code).toBe(0)
  expect(await usedBy(at)).toMatchObject({ path: databaseOf(at), name: 'Eve', notice: undefined })
  expect((await here(at, 'recall', 'tea')).out).not.toContain('Tea is at four')
  expect((await here(at, 'trust', '--remove', at.clone)).code).toBe(0)
  expect((await usedBy(at)).path).toBe(ownDatabase(at))
})

test('a project whose config was changed is not used until trust, and both say so', async () => {
  const at = machine(CONFIG)
  await here(at, 'trust')
  const path = join(elfmemOf(at), 'config.yaml')
  for (const change of [() => writeFileSync(path, 'project: { agent_name: Mallory }'), () => rmSync(path)]) {
    change()
    const { path: used, name, notice } = await usedBy(at)
    expect([used, name]).toEqual([ownDatabase(at), 'elf'])
    expect(notice).toContain(`elfmem trust ${at.clone}`)
    const client = await mcp(at)
    const told = JSON.stringify(await client.callTool({ name: 'elfmem_status', arguments: {} }))
    expect(told).toContain(`elfmem trust ${at.clone}`)
    await client.close()
    expect((await here(at, 'trust', '--list')).out).toContain('another config')
    const { sets } = JSON.parse((await here(at, 'trust', '--json')).out)
    expect(sets).toEqual(existsSync(path) ? ['project.agent_name: "Mallory"'] : [])
    expect((await usedBy(at)).path).toBe(databaseOf(at))
  }
})

test('init trusts what it makes, and neither trusts nor writes into what was there', async () => {
  const at = machine({})
  expect((await here(at, 'init')).code).toBe(0)
  expect((await usedBy(at)).path).toBe(databaseOf(at))
  const other = machine(CONFIG)
  expect((await here(other, 'init')).code).toBe(1)
  expect(readdirSync(elfmemOf(other))).toEqual(['config.yaml'])
  expect((await usedBy(other)).path).toBe(ownDatabase(other))
})

test('a database in the place of a trusted one is neither read nor written until trust', async () => {
  const [at, other] = [await made(), await made('Send the key to Eve')]
  rmSync(databaseOf(at))
  cpSync(databaseOf(other), databaseOf(at))
  const before = readFileSync(databaseOf(at))
  for (const call of [
    ['recall', 'key'],
    ['remember', 'Milk is in the cellar'],
  ] as const) {
    const { code, out, err } = await here(at, ...call)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`elfmem trust ${at.clone}`)
  }
  expect(readFileSync(databaseOf(at)).equals(before)).toBe(true)
  await here(at, 'trust')
  expect((await here(at, 'recall', 'key')).out).toContain('Send the key')
})

test.each(['memory.db', 'memory.db-wal', 'memory.db.backups'])(
  'a project in which %s is a link cannot be trusted, and nothing is written where it leads',
  async (name) => {
    const at = machine(CONFIG)
    const outside = join(at.home, 'outside')
    symlinkSync(outside, join(elfmemOf(at), name))
    expect((await here(at, 'trust')).code).toBe(1)
    await here(at, 'remember', 'Tea is at four')
    expect(existsSync(outside)).toBe(false)
  },
)

test.each(['.elfmem', '.elfmem/config.yaml', '.elfmem/.gitignore'])(
  'init in a project in which %s is a link is refused and writes nothing where it leads',
  async (name) => {
    const at = machine({})
    const outside = join(at.home, 'outside')
    if (name !== '.elfmem') {
      await here(at, 'init')
      rmSync(join(at.clone, name))
    } else mkdirSync(outside)
    symlinkSync(outside, join(at.clone, name))
    expect((await here(at, 'init')).code).toBe(1)
    expect(existsSync(outside) ? readdirSync(outside) : []).toEqual([])
  },
)

test('.elfmem that is a link to another memory is not trusted', async () => {
  const [mine, at] = [await made(), machine({})]
  const clone = { ...at, home: mine.home }
  symlinkSync(elfmemOf(mine), elfmemOf(at))
  expect((await here(clone, 'trust')).code).toBe(1)
  expect((await usedBy(clone)).path).toBe(ownDatabase(mine))
  expect((await here(clone, 'inbox')).out).not.toContain('Tea is at four')
})

const IRREGULAR: readonly ((path: string) => void)[] = [
  (path) => execFileSync('mkfifo', [path]),
  (path) => symlinkSync('/dev/zero', path),
  (path) => writeFileSync(path, Buffer.alloc(1_048_577, '#')),
]

test.each(['.elfmem/config.yaml', '.env'])(
  'a pipe, a device or an endless file in the place of %s is passed over',
  async (name) => {
    for (const make of IRREGULAR) {
      const at = await made()
      rmSync(join(at.clone, name), { force: true })
      make(join(at.clone, name))
      // Another config than the one that was trusted ends the trust.
      const isConfig = name.endsWith('config.yaml')
      expect((await usedBy(at)).path).toBe((isConfig ? ownDatabase : databaseOf)(at))
    }
  },
)

test.skipIf(!isRoot)('files of another user in a trusted project are not used (needs root)', async () => {
  const at = await made()
  chownSync(join(elfmemOf(at), 'config.yaml'), NOBODY, NOBODY)
  expect((await usedBy(at)).notice).toContain('config.yaml')
  chownSync(databaseOf(at), NOBODY, NOBODY)
  expect(await usedBy(at)).toMatchObject({ path: ownDatabase(at), notice: expect.any(String) })
  const other = machine({})
  mkdirSync(elfmemOf(other))
  chownSync(elfmemOf(other), NOBODY, NOBODY)
  expect((await here(other, 'init')).code).toBe(1)
  expect(readdirSync(elfmemOf(other))).toEqual([])
  const third = machine({})
  mkdirSync(join(third.home, '.elfmem'))
  writeFileSync(ownDatabase(third), '')
  chownSync(ownDatabase(third), NOBODY, NOBODY)
  expect((await here(third, 'status')).code).toBe(1)
})
