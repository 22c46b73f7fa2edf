import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openServiceTokens, tokenHash } from '../../src/adapters/project/tokens/token-store.ts'
import type { TokenIndex, TokenRecord } from '../../src/engine/ports.ts'
import { holdersOf } from '../../src/surfaces/mcp/http/holders.ts'
import { holdersInFiles, holdersInTable } from '../../src/surfaces/service/holders.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** A folder of memories, and the command line of its tokens. */
function service() {
  const home = temporaryDirectory()
  const folder = join(home, 'memories')
  const tokens = (...argv: readonly string[]) => elfmem(['tokens', ...argv, '--memories', folder], { home })
  const add = async (...argv: readonly string[]) => (await tokens('add', ...argv)).out.trim()
  const holders = () =>
    holdersInFiles(holdersOf(openServiceTokens(folder, process.getuid?.()), { takesAutomatic: false }))
  return { home, folder, tokens, add, holders }
}

test('a token of a service opens the memory that it names, with its rights', async () => {
  const { folder, add, holders, tokens } = service()
  const token = await add('--name', 'ann', '--memory', 'payments', '--as', 'reader', '--scope', 'x')
  const holder = await holders().find(tokenHash(token))
  expect(holder).toMatchObject({ name: 'ann', memory: 'payments', capability: 'reader', scope: 'x' })
  expect(await holders().find(tokenHash(`${token}x`))).toBeUndefined()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const [file = ''] = readdirSync(join(folder, 'tokens'))
  expect(statSync(join(folder, 'tokens', file)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, 'tokens', file), 'utf8')).not.toContain(token)
  expect((await tokens('list')).out).toMatch(/^ann {2}reader {2}memory payments {2}scope x/)
  const named = await add('--name', 'ben')
  expect(await holders().find(tokenHash(named))).toMatchObject({ memory: 'ben', capability: 'agent' })
})

test.each(['../x', '/x', 'a/b', 'a\\b', 'A', '', 'x'.repeat(65), 'ä'])(
  'no token is made for the memory %j',
  async (name) => {
    const { tokens } = service()
    const { code, err } = await tokens('add', '--name', 'x', `--memory=${name}`)
    expect(code).not.toBe(0)
    expect(err).toContain('1 to 64 of a-z')
    expect((await tokens('list')).out).toContain('No token opens')
  },
)

test('a token opens nothing after its time, nor after it was revoked, and running streams learn of both', async () => {
  const { folder, add, tokens, holders } = service()
  const one = await add('--name', 'one', '--memory', 'm', '--expires', '90d')
  const other = await add('--name', 'other', '--memory', 'm')
  const found = holders()
  const [first, second] = [await found.find(tokenHash(one)), await found.find(tokenHash(other))]
  if (first === undefined || second === undefined) throw new Error('no holders')
  expect(await found.find(tokenHash(one))).toBe(first)
  expect(Math.abs(Date.parse(first.expiresAt ?? '') - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000)
  expect(await found.still([first, second])).toEqual([first, second])
  await tokens('revoke', '--name', 'other')
  expect(await found.still([first, second])).toEqual([first])
  const file = join(folder, 'tokens', 'one.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as TokenRecord
  writeFileSync(file, JSON.stringify({ ...record, expiresAt: new Date(Date.now() - 1).toISOString() }))
  expect(await holders().find(tokenHash(one))).toBeUndefined()
  writeFileSync(file, JSON.stringify({ ...record, expiresAt: 'some day' }))
  expect(await holders().find(tokenHash(one))).toBeUndefined()
})

test.each([
  [['--expires', '90'], '--expires'],
  [['--expires', '0d'], '--expires'],
  [['--store', 'postgres://x/y'], 'contradict'],
  [['--db', 'x.db'], 'contradict'],
])('tokens add %j is refused', async (argv, said) => {
  const { tokens } = service()
  const { code, err } = await tokens('add', '--name', 'x', ...argv)
  expect(code).not.toBe(0)
  expect(err).toContain(said)
})

test('a folder that others may write to, and a link to a token, open nothing', async () => {
  const { folder, tokens, add, holders } = service()
  const token = await add('--name', 'ann')
  symlinkSync(join(folder, 'tokens', 'ann.json'), join(folder, 'tokens', 'ben.json'))
  expect((await tokens('list')).out.trim().split('\n')).toHaveLength(1)
  const found = holders()
  chmodSync(join(folder, 'tokens'), 0o777)
  await expect(found.find(tokenHash(token))).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  chmodSync(join(folder, 'tokens'), 0o700)
  chmodSync(folder, 0o777)
  expect((await tokens('list')).err).toContain('only you can write to')
})

test('--memory without a service is refused, as is an address that is none of PostgreSQL', async () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'x'))
  const argv = ['tokens', 'add', '--name', 'x']
  expect((await elfmem([...argv, '--memory', 'x'], { home })).err).toContain('--memories')
  const { err } = await elfmem([...argv, '--store', 'mysql://root:secret@x/y'], { home })
  expect(err).toContain('ELFMEM_STORE')
  expect(err).not.toContain('secret')
})

test('holders in a table are asked for by hash, and are the same objects while their rights are', async () => {
  const record = { name: 'ann', memory: 'm', as: 'agent', sha256: '', madeAt: '' }
  const rows = new Map<string, TokenRecord>()
  const table: TokenIndex = {
    find: async (sha256) => rows.get(sha256),
    list: () => [...rows.values()],
    add: (each) => void rows.set(each.sha256, each),
    revoke: () => false,
  }
  const sha256 = tokenHash('token').toString('hex')
  await table.add({ ...record, sha256 })
  const holders = holdersInTable(table, { most: 'agent' })
  const ann = await holders.find(tokenHash('token'))
  if (ann === undefined) throw new Error('no holder')
  expect(await holders.find(tokenHash('token'))).toBe(ann)
  expect(await holders.still([ann])).toEqual([ann])
  await table.add({ ...record, sha256, as: 'owner' })
  expect(await holders.still([ann])).toEqual([ann])
  await table.add({ ...record, sha256, as: 'reader' })
  expect(await holders.still([ann])).toEqual([])
  expect(await holders.find(tokenHash('token'))).toMatchObject({ capability: 'reader' })
  await table.add({ ...record, sha256, expiresAt: '2000-01-01T00:00:00.000Z' })
  expect(await holders.find(tokenHash('token'))).toBeUndefined()
})
