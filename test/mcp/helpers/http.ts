import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { runCli } from '../../../src/surfaces/cli/run.ts'
import { elfmem, HASHING } from '../../surfaces/helpers/cli.ts'

/** A running `elfmem serve --http`. */
export interface Served {
  readonly url: string
  readonly home: string
  /** Returns its output on standard error so far. */
  readonly said: () => string
  readonly stop: () => Promise<number>
}

/** Serves the memory of a home directory at a free port until the test ends. Rejects with what a server said that did not start. */
export async function serveHttp(
  home: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const stopping = new AbortController()
  const url = Promise.withResolvers<string>()
  const said: string[] = []
  const place = flags.some((flag) => /^--(?:port|socket)$/.test(flag)) ? [] : ['--port', '0']
  const running = runCli(['serve', '--http', ...place, ...flags], {
    stdout: { write: (text) => url.resolve(text.trim()) },
    stderr: { write: (text) => void said.push(text) },
    readStdin: async () => '',
    env: { ...HASHING, ELFMEM_MEMORY_AUTO_DREAM: 'off', ...env },
    cwd: home,
    home,
    version: '0.0.0-test',
    signal: stopping.signal,
    streams: () => ({ stdin: new PassThrough(), stdout: new PassThrough() }),
  })
  const stop = () => {
    stopping.abort()
    return running
  }
  onTestFinished(async () => void (await stop()))
  const refused = running.then((code) => Promise.reject(new Error(`${code}: ${said.join('')}`)))
  return { url: await Promise.race([url.promise, refused]), home, said: () => said.join(''), stop }
}

/** Makes a token with the command line. */
export async function addToken(home: string, name: string, ...flags: readonly string[]): Promise<string> {
  const { code, out, err } = await elfmem(['tokens', 'add', '--name', name, ...flags], { home })
  if (code !== 0) throw new Error(err)
  return out.trim()
}

/** Connects the official client as it comes: of 2025, or one that asks for the newest revision first. */
export async function connectHttp(url: string, token: string, era: 'legacy' | 'modern'): Promise<Client> {
  const negotiation = era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}
  const client = new Client({ name: 'test client', version: '1.0.0' }, negotiation)
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

/** An answer of a server. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends one request as it is written, headers of any kind among them. */
export function send(
  url: string,
  {
    method = 'POST',
    path = '/mcp',
    headers = {},
    body = '',
    socketPath,
    agent = false,
  }: {
    readonly method?: string
    readonly path?: string
    readonly headers?: Readonly<Record<string, string | string[]>>
    readonly body?: string | Buffer
    readonly socketPath?: string
    /** Keeps the connection; each request has its own unless given. */
    readonly agent?: Agent | false
  } = {},
): Promise<HttpAnswer> {
  const { hostname, port } = socketPath ? { hostname: 'localhost', port: '' } : new URL(url)
  return new Promise((resolve, reject) => {
    const place = socketPath ? { socketPath } : { hostname, port }
    const sending = httpRequest({ ...place, path, method, headers, agent }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.once('error', reject)
      answer.once('end', () => {
        const { statusCode: status = 0, headers: got } = answer
        resolve({ status, headers: got, body: Buffer.concat(parts).toString('utf8') })
      })
    })
    sending.once('error', reject)
    sending.end(body)
  })
}

/** Headers of a request that a 2025 client sends. */
export const asClient = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

/** The text of a request. */
export const rpc = (method: string, params: object = {}, id: number | string = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Calls a tool without a client. */
export async function callOver(url: string, token: string, name: string, args: object = {}) {
  const body = rpc('tools/call', { name: `elfmem_${name}`, arguments: args })
  const answer = await send(url, { headers: asClient(token), body })
  const [, data = answer.body] = /^data: (.*)$/m.exec(answer.body) ?? []
  return { status: answer.status, ...(JSON.parse(data) as { result?: Result; error?: { message: string } }) }
}

interface Result {
  readonly isError?: boolean
  readonly structuredContent: Readonly<Record<string, unknown>>
}
