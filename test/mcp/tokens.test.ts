import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tokenHash } from '../../src/adapters/project/tokens/token-store.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addToken, callOver, serveHttp } from './helpers/http.ts'

function folderOf(home: string): string {
  const tokens = join(home, '.elfmem', 'tokens')
  return join(tokens, readdirSync(tokens)[0] ?? '')
}

test('tokens add prints a token once, and keeps a hash that opens nothing', async () => {
  const home = temporaryDirectory()
  const argv = ['tokens', 'add', '--name', 'ci', '--as', 'reader', '--scope', 'x']
  const { out } = await elfmem(argv, { home })
  expect(out).toMatch(/^elfmem_[\w-]{43}\n$/)
  const [file = ''] = readdirSync(folderOf(home))
  const kept = readFileSync(join(folderOf(home), file), 'utf8')
  expect(kept).not.toContain(out.trim())
  expect(statSync(join(folderOf(home), file)).mode & 0o777).toBe(0o600)
  const listed = await elfmem(['tokens', 'list'], { home })
  const { sha256 } = JSON.parse(kept) as { sha256: string }
  expect(listed.out).toMatch(/^ci {2}as reader {2}scope x {2}sha256 [0-9a-f]{12} {2}made_at \d{4}/)
  expect(listed.out + listed.err).not.toContain(out.trim().slice(0, 20))
  expect(listed.out).not.toContain(sha256)
  const { url } = await serveHttp(home)
  expect((await callOver(url, sha256, 'status')).status).toBe(401)
  expect((await callOver(url, out.trim(), 'status')).result?.structuredContent).toMatchObject({ scope: 'x' })
})

test('a file that is no token record opens nothing and hides no other', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const folder = folderOf(home)
  const file = join(folder, `${tokenHash(token)}.json`)
  const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const put = (name: string, changed: object) => {
    const sha256 = tokenHash(name)
    writeFileSync(join(folder, `${sha256}.json`), JSON.stringify({ ...record, name, sha256, ...changed }))
  }
  writeFileSync(join(folder, 'broken.json'), '{')
  writeFileSync(join(folder, `${tokenHash('renamed')}.json`), JSON.stringify(record))
  put('king', { as: 'king' })
  put('wide', { scope: ['x'] })
  put('odd', { memory: '/elsewhere' })
  symlinkSync(file, join(folder, `${tokenHash('link')}.json`))
  mkdirSync(join(folder, 'folder.json'))
  const { url, said } = await serveHttp(home)
  expect((await callOver(url, token, 'status')).status).toBe(200)
  expect(said()).not.toContain('owner')
  const { out } = await elfmem(['tokens', '--json'], { home })
  const { tokens } = JSON.parse(out) as { tokens: { name: string }[] }
  expect(tokens.map(({ name }) => name)).toEqual(['ci', 'king'])
  expect(Object.keys(tokens[0] ?? {}).sort()).toEqual(['as', 'made_at', 'name', 'sha256'])
})

test('ELFMEM_HTTP_TOKEN opens with the rights of --as, unless it is weak', async () => {
  const home = temporaryDirectory()
  const token = 'c29tZXRoaW5nLXRoYXQtbm9ib2R5LWd1ZXNzZXM'
  const { url, said } = await serveHttp(home, ['--as', 'reader'], { ELFMEM_HTTP_TOKEN: token })
  expect(said()).not.toContain('sets nothing')
  expect(said()).not.toContain('the token is in')
  const refused = await callOver(url, token, 'remember', { content: 'x' })
  expect(refused.result?.structuredContent).toMatchObject({ code: 'OWNER_ONLY' })
  for (const weak of ['secret-word', 'has a blank in it, and is quite long too', 'x'.repeat(31)])
    await expect(serveHttp(home, [], { ELFMEM_HTTP_TOKEN: weak })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(weak) }),
    )
})

test('another host needs --allow-remote and a token made by hand', async () => {
  const home = temporaryDirectory()
  await expect(serveHttp(home, ['--host', '0.0.0.0'])).rejects.toThrow('--allow-remote')
  await expect(serveHttp(home, ['--host', 'example.org'])).rejects.toThrow('--allow-remote')
  const local = await serveHttp(home)
  const path = /the token is in (\S+\.token)/.exec(local.said())?.[1] ?? ''
  const automatic = readFileSync(path, 'utf8').trim()
  await local.stop()
  await expect(serveHttp(home, ['--host', '0.0.0.0', '--allow-remote'])).rejects.toThrow('no token')
  const byHand = await addToken(home, 'phone', '--as', 'reader')
  const remote = await serveHttp(home, ['--host', '0.0.0.0', '--allow-remote'])
  expect(remote.said()).toContain('nothing is encrypted')
  const url = remote.url.replace('0.0.0.0', '127.0.0.1')
  expect((await callOver(url, automatic, 'status')).status).toBe(401)
  expect((await callOver(url, byHand, 'status')).status).toBe(200)
})

test.each([
  [['add'], 'needs a name'],
  [['add', '--name', 'Upper'], 'cannot name a token'],
  [['add', '--name', '../x'], 'cannot name a token'],
  [['add', '--name', 'x', '--scope', 'two words'], 'scope'],
  [['add', '--name', 'x', '--tools', 'nothing'], 'none of them'],
  [['add', '--name', 'x', '--as', 'king'], 'owner, an agent or a reader'],
  [['revoke', '--name', 'x', '--as', 'owner'], 'no use for --as'],
  [['revok', '--name', 'x'], 'revoke'],
])('elfmem tokens %j is refused and makes nothing', async (argv, said) => {
  const home = temporaryDirectory()
  const { code, err } = await elfmem(['tokens', ...argv], { home })
  expect(code).not.toBe(0)
  expect(err).toContain(said)
  expect((await elfmem(['tokens'], { home })).out).toContain('No token opens')
})

test('a refusal over HTTP says what the owner can give, and names no scope but that of the token', async () => {
  const home = temporaryDirectory()
  const reader = await addToken(home, 'reader', '--as', 'reader')
  const mine = await addToken(home, 'mine', '--scope', 'mine')
  const { url, stop } = await serveHttp(home)
  const refused = async (at: string, token: string, name: string, args: object = {}) =>
    (await callOver(at, token, name, args)).result?.structuredContent
  expect(await refused(url, reader, 'remember', { content: 'Tea is at four.' })).toMatchObject({
    code: 'OWNER_ONLY',
    recovery: expect.stringContaining('token'),
  })
  expect(await refused(url, mine, 'recall', { query: 'tea', scope: 'theirs' })).toMatchObject({
    code: 'OUT_OF_SCOPE',
  })
  await stop()
  const bound = await serveHttp(home, ['--scope', 'hidden'])
  const told = await refused(bound.url, mine, 'recall', { query: 'tea' })
  expect(told).toMatchObject({ code: 'OUT_OF_SCOPE' })
  expect(JSON.stringify(told)).not.toContain('hidden')
})
