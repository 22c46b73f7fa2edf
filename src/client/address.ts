import { ElfmemError } from '../errors.ts'

/** Options of a memory at a service. */
export interface RemoteOptions {
  /** The token that opens the memory. */
  readonly token: string
  /** A function in the place of the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds that one call may take with all its attempts: 30,000 unless given, and 20 times as many for a dream and other long work. */
  readonly timeoutMs?: number
  /** How often a call is sent again if the service cannot be reached or has no room; 4 unless given. */
  readonly retries?: number
  /** True: `http://` is taken for a host that is not this machine, so that the token goes over the line in the clear. */
  readonly allowInsecure?: boolean
}

/** A service and how it is spoken to. */
export interface Address extends Required<Omit<RemoteOptions, 'allowInsecure'>> {
  /** The URL of the service, without a slash at its end. */
  readonly url: string
}

const NAMES = ['token', 'fetch', 'timeoutMs', 'retries', 'allowInsecure']
const EXAMPLE = "A call that works: await openMemory('https://memory.example', { token })"

/** Returns true for the address of a service in the place of a path. */
export function isServiceUrl(path: unknown): path is string {
  return typeof path === 'string' && /^https?:\/\//i.test(path)
}

/** Checks an address and its options; throws `INVALID_INPUT`, whose message has neither the token nor another secret. */
export function addressOf(given: string, options: RemoteOptions): Address {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw invalid(`A memory at a service has no option "${unknown.slice(0, 40)}".`)
  const url = isServiceUrl(given) ? URL.parse(given) : null
  if (url === null) throw invalid('This is no address of a service.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid('The address of a service has no user, password, query or fragment.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && options.allowInsecure !== true)
    throw new ElfmemError('INVALID_INPUT', `http://${url.host} would send the token in the clear.`, {
      recovery: 'Use https://, or pass allowInsecure: true if the line itself is private.',
    })
  const { token, fetch = globalThis.fetch, timeoutMs = 30_000, retries = 4 } = options
  // A sign that no header may have would fail later, in an error that shows the token.
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(token))
    throw invalid('The token of a service is a text of visible ASCII signs.')
  if (typeof fetch !== 'function') throw invalid('fetch is no function.')
  if (!isBetween(timeoutMs, 1, 86_400_000)) throw invalid('timeoutMs must be from 1 to 86,400,000.')
  if (!isBetween(retries, 0, 20)) throw invalid('retries must be from 0 to 20.')
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), token, fetch, timeoutMs, retries }
}

/** Returns true for the names and addresses of this machine. */
function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host)
}

function isBetween(given: unknown, least: number, most: number): boolean {
  return typeof given === 'number' && given >= least && given <= most
}

function invalid(message: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery: EXAMPLE })
}
