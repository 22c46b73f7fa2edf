import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { tokenHash } from '../../../src/adapters/project/tokens/token-store.ts'
import type { Capability } from '../../../src/engine/engine.ts'
import { type OpenMemory, openLifetime } from '../../../src/engine/open-memory.ts'
import { settingsSchema } from '../../../src/engine/settings.ts'
import { listenService } from '../../../src/surfaces/service/app.ts'
import type { ServiceParts } from '../../../src/surfaces/service/calls.ts'
import type { Holder } from '../../../src/surfaces/service/holders.ts'
import { Memories } from '../../../src/surfaces/service/memories.ts'
import { builtPage } from '../../dashboard/helpers/served.ts'
import { temporaryFolder } from '../../helpers/memory.ts'
import { type HttpAnswer, send } from '../../mcp/helpers/http.ts'

/** The rights of a token to make. */
interface Rights {
  readonly capability?: Capability
  readonly scope?: string
  readonly tools?: Holder['tools']
}

/** A running service over one memory. */
export interface TestService {
  readonly url: string
  readonly path: string
  readonly logged: readonly string[]
  readonly errors: readonly Error[]
  /** Makes a token. */
  token(name: string, rights?: Rights): string
  revoke(token: string): void
  /** Posts JSON and returns the answer with its body read. */
  post(path: string, token: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>
  get(path: string, token?: string, headers?: Readonly<Record<string, string>>): Promise<Told>
  close(): Promise<void>
}

/** An answer of JSON. */
interface Told extends Omit<HttpAnswer, 'body'> {
  // The operations answer with forty types.
  readonly body: Readonly<Record<string, never>> & Readonly<Record<string, unknown>>
  readonly text: string
}

/** The memories of a service that has one; the caller closes it. */
export function oneMemory(memory: OpenMemory): Memories {
  return new Memories({ open: async () => memory, bytes: Number.POSITIVE_INFINITY, failed: () => undefined })
}

/** Serves a new memory until the test ends. */
export async function startService(
  limits: Readonly<Record<string, number>> = {},
  more: Partial<ServiceParts> = {},
): Promise<TestService> {
  const path = `${temporaryFolder()}/memory.db`
  const settings = settingsSchema.parse({ limits })
  const memory = await openLifetime(
    { settings, database: { path, rule: '--db' }, env: {}, surface: 'mcp' },
    { embedder: createHashingEmbedder(), as: 'owner' },
    'wait',
  )
  const holders = new Map<string, Holder>()
  const [logged, errors]: [string[], Error[]] = [[], []]
  const server = await listenService(
    { host: '127.0.0.1', port: 0 },
    {
      memories: oneMemory(memory),
      holders: { find: async (sha256) => holders.get(sha256) },
      limits: () => memory.limits,
      takesPlaces: more.listening?.isRemote !== true,
      ...{ version: '0.0.0-test', outputSchemas: false, page: builtPage() },
      listening: { host: '127.0.0.1', isRemote: false, machine: 'test' },
      log: (line) => void logged.push(line),
      onerror: (error) => void errors.push(error),
      ...more,
    },
  )
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= server.close().then(() => memory.close())
    return closing
  }
  onTestFinished(close)
  const url = `http://127.0.0.1:${server.port}`
  const ask = async (sent: Parameters<typeof send>[1]) => {
    const { body: text, ...answer } = await send(url, sent)
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return { ...answer, text, body: isJson ? JSON.parse(text) : {} }
  }
  return {
    ...{ url, path, logged, errors, close },
    token: (name, { capability = 'agent', scope, tools = 'all' } = {}) => {
      const token = `elfmem_${randomBytes(32).toString('base64url')}`
      const rights = { name, capability, tools, memory: path, ...(scope === undefined ? {} : { scope }) }
      holders.set(tokenHash(token), { ...rights, sha256: tokenHash(token) })
      return token
    },
    revoke: (token) => void holders.delete(tokenHash(token)),
    post: (at, token, body = {}, headers = {}) =>
      ask({
        ...{ method: 'POST', path: at, body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      }),
    get: (at, token, headers = {}) =>
      ask({
        ...{ method: 'GET', path: at },
        headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      }),
  }
}
