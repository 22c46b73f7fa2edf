import { shown } from '../block/text.ts'
import { ElfmemError, ERROR_CODES, type ErrorCode } from '../errors.ts'
import type { Address } from './address.ts'

/** The failure of a call that did not get through; `code` is the system's. */
export function unreachable({ url, token }: Address, why: string, code?: string): ElfmemError {
  return new ElfmemError('STORE_FAILED', clean(`The service at ${url} ${why}.`, token), {
    recovery: 'Look whether it runs and can be reached from here, then call again.',
    details: { location: url, ...(code === undefined ? {} : { code }) },
  })
}

/** The failure of an answer that no service of elfmem gives. */
export function foreign({ url }: Address, what: string): ElfmemError {
  return new ElfmemError('STORE_FAILED', `The answer of ${url} ${what}.`, {
    recovery: 'Look whether this is the address of elfmem serve --http, and what stands in front of it.',
    details: { location: url },
  })
}

export function cancelled(name: string): ElfmemError {
  return new ElfmemError('CANCELLED', `${name} was cancelled.`, {
    recovery: 'Call it again; if it was under way, the service may have done it.',
  })
}

export function closed(url: string): ElfmemError {
  return new ElfmemError('CLOSED', 'This memory was closed.', {
    recovery: 'Open it again with openMemory().',
    details: { location: url },
  })
}

/** Returns the failure that a service told, with its code, message, recovery and facts. */
export function toldFailure(address: Address, status: number, body: unknown): ElfmemError {
  const { url, token } = address
  const { code, error, recovery, details } = Object(body) as Readonly<Record<string, unknown>>
  if (status === 401)
    return new ElfmemError('CONFIG_INVALID', `The service at ${url} does not know this token.`, {
      recovery: 'It was revoked, is over, or is for another service: ask for a new one (elfmem tokens add).',
      details: { option: 'token' },
    })
  if (typeof code !== 'string' || typeof error !== 'string')
    return foreign(address, `has the status ${status} and says no reason`)
  const isKnown = (ERROR_CODES as readonly string[]).includes(code)
  const facts = typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {}
  const Failure = ElfmemError as unknown as new (
    code: ErrorCode,
    message: string,
    options: object,
  ) => ElfmemError
  return new Failure(isKnown ? (code as ErrorCode) : 'STORE_FAILED', clean(error, token), {
    recovery: clean(typeof recovery === 'string' ? recovery : 'Call again later.', token),
    details: facts,
  })
}

/** Returns a text of others as it may be shown, without the token and of bounded length. */
function clean(text: string, token: string): string {
  return shown(text.slice(0, 4_000).replaceAll(token, '…'))
}
