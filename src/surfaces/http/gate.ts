import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The parts of a request that decide whether it is looked at. */
export type Arrival = Pick<IncomingMessage, 'url' | 'headersDistinct'>

/** The refusal of a request before anything of it is done. */
export interface Refusal {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly message: string
  readonly recovery?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The hosts that a server answers for, and the pages that may ask it. */
export interface Gate {
  /** True for the value of a `Host` header. */
  readonly isHost: (host: string) => boolean
  /** True for the value of an `Origin` header. */
  readonly isOrigin: (origin: string) => boolean
  /** The status of a request for another host. */
  readonly wrongHost: 403 | 421
  /** True refuses what a browser sends for a page of another site or port, whatever its origin. */
  readonly isSameSiteOnly: boolean
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

/** A path of plain segments: a router could take one that must be decoded or shortened for another one. */
const PATH =
  /^\/(?:[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*(?:\/[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)*\/?)?$/
/** `none`: somebody typed the address, or a program opened it. */
const SAME_SITE: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Returns why a request is refused before anybody asks who sends it: another host, the page of another, an address that is spelled in a
 * way that two readers could take for different ones. Each header that decides must be there once.
 */
export function refusalOf({ url = '', headersDistinct }: Arrival, gate: Gate): Refusal | undefined {
  const { host, origin, 'sec-fetch-site': site } = headersDistinct
  if (!isOnce(host, gate.isHost))
    return {
      ...{ status: gate.wrongHost, code: 'WRONG_HOST' },
      message: 'The Host header names no host that this server answers for.',
      recovery: 'Ask it by the address that it was started with.',
    }
  if (origin !== undefined && !isOnce(origin, gate.isOrigin))
    return { status: 403, code: 'WRONG_ORIGIN', message: 'A page of another origin may not ask this server.' }
  if (gate.isSameSiteOnly && site !== undefined && !isOnce(site, (each) => SAME_SITE.has(each)))
    return { status: 403, code: 'WRONG_SITE', message: 'A page of another site may not ask this server.' }
  return PATH.test(url.split('?', 1)[0] ?? '') ? undefined : missing()
}

function isOnce(given: readonly string[] | undefined, isKnown: (value: string) => boolean): boolean {
  const [only, ...others] = given ?? []
  return only !== undefined && others.length === 0 && isKnown(only.toLowerCase())
}

/** The refusal of an address that leads nowhere. */
export function missing(message = 'There is nothing at this address.'): Refusal {
  return { status: 404, code: 'NOT_FOUND', message }
}

/** Returns the token of a request; undefined if it has none, or two. */
export function bearerOf({ headersDistinct }: Pick<Arrival, 'headersDistinct'>): string | undefined {
  const [only, ...others] = headersDistinct.authorization ?? []
  if (others.length > 0) return undefined
  return /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(only ?? '')?.[1]
}

/** The gate of a server that answers on some addresses alone. */
export function gateOfAddresses(addresses: readonly string[]): Gate {
  const urls = addresses.map((each) => new URL(each))
  const [hosts, origins] = [new Set(urls.map(({ host }) => host)), new Set(urls.map(({ origin }) => origin))]
  return {
    ...{ isHost: (host) => hosts.has(host), isOrigin: (origin) => origins.has(origin) },
    ...{ wrongHost: 421, isSameSiteOnly: true },
  }
}

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
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9][a-z0-9.-]{0,252})(?::\d{1,5})?$/
const ORIGIN = /^https?:\/\/(.{1,300})$/

/** The gate of a server for programs, which come with any port and over a proxy. */
export function gateOfPlace(listening: Listening): Gate {
  const isHost = (host: string) => isOurs(host, listening)
  const isOrigin = (origin: string) => isHost(ORIGIN.exec(origin)?.[1] ?? '')
  return { isHost, isOrigin, wrongHost: 403, isSameSiteOnly: false }
}

/** A name that resolves to this machine may be anybody's; one of an address, or of the machine itself, is not. */
function isOurs(given: string, { host, isRemote, machine }: Listening): boolean {
  const name = HOST.exec(given)?.[1]
  if (name === undefined) return false
  const bare = name.replace(/^\[|\]$/g, '')
  if (LOCAL_NAMES.includes(name) || bare === host.toLowerCase()) return true
  return isRemote && (isIP(bare) !== 0 || bare === machine.toLowerCase())
}
