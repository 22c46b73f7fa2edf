import { ElfmemError, type ErrorCode } from '../errors.ts'
import { bounded, harmless, shortened } from '../operations/wording.ts'
import type { Prose } from './prose.ts'

/** The one shape of a failure on every wire. */
export interface Failure {
  readonly error: string
  /** `UNEXPECTED` is a fault of elfmem itself. */
  readonly code: ErrorCode | 'UNEXPECTED'
  readonly recovery: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Lists of names and sentences in the details of a failure. */
const SPELLED = ['operation', 'arguments', 'issues']

/** Returns the failure for a caller of a surface; a program reads it in the words of the library. */
export function failureOf(cause: unknown, prose: Prose = (text) => text): Failure {
  if (!ElfmemError.is(cause)) return unexpected(cause)
  const { code, message, recovery, details } = bounded(cause)
  const say = (text: string) => harmless(prose(text))
  const told = Object.entries(details).map(([key, value]) => [
    key,
    SPELLED.includes(key) ? eachText(value, say) : value,
  ])
  const said = { error: say(message), code, recovery: say(recovery) }
  return told.length === 0 ? said : { ...said, details: Object.fromEntries(told) }
}

function unexpected(cause: unknown): Failure {
  if (cause instanceof Error && cause.name === 'AbortError')
    return { error: 'It was cancelled.', code: 'CANCELLED', recovery: 'Begin again when you like.' }
  const message = cause instanceof Error ? cause.message : String(cause)
  return {
    error: harmless(shortened(`elfmem failed in a way it should not: ${message}`, 500)),
    code: 'UNEXPECTED',
    recovery: 'Please report it, with what you called and the version.',
  }
}

/** Returns a value with each of its texts rewritten. */
function eachText(value: unknown, say: Prose): unknown {
  if (typeof value === 'string') return say(value)
  if (Array.isArray(value)) return value.map((each) => eachText(each, say))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, eachText(each, say)]))
}
