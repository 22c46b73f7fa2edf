import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { type Arrival, bearerOf } from '../http/head.ts'

/** Whom a request may be for, and who may send it. */
export interface Gate {
  /** The hosts as `Host` headers name them: `127.0.0.1:4641`. */
  readonly hosts: ReadonlySet<string>
  /** The origins as `Origin` headers name them: `http://127.0.0.1:4641`. */
  readonly origins: ReadonlySet<string>
  /** True for the token of this run; takes the same time for every other one. */
  readonly isToken: (given: string) => boolean
}

/** The refusal of a request before anything of it is done. */
export interface Refusal {
  readonly status: number
  readonly error: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that may be answered. */
export type Passed =
  | { readonly to: 'page'; readonly path: string }
  | { readonly to: 'events' }
  | { readonly to: 'session' }
  | { readonly to: 'code' }
  | { readonly to: 'operation' | 'view'; readonly name: string }

/** The address of a request without its query; undefined for one that names no path. */
const PATH = /^(\/[^?#]{0,2048})(?:\?.*)?$/s
const CALLED = /^\/api\/(operations|views)\/([A-Za-z]{1,40})$/
const JSON_TYPE = /^application\/json(?: ?; ?charset=utf-8)?$/i

/**
 * Decides about a request by its head alone, before its body is read. First for whom it is and which page sends it, then what it
 * asks for, then who asks.
 */
export function verdictOf(arrival: Arrival, gate: Gate): Passed | Refusal {
  const stranger = strangerOf(arrival, gate)
  if (stranger !== undefined) return stranger
  const path = PATH.exec(arrival.url ?? '')?.[1]
  if (path === undefined) return missing('There is nothing at this address.')
  const passed = passedOf(path)
  if (passed === undefined) return missing('There is nothing at this address. The page asks /api/operations.')
  return (
    methodRefusal(arrival, passed) ?? tokenRefusal(arrival, passed, gate) ?? unfit(arrival, passed) ?? passed
  )
}

/** True for a request that was let in. */
export function isPassed(verdict: Passed | Refusal): verdict is Passed {
  return 'to' in verdict
}

/** The refusal of an address that leads nowhere. */
export function missing(message: string): Refusal {
  return { status: 404, error: 'NOT_FOUND', message }
}

/** Returns the refusal of a request beyond the most that are allowed at once. */
export function tooMany(what: string): Refusal {
  const message = `Too many ${what} at once. Ask again in a moment.`
  return { status: 429, error: 'TOO_MANY', message, headers: { 'retry-after': '1' } }
}

/** The refusal of a body that is too long. */
export function tooLarge(): Refusal {
  const message = `The request has more than ${DASHBOARD_BOUNDS.bodyBytes} bytes. Send less at once.`
  return { status: 413, error: 'TOO_LARGE', message }
}

/**
 * Returns why a request is a stranger's. Each header that decides must be there once or not at all: two readers could take two
 * for different ones.
 */
function strangerOf({ headersDistinct }: Arrival, { hosts, origins }: Gate): Refusal | undefined {
  const { host, origin, 'sec-fetch-site': site } = headersDistinct
  if (!isOneOf(host, hosts))
    return {
      status: 421,
      error: 'WRONG_HOST',
      message: 'This memory answers on 127.0.0.1 alone, and on what --origin names.',
    }
  if (origin !== undefined && !isOneOf(origin, origins))
    return { status: 403, error: 'WRONG_ORIGIN', message: 'Another page may not ask this memory.' }
  if (site !== undefined && !isOneOf(site, SAME_SITE))
    return { status: 403, error: 'WRONG_SITE', message: 'Another site may not ask this memory.' }
  return undefined
}

/** `none`: somebody typed the address, or a program opened it. */
const SAME_SITE: ReadonlySet<string> = new Set(['same-origin', 'none'])

function isOneOf(given: readonly string[] | undefined, known: ReadonlySet<string>): boolean {
  const [only, ...others] = given ?? []
  return only !== undefined && others.length === 0 && known.has(only.toLowerCase())
}

function passedOf(path: string): Passed | undefined {
  if (path !== '/api' && !path.startsWith('/api/')) return { to: 'page', path }
  if (path === '/api/events') return { to: 'events' }
  if (path === '/api/session') return { to: 'session' }
  if (path === '/api/code') return { to: 'code' }
  const [, kind, name = ''] = CALLED.exec(path) ?? []
  return kind === undefined ? undefined : { to: kind === 'views' ? 'view' : 'operation', name }
}

function methodRefusal({ method = '' }: Arrival, { to }: Passed): Refusal | undefined {
  const allowed = to === 'page' ? ['GET', 'HEAD'] : to === 'events' ? ['GET'] : ['POST']
  if (allowed.includes(method)) return undefined
  return {
    status: 405,
    error: 'WRONG_METHOD',
    message: `This address takes ${allowed.join(' and ')} alone.`,
    headers: { allow: allowed.join(', ') },
  }
}

function tokenRefusal(arrival: Arrival, { to }: Passed, { isToken }: Gate): Refusal | undefined {
  // The page itself holds nothing; a code, and the proof of a second start, are looked at in the body.
  if (to === 'page' || to === 'session' || to === 'code') return undefined
  const { authorization } = arrival.headersDistinct
  const token = authorization?.length === 1 ? bearerOf(arrival) : undefined
  return token !== undefined && isToken(token) ? undefined : unknownCaller()
}

/** The refusal of who cannot show that it sits at this machine. */
export function unknownCaller(): Refusal {
  return {
    status: 401,
    error: 'LOCKED',
    message: 'Open the link that elfmem dashboard printed; each link works once.',
    headers: { 'www-authenticate': 'Bearer realm="elfmem dashboard"' },
  }
}

function unfit({ headersDistinct }: Arrival, { to }: Passed): Refusal | undefined {
  if (to === 'page' || to === 'events') return undefined
  const { 'content-length': length, 'content-type': type, 'content-encoding': encoding } = headersDistinct
  if (Number(length?.[0] ?? 0) > DASHBOARD_BOUNDS.bodyBytes) return tooLarge()
  const isJson = type?.length === 1 && JSON_TYPE.test(type[0] ?? '')
  if (isJson && encoding === undefined) return undefined
  return {
    status: 415,
    error: 'WRONG_TYPE',
    message: 'The body must be application/json, and not compressed.',
  }
}
