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
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addToken, asClient, callOver, rpc, send, serveHttp } from './helpers/http.ts'

function folderOf(home: string): string {
  const tokens = join(home, '.elfmem', 'tokens')
  return join(tokens, readdirSync(tokens)[0] ?? '')
}

test('a token is shown once; what is kept of it opens nothing', async () => {
  const home = temporaryDirectory()
  const { out, err } = await elfmem(['tokens', 'add', '--name', 'ci', '--as', 'reader', '--scope', 'x'], {
    home,
  })
  expect(out).toMatch(/^elfmem_[\w-]{43}\n$/)
  expect(err).toContain('only time')
  const [file = ''] = readdirSync(folderOf(home))
  const kept = readFileSync(join(folderOf(home), file), 'utf8')
  expect(kept).not.toContain(out.trim())
  expect(statSync(join(folderOf(home), file)).mode & 0o777).toBe(0o600)
  const listed = await elfmem(['tokens', 'list'], { home })
  const { sha256 } = JSON.parse(kept) as { sha256: string }
  expect(listed.out).toMatch(/^ci {2}reader {2}scope x {2}[0-9a-f]{12}… {2}since \d{4}/)
  expect(listed.out + listed.err).not.toContain(out.trim().slice(0, 20))
  expect(listed.out).not.toContain(sha256)
  const { url } = await serveHttp(home)
  expect((await callOver(url, sha256, 'status')).status).toBe(401)
  expect((await callOver(url, out.trim(), 'status')).result?.structuredContent).toMatchObject({ scope: 'x' })
})

test('a token that is revoked opens nothing from that moment, and one that is made opens at once', async () => {
  const home = temporaryDirectory()
  const first = await addToken(home, 'ci')
  const { url } = await serveHttp(home)
  const status = async (token: string) => (await callOver(url, token, 'status')).status
  for (let turn = 0; turn < 3; turn += 1) {
    const next = await addToken(home, `turn-${turn}`)
    expect(await status(next)).toBe(200)
    expect((await elfmem(['tokens', 'revoke', '--name', `turn-${turn}`], { home })).code).toBe(0)
    expect(await status(next)).toBe(401)
    expect(await status(first)).toBe(200)
  }
})

test('a token that is made anew under a name has no rights of the one before', async () => {
  const home = temporaryDirectory()
  const before = await addToken(home, 'ci', '--as', 'owner')
  const { url } = await serveHttp(home)
  expect((await callOver(url, before, 'remember', { content: 'Tea is at four' })).result?.isError).toBeFalsy()
  await elfmem(['tokens', 'revoke', '--name', 'ci'], { home })
  const after = await addToken(home, 'ci', '--as', 'reader')
  expect((await callOver(url, before, 'status')).status).toBe(401)
  const refused = await callOver(url, after, 'remember', { content: 'Tea is at five' })
  expect(refused.result?.structuredContent).toMatchObject({ code: 'OWNER_ONLY' })
})

test('each memory has tokens of its own', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const other = await serveHttp(home, ['--db', join(home, 'other.db')])
  expect((await callOver(other.url, token, 'status')).status).toBe(401)
})

test('what is no token record, or not the user’s own, opens nothing and hides no other', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const folder = folderOf(home)
  const record = JSON.parse(readFileSync(join(folder, 'ci.json'), 'utf8')) as Record<string, unknown>
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  put('broken.json', '{')
  put('empty.json', '')
  put('renamed.json', JSON.stringify(record))
  put('king.json', JSON.stringify({ ...record, name: 'king', as: 'king' }))
  put('wide.json', JSON.stringify({ ...record, name: 'wide', scope: ['x'] }))
  put('odd.json', JSON.stringify({ ...record, name: 'odd', memory: '/elsewhere' }))
  put('long.json', 'x'.repeat(2_000_000))
  symlinkSync(join(folder, 'ci.json'), join(folder, 'link.json'))
  mkdirSync(join(folder, 'folder.json'))
  const { url, said } = await serveHttp(home)
  expect((await callOver(url, token, 'status')).status).toBe(200)
  expect(said()).not.toContain('owner')
  const { out } = await elfmem(['tokens', '--json'], { home })
  const { tokens } = JSON.parse(out) as { tokens: { name: string }[] }
  expect(tokens.map(({ name }) => name)).toEqual(['ci', 'king'])
  expect(Object.keys(tokens[0] ?? {}).sort()).toEqual(['as', 'made_at', 'name', 'sha256'])
})

