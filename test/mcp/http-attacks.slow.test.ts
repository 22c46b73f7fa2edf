import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { HTTP_BOUNDS } from '../../src/surfaces/bounds.ts'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addToken, asClient, callOver, rpc, serveHttp } from './helpers/http.ts'

async function served() {
  const home = temporaryDirectory()
  const token = await addToken(home, 'ci')
  const { url } = await serveHttp(home)
  return { url, token }
}

/** A connection that writes what it is given. */
function open(url: string, text: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  socket.resume()
  if (text !== '') socket.write(text)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Waits until the other side closed the connection. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close')
}

/** The head of a request, without the empty line. */
const head = (url: string, token: string, ...more: readonly string[]) =>
  [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(url).host}`,
    ...Object.entries(asClient(token)).map(([name, value]) => `${name}: ${value}`),
    ...more,
    '',
  ].join('\r\n')

test('silent connections and endless heads and bodies are closed, and calls are answered meanwhile', async () => {
  const { url, token } = await served()
  const silent = Array.from({ length: 150 }, () => open(url, ''))
  const drips = Array.from({ length: 40 }, () => open(url, head(url, token)))
  const bodies = Array.from({ length: 8 }, () =>
    open(url, `${head(url, token, 'Content-Length: 100000')}\r\n{`),
  )
  const dripping = setInterval(() => {
    for (const each of drips) each.write('x-y: z\r\n')
    for (const each of bodies) each.write(' ')
  }, 500)
  onTestFinished(() => clearInterval(dripping))
  const closing = Promise.all([...silent, ...drips, ...bodies].map(closed))
  for (let call = 0; call < 10; call += 1) expect((await callOver(url, token, 'status')).status).toBe(200)
  await closing
})

test('a request with two lengths, encodings, hosts or tokens is refused', async () => {
  const { url, token } = await served()
  const body = rpc('tools/list')
  const said = async (...lines: readonly string[]) => {
    const socket = open(url, `${head(url, token, ...lines)}\r\n${body}`)
    let answer = ''
    socket.on('data', (part: Buffer) => (answer += part.toString()))
    await Promise.race([once(socket, 'close'), sleep(1_500)])
    return answer
  }
  const length = `Content-Length: ${body.length}`
  for (const lines of [
    [length, 'Transfer-Encoding: chunked'],
    [length, 'Content-Length: 1'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ['Content-Length: +5'],
    [length, 'Host: evil.example'],
    [length, 'Authorization: Bearer x'],
    [length, 'Origin: null', 'Origin: http://localhost'],
    [length, 'X: a\nHost: evil.example'],
    [length, 'X\u0000: a'],
  ]) {
    const answer = await said(...lines)
    expect(answer, lines.join()).toMatch(/^HTTP\/1\.1 4\d\d|^$/)
    expect(answer, lines.join()).not.toContain('elfmem_')
  }
  expect(await said(length)).toContain('elfmem_recall')
  expect(await said(length, `X-Long: ${'x'.repeat(HTTP_BOUNDS.headerBytes)}`)).toContain('HTTP/1.1 431')
})
