import { BlockList, isIP } from 'node:net'
import { HTTP_PATH } from '../../bounds.ts'
import { type Arrival, doubledOf } from '../../http/head.ts'

/** The refusal of a request before MCP, as JSON-RPC has it. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The address at which a server listens, as far as it decides whom a request may be for. */
export interface Listening {
  /** The host it was started with. */
  readonly host: string
  /** True: others than this machine may reach it. */
  readonly isRemote: boolean
  /** The name of this machine. */
  readonly machine: string
}

/** The methods that MCP has a use for. */
const METHODS = ['POST', 'GET', 'DELETE']
const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const kind = isIP(host)
  return kind === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, kind === 6 ? 'ipv6' : 'ipv4')
}

/** A host with an optional port, as in a `Host` header; no user, path or blank. */
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9][a-z0-9.-]{0,252})(?::\d{1,5})?$/i
const ORIGIN = /^https?:\/\/(.{1,300})$/

/**
 * Returns why a request is refused before anybody asks who sends it: a host or an origin that is not ours, another path, a
 * header that two readers could take for different ones. Undefined if nothing is wrong.
 */
export function refusalOf(arrival: Arrival, listening: Listening): Refusal | undefined {
  const { headersDistinct, url, method } = arrival
  const once = ['host', 'origin', 'authorization', 'content-type', 'content-length', 'mcp-protocol-version']
  const doubled = doubledOf(arrival, once)
  if (doubled !== undefined) return { status: 400, message: `The header ${doubled} is there twice.` }
  if (!isOurs(headersDistinct.host?.[0] ?? '', listening))
    return { status: 403, message: 'The Host header names no host that this server answers for.' }
  const origin = headersDistinct.origin?.[0]
  if (origin !== undefined && !isOurs(ORIGIN.exec(origin)?.[1] ?? '', listening))
    return { status: 403, message: 'The Origin header names a page that may not call this server.' }
  // As it was sent: a path that only becomes ours by decoding is not ours.
  if (url !== HTTP_PATH && !url?.startsWith(`${HTTP_PATH}?`))
    return { status: 404, message: `MCP is served at ${HTTP_PATH} alone.` }
  // Those that MCP knows at all; which of them have an answer, only holders of a token are told.
  return METHODS.includes(method ?? '') ? undefined : methodNotAllowed(['POST'])
}

/** The refusal of a method that has no answer. */
export function methodNotAllowed(allowed: readonly string[]): Refusal {
  return { status: 405, message: 'Method not allowed.', headers: { allow: allowed.join(', ') } }
}

/** A name that resolves to this machine may be anybody's; one of an address, or of the machine itself, is not. */
function isOurs(given: string, { host, isRemote, machine }: Listening): boolean {
  const name = HOST.exec(given)?.[1]?.toLowerCase()
  if (name === undefined) return false
  const bare = name.replace(/^\[|\]$/g, '')
  if (LOCAL_NAMES.includes(name) || bare === host.toLowerCase()) return true
  return isRemote && (isIP(bare) !== 0 || bare === machine.toLowerCase())
}

/** The refusal of a request whose token opens nothing. */
export function unauthorised(isGiven: boolean): Refusal {
  const fault = isGiven ? ', error="invalid_token"' : ''
  return {
    status: 401,
    message: isGiven
      ? 'The bearer token is not known here, or was revoked. elfmem tokens list names those that are.'
      : 'A bearer token is needed. elfmem tokens add makes one.',
    headers: { 'www-authenticate': `Bearer realm="elfmem"${fault}` },
  }
}
