import { expect, test } from 'vitest'
import { openMemory } from '../../src/client/index.ts'
import { openProxy } from '../helpers/line-proxy.ts'
import { refusal } from '../helpers/memory.ts'
import { atService, hostile } from './world.ts'

test('a watcher gets entries in their order, once each, over a line that breaks', async () => {
  const { service, memory, token } = await atService()
  const line = await openProxy(Number(new URL(service.url).port))
  await using far = await openMemory(line.through(service.url), { token })
  await memory.remember({ content: 'Said before anybody looked' })
  const entries = far.watch()
  // The watch counts from its beginning; the proxy tells when that came through.
  const first = entries.next()
  await expect.poll(line.seen).toContain('GET /v1/watch')
  await memory.remember({ content: 'The kettle is blue' })
  expect((await first).value).toMatchObject({ operation: 'remember', first: 'The kettle is blue' })
  line.cut()
  await memory.remember({ content: 'Roses need sun' })
  await memory.remember({ content: 'The shed needs paint' })
  expect((await entries.next()).value).toMatchObject({ first: 'Roses need sun' })
  expect((await entries.next()).value).toMatchObject({ first: 'The shed needs paint' })
})

test('a watch ends with its signal, with return and with the memory', async () => {
  const { memory } = await atService()
  const leaving = new AbortController()
  const [signalled, returned, closed] = [
    memory.watch({ signal: leaving.signal }),
    memory.watch(),
    memory.watch(),
  ]
  const ends = [signalled.next(), closed.next()]
  leaving.abort()
  expect((await ends[0])?.done).toBe(true)
  await returned.return?.()
  expect((await returned.next()).done).toBe(true)
  await memory.close()
  expect((await ends[1])?.done).toBe(true)
  expect(() => memory.watch()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})

test('a watch fails when its token opens nothing any more', async () => {
  const { service, memory, token } = await atService()
  service.revoke(token)
  expect(await refusal(memory.watch().next())).toMatchObject({ code: 'CONFIG_INVALID' })
})

test.each([
  ['an event without an end', (n: number) => 'data: x'.padEnd(n, 'x')],
  ['an event that is no entry', () => 'data: {"id":"one"}\n\n'],
])('a stream with %s is an error', async (_, text) => {
  const url = await hostile((asked, told) => {
    if (asked.url !== '/v1/watch') return void told.end('{"operations":[]}')
    told.setHeader('content-type', 'text/event-stream')
    told.write(text(3 * 2 ** 20))
  })
  await using memory = await openMemory(url, { token: 'x' })
  expect(await refusal(memory.watch().next())).toMatchObject({ code: 'STORE_FAILED' })
})
