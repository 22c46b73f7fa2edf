import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Passes all requests on with a token, since the suite knows none. Returns the address to give it. */
export async function withToken(url: string, token: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, rawHeaders } = incoming
    const headers = [...rawHeaders, 'authorization', `Bearer ${token}`]
    const onward = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`
}
