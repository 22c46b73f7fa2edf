import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openServiceTokens, tokenHash } from '../../src/adapters/project/tokens/token-store.ts'
import type { TokenRecord } from '../../src/engine/ports.ts'
import { holdersOf } from '../../src/surfaces/service/holders.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** A folder of memories, and the command line of its tokens. */
function service() {
  const home = temporaryDirectory()
  const folder = join(home, 'memories')
  const tokens = (...argv: readonly string[]) => elfmem(['tokens', ...argv, '--memories', folder], { home })
  const add = async (...argv: readonly string[]) => (await tokens('add', ...argv)).out.trim()
  const holders = () => holdersOf(openServiceTokens(folder, process.getuid?.()), {})
  return { home, folder, tokens, add, holders }
}

test('a token of a service opens the memory that it names, with its rights', async () => {
  const { folder, add, holders, tokens } = service()
  const token = await add('--name', 'ann', '--memory', 'payments', '--as', 'reader', '--scope', 'x')
  const holder = await holders().find(tokenHash(token))
  expect(holder).toMatchObject({ name: 'ann', memory: 'payments', capability: 'reader', scope: 'x' })
  expect(await holders().find(tokenHash(`${token}x`))).toBeUndefined()
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  const [file = ''] = fs.readdirSync(join(folder, 'tokens'))
  expect(fs.statSync(join(folder, 'tokens', file)).mode & 0o777).toBe(0o600)
  expect(fs.readFileSync(join(folder, 'tokens', file), 'utf8')).not.toContain(token)
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

test('a token opens nothing after its time, nor after it was revoked', async () => {
  const { folder, add, tokens, holders } = service()
  const one = await add('--name', 'one', '--memory', 'm', '--expires', '90d')
  const other = await add('--name', 'other', '--memory', 'm')
  const { find } = holders()
  const first = await find(tokenHash(one))
  expect(await find(tokenHash(one))).toBe(first)
  expect(Math.abs(Date.parse(first?.expiresAt ?? '') - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000)
  expect(await find(tokenHash(other))).toMatchObject({ name: 'other' })
  await tokens('revoke', '--name', 'other')
  expect([await find(tokenHash(one)), await find(tokenHash(other))]).toEqual([first, undefined])
  const file = join(folder, 'tokens', `${tokenHash(one)}.json`)
  const record = JSON.parse(fs.readFileSync(file, 'utf8')) as TokenRecord
  for (const expiresAt of [new Date(Date.now() - 1).toISOString(), 'some day']) {
    fs.writeFileSync(file, JSON.stringify({ ...record, expiresAt }))
    expect(await find(tokenHash(one)), expiresAt).toBeUndefined()
  }
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
  const file = join(folder, 'tokens', `${tokenHash(token)}.json`)
  fs.symlinkSync(file, join(folder, 'tokens', `${tokenHash('ben')}.json`))
  expect((await tokens('list')).out.trim().split('\n')).toHaveLength(1)
  const found = holders()
  fs.chmodSync(join(folder, 'tokens'), 0o777)
  await expect(found.find(tokenHash(token))).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  fs.chmodSync(join(folder, 'tokens'), 0o700)
  fs.chmodSync(folder, 0o777)
  expect((await tokens('list')).err).toContain('only you can write to')
})
