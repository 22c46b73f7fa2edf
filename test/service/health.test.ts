import { expect, test } from 'vitest'
import { Memories } from '../../src/surfaces/service/memories.ts'
import { startService } from './helpers/service.ts'

test('health needs no token, and ready is 503 when no memory could be opened', async () => {
  const service = await startService()
  expect(await service.get('/health/live')).toMatchObject({ status: 200, body: { ok: true } })
  expect(await service.get('/health/ready')).toMatchObject({ status: 200, body: { ok: true } })
  const isReady = () => Promise.reject(new Error('no database'))
  const memories = new Memories({ open: isReady, isReady, bytes: 0, failed: () => undefined })
  const broken = await startService({}, { memories })
  const { status, text, headers } = await broken.get('/health/ready')
  expect([status, headers['retry-after'], text]).toEqual([503, '1', '{"ok":false}'])
  expect((await broken.get('/health/live')).status).toBe(200)
})

test('metrics count calls, seconds and errors, and name no holder, text or path', async () => {
  const service = await startService({}, { gauges: () => ({ pool_connections: 3 }) })
  const token = service.token('secret-holder')
  await service.post('/v1/remember', token, { content: 'Tea is at four' })
  await service.post('/v1/show', token, { blockId: 'aaaaaaaa' })
  const { status, text, headers } = await service.get('/metrics')
  expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
  const lines = text.split('\n')
  expect(lines).toContain('elfmem_operations_total{operation="remember",outcome="ok"} 1')
  expect(lines).toContain('elfmem_operations_total{operation="show",outcome="error"} 1')
  expect(lines).toContain('elfmem_errors_total{code="NOT_FOUND"} 1')
  expect(lines).toContain('elfmem_operation_seconds_count{operation="remember"} 1')
  expect(lines).toContain('elfmem_open_memories 1')
  expect(lines).toContain('elfmem_pool_connections 3')
  for (const line of lines.filter((each) => each !== ''))
    expect(line).toMatch(/^(?:# TYPE \w+ (?:counter|summary|gauge)|elfmem_\w+(?:\{[^{}]*\})? [\d.e+-]+)$/)
  expect(text).not.toMatch(/secret-holder|Tea|memory\.db/)
})

test('a request is one line of the log, with the id that its answer has, and nothing that was said', async () => {
  const service = await startService()
  const token = service.token('ann')
  const kept = await service.post(
    '/v1/remember',
    token,
    { content: 'Tea is at four' },
    { 'x-request-id': 'abc-1' },
  )
  expect(kept.headers['x-request-id']).toBe('abc-1')
  const odd = await service.get('/v1/memory', `${token}x`, { 'x-request-id': 'two words' })
  expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  await service.get('/health/live', undefined, { host: 'evil.example' })
  const [first, second, third] = service.logged.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(first).toEqual({
    ...{ time: expect.any(String), request: 'abc-1', holder: 'ann', operation: 'remember', status: 200 },
    ms: expect.any(Number),
  })
  expect(second).toMatchObject({ path: '/v1/memory', status: 401 })
  expect(second).not.toHaveProperty('holder')
  expect(third).toMatchObject({ status: 403 })
  expect(service.logged.join()).not.toMatch(/Tea|elfmem_/)
})