test('a folder of tokens that others may write to is not believed', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const { url } = await serveHttp(home)
  chmodSync(folderOf(home), 0o777)
  expect((await callOver(url, token, 'status')).status).toBe(500)
  expect((await elfmem(['tokens'], { home })).err).toContain('only you can write to')
  await expect(serveHttp(home)).rejects.toThrow('only you can write to')
})

test('a token of the variable serves as --as says; one that could be guessed is refused and not repeated', async () => {
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

test('nobody else is let in by a slip: another host needs a flag, and then a token made by hand', async () => {
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
  [['add', '--name', 'a'.repeat(64)], 'cannot name a token'],
  [['add', '--name', 'x', '--scope', 'two words'], 'scope'],
  [['add', '--name', 'x', '--tools', 'nothing'], 'none of them'],
  [['add', '--name', 'x', '--as', 'king'], 'owner, an agent or a reader'],
  [['list', '--name', 'x'], 'no use for --name'],
  [['revoke', '--name', 'x', '--as', 'owner'], 'no use for --as'],
  [['revok', '--name', 'x'], 'elfmem tokens revoke'],
])('elfmem tokens %j is refused, and makes nothing', async (argv, said) => {
  const home = temporaryDirectory()
  const { code, err } = await elfmem(['tokens', ...argv], { home })
  expect(code).not.toBe(0)
  expect(err).toContain(said)
  expect((await elfmem(['tokens'], { home })).out).toContain('No token opens')
})

test('a name is taken by the first who makes it', async () => {
  const home = temporaryDirectory()
  const made = await Promise.allSettled(Array.from({ length: 8 }, () => addToken(home, 'ci')))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await elfmem(['tokens', 'revoke', '--name', 'no-such'], { home })).code).toBe(1)
})

test('who holds a token is told what the owner can give, and no scope but its own', async () => {
  const home = temporaryDirectory()
  const [reader, verbs, mine] = [
    await addToken(home, 'reader', '--as', 'reader'),
    await addToken(home, 'verbs', '--tools', 'verbs'),
    await addToken(home, 'mine', '--scope', 'mine'),
  ]
  const { url, stop } = await serveHttp(home)
  const said = async (at: string, token: string, name: string, args: object = {}) => {
    const { result } = await callOver(at, token, name, args)
    const { code, recovery } = Object(result?.structuredContent) as { code?: string; recovery?: string }
    expect(JSON.stringify(result)).not.toMatch(/start with|serve the memory|open the memory|serve --tools/)
    return { code, recovery, whole: JSON.stringify(result) }
  }
  expect(await said(url, reader, 'remember', { content: 'Tea is at four.' })).toMatchObject({
    code: 'OWNER_ONLY',
    recovery: expect.stringMatching(/token that may write: elfmem tokens add --name NAME --as agent\./),
  })
  expect(await said(url, verbs, 'history')).toMatchObject({
    code: 'TOOL_NOT_LISTED',
    recovery: expect.stringMatching(/token with this tool: elfmem tokens add --name NAME --tools all\./),
  })
  const other = await said(url, mine, 'recall', { query: 'tea', scope: 'theirs' })
  expect(other).toMatchObject({ code: 'OUT_OF_SCOPE' })
  expect(other.recovery).toMatch(/^Leave scope out\. .*elfmem tokens add --name NAME --scope SCOPE\.$/)
  await stop()
  const bound = await serveHttp(home, ['--scope', 'hidden'])
  for (const name of ['recall', 'status']) {
    const refused = await said(bound.url, mine, name, name === 'recall' ? { query: 'tea' } : {})
    expect(refused.code).toBe('OUT_OF_SCOPE')
    expect(refused.whole).not.toContain('hidden')
  }
  const listened = await send(bound.url, {
    headers: asClient(mine),
    body: rpc('resources/read', { uri: 'elfmem://self' }),
  })
  expect(listened.body).toContain('OUT_OF_SCOPE')
  expect(listened.body).not.toContain('hidden')
})
