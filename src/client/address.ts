import { ElfmemError } from '../errors.ts'

/** Options of a memory at a service. */
export interface RemoteOptions {
  /** The token that opens the memory. */
  readonly token: string
  /** A function in the place of the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds that one call may take with all its attempts: 30,000 unless given, and 20 times as many for a dream and other long work. */
  readonly timeoutMs?: number
  /** The number of times that a call is sent again if the service cannot be reached or has no room; 4 unless given. */
  readonly retries?: number
  /** True: `http://` is taken for a host that is not this machine, so that the token goes over the line in the clear. */
  readonly allowInsecure?: boolean
}

/** A service and how it is spoken to; its URL has no slash at its end. */
export type Address = Required<RemoteOptions> & { readonly url: string }

/** Names of this machine, as an address has them. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns true for the address of a service in the place of a path. */
export function isServiceUrl(path: unknown): path is string {
  return typeof path === 'string' && /^https?:\/\//i.test(path)
}

/** Checks an address and its options; throws `INVALID_INPUT`, whose message has neither the token nor another secret. */
export function addressOf(given: string, options: RemoteOptions): Address {
  const defaults = { fetch: globalThis.fetch, timeoutMs: 30_000, retries: 4, allowInsecure: false }
  const all: Required<RemoteOptions> = { ...defaults, ...options }
  const unknown = Object.keys(all).find((name) => name !== 'token' && !Object.hasOwn(defaults, name))
  if (unknown !== undefined) throw invalid(`A memory at a service has no option "${unknown.slice(0, 40)}".`)
  const url = isServiceUrl(given) ? URL.parse(given) : null
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid('The address of a service is https://…, without user, password, query and fragment.')
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !all.allowInsecure)
    throw new ElfmemError('INVALID_INPUT', `http://${url.host} would send the token in the clear.`, {
      recovery: 'Use https://; only a program may pass allowInsecure: true, for a line that is private.',
    })
  // A sign that no header may have would fail later, in an error that shows the token.
  if (typeof all.token !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(all.token))
    throw invalid('The token of a service is a text of visible ASCII signs.')
  if (typeof all.fetch !== 'function') throw invalid('fetch is no function.')
  if (!(all.timeoutMs >= 1 && all.timeoutMs <= 86_400_000))
    throw invalid('timeoutMs must be from 1 to 86,400,000.')
  if (!(all.retries >= 0 && all.retries <= 20)) throw invalid('retries must be from 0 to 20.')
  return { ...all, url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') }
}

function invalid(message: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, {
    recovery: 'Give the address and the token: openMemory(url, { token }), or --url and --token-file.',
  })
}
