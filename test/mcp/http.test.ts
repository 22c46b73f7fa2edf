import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addToken, asClient, callOver, connectHttp, rpc, send, serveHttp } from './helpers/http.ts'

test.each(['legacy', 'modern'] as const)(
  'a %s client lists, remembers and recalls over HTTP, under the name of its token',
  async (era) => {
    const home = temporaryDirectory()
    const token = await addToken(home, 'ci')
    const { url } = await serveHttp(home)
    const client = await connectHttp(url, token, era)
    expect((await client.listTools()).tools).toHaveLength(21)
    const kept = await client.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four' } })
    expect(kept.isError).toBeFalsy()
    const found = await client.callTool({ name: 'elfmem_recall', arguments: { query: 'tea' } })
    expect(found.structuredContent).toMatchObject({ blocks: [{ content: 'Tea is at four' }] })
    const history = await elfmem(['history', '--json'], { home })
    const [{ actor }] = (JSON.parse(history.out) as { operations: [{ actor: string }] }).operations
    expect(actor).toBe('mcp:ci')
  },
)

test('the first start makes a token, and prints where it lies but not the token', async () => {
  const home = temporaryDirectory()
  const served = await serveHttp(home)
  const path = /the token is in (\S+\.token)/.exec(served.said())?.[1] ?? ''
  const token = readFileSync(path, 'utf8').trim()
  expect(served.said() + served.url).not.toContain(token)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  expect((await callOver(served.url, token, 'status')).result?.isError).toBeFalsy()
  await served.stop()
  const again = await serveHttp(home)
  expect(again.said()).not.toContain('the token is in')
  expect((await callOver(again.url, token, 'status')).status).toBe(200)
  expect(readdirSync(join(path, '..')).sort()).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}\.json$/),
    'first.token',
  ])
})

test('a server makes no memory before something is remembered', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const { url } = await serveHttp(home)
  await callOver(url, token, 'recall', { query: 'tea' })
  expect(readdirSync(join(home, '.elfmem'))).toEqual(['tokens'])
  await callOver(url, token, 'remember', { content: 'Tea is at four' })
  expect(readdirSync(join(home, '.elfmem'))).toContain('agent.db')
})

test('other methods, media types and sizes are 405, 415 and 413', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const { url } = await serveHttp(home, [], { ELFMEM_LIMITS_REQUEST_BYTES: '65536' })
  const ask = (more: Parameters<typeof send>[1]) =>
    send(url, { body: rpc('tools/list'), ...more, headers: { ...asClient(token), ...more?.headers } })
  for (const method of ['GET', 'DELETE', 'PUT', 'HEAD', 'PATCH'])
    expect(await ask({ method, body: '' }), method).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])
    expect((await ask({ headers: { 'content-type': type } })).status, type).toBe(415)
  expect((await ask({ headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
  const body = rpc('tools/list', { fill: 'x'.repeat(65_536) })
  expect(await ask({ body })).toMatchObject({ status: 413 })
  expect(await ask({ body, headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({ status: 413 })
  expect((await ask({ body: 'no json' })).status).toBe(400)
  expect((await ask({})).status).toBe(200)
})

test('only the token of an owner may back up, and --as bounds every token', async () => {
  const home = temporaryDirectory()
  const [owner, agent] = [await addToken(home, 'boss', '--as', 'owner'), await addToken(home, 'ci')]
  const backup = async (url: string, token: string) =>
    (await callOver(url, token, 'backup', { path: join(home, 'copy.db') })).result?.structuredContent
  const { url, said, stop } = await serveHttp(home, ['--tools', 'all'])
  expect(said()).toContain('the token "boss" is the owner')
  await callOver(url, agent, 'remember', { content: 'Tea is at four' })
  expect(await backup(url, agent)).toMatchObject({ code: 'OWNER_ONLY' })
  expect(await backup(url, owner)).not.toHaveProperty('code')
  await stop()
  const bound = await serveHttp(home, ['--tools', 'all', '--as', 'agent'])
  expect(bound.said()).not.toContain('is the owner')
  expect(await backup(bound.url, owner)).toMatchObject({ code: 'OWNER_ONLY' })
  await bound.stop()
})

test.each([
  { server: 'verbs', token: 'all', is: 'verbs' },
  { server: 'all', token: 'verbs', is: 'verbs' },
  { server: undefined, token: 'all', is: 'all' },
  { server: 'verbs', token: 'recall,backup', is: 'recall' },
  { server: 'recall,backup,status', token: 'agent', is: 'recall,status' },
])('a server with --tools $server gives a token with --tools $token the tools $is', async (each) => {
  const home = temporaryDirectory()
  const flags = (tools: string | undefined) => (tools === undefined ? [] : ['--tools', tools])
  const [token, same] = [
    await addToken(home, 'ci', '--as', 'owner', ...flags(each.token)),
    await addToken(home, 'same', '--as', 'owner', ...flags(each.is)),
  ]
  const listed = async (url: string, holder: string) => {
    const client = await connectHttp(url, holder, 'modern')
    return (await client.listTools()).tools.map(({ name }) => name)
  }
  const [bound, free] = [await serveHttp(home, flags(each.server)), await serveHttp(home)]
  const names = await listed(bound.url, token)
  expect(names).toEqual(await listed(free.url, same))
  if (!names.includes('elfmem_backup'))
    expect((await callOver(bound.url, token, 'backup')).result?.structuredContent).toMatchObject({
      code: 'TOOL_NOT_LISTED',
    })
})

test('a socket file has mode 0600 and asks for a token', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const socketPath = join(home, 'elfmem.sock')
  const { stop } = await serveHttp(home, ['--socket', socketPath])
  expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  const body = rpc('tools/list')
  expect((await send('', { socketPath, headers: asClient(token), body })).status).toBe(200)
  expect((await send('', { socketPath, body })).status).toBe(401)
  await expect(serveHttp(home, ['--socket', socketPath])).rejects.toThrow('cannot be listened at')
  await stop()
})

test('SIGTERM ends a server with streams open, and keeps what it acknowledged', async () => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...HASHING }
  const argv = [join(import.meta.dirname, '../../src/bin.ts'), 'serve', '--http', '--port', '0']
  const server = spawn(process.execPath, argv, { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [address] = (await once(server.stdout, 'data')) as [Buffer]
  const url = address.toString().trim()
  expect((await callOver(url, token, 'remember', { content: 'Tea is at four' })).status).toBe(200)
  const client = await connectHttp(url, token, 'modern')
  await client.listen({ resourceSubscriptions: ['elfmem://status'] })
  server.kill('SIGTERM')
  const [code] = (await once(server, 'exit')) as [number | null]
  // On a busy machine the second signal may come before all is closed.
  expect([0, null]).toContain(code)
  const { out } = await elfmem(['ls', '--json', '--status', 'inbox'], { home })
  expect(JSON.parse(out)).toMatchObject({ blocks: [{ content: 'Tea is at four' }] })
})
