import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HTTP_BOUNDS } from '../../src/surfaces/bounds.ts'
import { startService } from './helpers/service.ts'

test('bodies that drip are ended after their time, and calls are answered meanwhile', async () => {
  const service = await startService()
  const [slow, other] = [service.token('slow'), service.token('other')]
  const { hostname, port, host } = new URL(service.url)
  const head = [
    ...['POST /v1/recall HTTP/1.1', `Host: ${host}`, `Authorization: Bearer ${slow}`],
    ...['Content-Type: application/json', 'Content-Length: 1000', '', '{'],
  ].join('\r\n')
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(head)
    return socket
  })
  const dripping = setInterval(() => {
    for (const socket of sockets) socket.write(' ')
  }, 500)
  onTestFinished(() => clearInterval(dripping))
  const begun = performance.now()
  const closing = Promise.all(sockets.map((each) => once(each, 'close')))
  for (let call = 0; call < 10; call += 1)
    expect((await service.post('/v1/recall', other, { query: 'tea' })).status).toBe(200)
  await closing
  expect(performance.now() - begun).toBeLessThan(HTTP_BOUNDS.requestMs + 15_000)
  expect(service.errors).toEqual([])
})
