import { expect, test } from 'vitest'
import { send, serve } from './helpers/served.ts'

const HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

test('every answer, refusals too, has a policy without unsafe parts and the headers that keep other pages out', async () => {
  const page = await serve()
  const { port, headers } = page
  const { authorization = '' } = headers
  const answers = [
    await send(port, '/'),
    await send(port, '/assets/main-Ab12cd34.js'),
    await send(port, '/nothing.js'),
    await send(port, '/', { headers: { host: 'evil.example' } }),
    await send(port, '/api/events'),
    await send(port, '/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
    await page.operation('status'),
    await page.operation('nothing'),
    await page.operation('show', { blockId: 'aaaaaaaa' }),
    await send(port, '/api/operations/status', { headers: { authorization } }),
  ]
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404, 421, 401, 405]))
  for (const { headers: given } of answers) {
    expect(given).toMatchObject(HEADERS)
    const policy = String(given['content-security-policy'])
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(part)
    expect(policy).not.toMatch(/unsafe|data:|blob:|\*|http/)
    expect(given).not.toHaveProperty('access-control-allow-origin')
    expect(given).not.toHaveProperty('set-cookie')
  }
  for (const { headers: given } of answers.slice(4)) expect(given['cache-control']).toBe('no-store')
})

test('paths of the page lead to it, and every path outside it is 404', async () => {
  const { port } = await serve()
  const index = (await send(port, '/')).text
  expect(index).toContain('<title>elfmem</title>')
  for (const path of ['/memory', '/recall?q=tea', '/graph', '/memory/deeper', '/assets'])
    expect((await send(port, path)).text).toBe(index)
  for (const path of [
    '/assets/secret.txt',
    '/assets.json',
    '/assets/../assets.json',
    '/%2e%2e/package.json',
    '/assets\\..\\assets.json',
    '/index.html%00.js',
  ])
    expect([path, (await send(port, path)).status]).toEqual([path, 404])
})

test('files with a hash in their name are immutable, and the page has an etag', async () => {
  const { port } = await serve()
  const script = await send(port, '/assets/main-Ab12cd34.js')
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': expect.stringContaining('immutable'),
  })
  const index = await send(port, '/')
  expect(index.headers['cache-control']).toBe('no-cache')
  const again = await send(port, '/', { headers: { 'if-none-match': String(index.headers.etag) } })
  expect([again.status, again.text]).toEqual([304, ''])
  const head = await send(port, '/', { method: 'HEAD' })
  expect([head.status, head.text]).toEqual([200, ''])
})
