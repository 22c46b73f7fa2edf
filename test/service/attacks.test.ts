import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { send } from '../mcp/helpers/http.ts'
import { startService } from './helpers/service.ts'

/** Every way in that a token opens. */
const WAYS = [
  ['POST', '/v1/recall'],
  ['POST', '/v1/session'],
  ['GET', '/v1/memory'],
  ['GET', '/v1/settings'],
  ['GET', '/v1/watch'],
  ['GET', '/v1/openapi.json'],
  ['POST', '/mcp'],
  ['POST', '/api/operations/status'],
  ['POST', '/api/views/place'],
  ['GET', '/api/events'],
] as const

test.each(WAYS)('%s %s answers nobody without one known token, in one header', async (method, path) => {
  const service = await startService()
  const token = service.token('boss', { capability: 'owner' })
  const ask = (authorization: string | string[] | undefined, at: string = path) => {
    const given = authorization === undefined ? {} : { authorization }
    const headers = { 'content-type': 'application/json', ...given }
    return send(service.url, { method, path: at, headers, body: method === 'POST' ? '{}' : '' })
  }
  const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status
  expect(await ask(undefined)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': expect.stringMatching(/Bearer/) },
  })
  for (const other of [`Bearer ${token}x`, `Basic ${token}`, token, `Bearer ${token} x`])
    expect(await status(other), other).toBe(401)
  expect(await status([`Bearer ${token}`, `Bearer ${token}`])).toBe(401)
  expect(await status([`Bearer ${token}`, 'Bearer x'])).toBe(401)
  expect(await status(undefined, `${path}?token=${token}&access_token=${token}`)).toBe(401)
})

test.each([...WAYS, ['GET', '/health/live'], ['GET', '/metrics'], ['GET', '/']] as const)(
  '%s %s is for our hosts and pages alone',
  async (method, path) => {
    const service = await startService()
    const authorization = `Bearer ${service.token('boss', { capability: 'owner' })}`
    const ask = (headers: Readonly<Record<string, string | string[]>>) =>
      send(service.url, {
        ...{ method, path, body: method === 'POST' ? '{}' : '' },
        headers: { authorization, 'content-type': 'application/json', ...headers },
      })
    const foreign = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.0.1']
    const odd = ['localhost@evil.example', 'evil.example#localhost', 'localhost/..', 'localhost:x', ' ']
    for (const host of [...foreign, ...odd]) expect((await ask({ host })).status, host).toBe(403)
    for (const origin of ['https://evil.example', 'null', '', 'http://localhost.evil.example', 'file://'])
      expect((await ask({ origin })).status, origin).toBe(403)
    const ours = 'http://localhost'
    if (path !== '/v1/watch' && path !== '/api/events')
      for (const given of [{ origin: `${ours}:5173` }, { host: '[::1]:1' }, { host: 'LOCALHOST:1' }])
        expect((await ask(given)).status, JSON.stringify(given)).not.toBe(403)
    expect((await ask({ origin: [ours, ours] })).status).toBe(403)
    const { headers } = await ask({ origin: 'https://evil.example' })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  },
)

test('an address that a router could read as another one is 404', async () => {
  const service = await startService()
  const token = service.token('boss', { capability: 'owner' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const slashes = ['//v1/status', '/v1//status', '/v1/../v1/status', '/v1/status/', '/v1\\status', '/v1/']
  const others = ['/v1/%73tatus', '/%761/status', '/V1/status', '/v1/status/x', `${service.url}/v1/status`]
  const tools = ['/mcp/', '//mcp', '/%6dcp', '/mcp/../mcp', '/MCP', 'http://evil.example/mcp']
  for (const path of [...slashes, ...others, ...tools])
    expect((await send(service.url, { path, headers, body: '{}' })).status, path).toBe(404)
  expect((await send(service.url, { path: '/v1/status?x=1', headers, body: '{}' })).status).toBe(200)
})

test('a body over the limit, of another type or no JSON is refused', async () => {
  const service = await startService({ requestBytes: 65_536 })
  const token = service.token('ann')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const long = JSON.stringify({ content: 'x'.repeat(65_536) })
  const ask = async (body: string, more: Readonly<Record<string, string>> = {}) =>
    (await send(service.url, { path: '/v1/remember', headers: { ...headers, ...more }, body })).status
  expect(await ask(long)).toBe(413)
  expect(await ask(long, { 'transfer-encoding': 'chunked' })).toBe(413)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json', ''])
    expect(await ask('{}', { 'content-type': type }), type).toBe(415)
  expect(await ask('{}', { 'content-encoding': 'gzip' })).toBe(415)
  for (const body of ['{', '{}{}', '[]', 'null', '"x"', '1']) expect(await ask(body), body).toBe(400)
  expect(await ask(`{"content":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)).toBe(400)
  expect(await ask('{"__proto__":{"as":"owner"},"content":"Tea is at four"}')).toBeLessThan(500)
  expect((await service.post('/v1/remember', token, { content: 'Tea is at four' })).status).toBe(200)
  expect(service.errors).toEqual([])
})

/** A connection that writes what it is given. */
function open(url: string, text: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.write(text)
  onTestFinished(() => void socket.destroy())
  return socket
}

test('seventeen bodies that do not end are one too many of a holder, and others are heard', async () => {
  const service = await startService()
  const [slow, other] = [service.token('slow'), service.token('other')]
  const head = [
    ...['POST /v1/recall HTTP/1.1', `Host: ${new URL(service.url).host}`, `Authorization: Bearer ${slow}`],
    ...['Content-Type: application/json', 'Content-Length: 100', '', '{'],
  ].join('\r\n')
  const sockets = Array.from({ length: 17 }, () => open(service.url, head))
  const [answer] = (await Promise.race(sockets.map((each) => once(each, 'data')))) as [Buffer]
  expect(String(answer)).toContain('HTTP/1.1 503')
  expect((await service.post('/v1/recall', other, { query: 'tea' })).status).toBe(200)
  for (const each of sockets) each.destroy()
  await expect.poll(async () => (await service.post('/v1/recall', slow, { query: 'tea' })).status).toBe(200)
})
