import { ElfmemError } from '../errors.ts'
import { codePointLength } from './text.ts'

/** Longest scope, in code points. */
export const SCOPE_LENGTH_MAX = 128

/** Control and format characters, halves of characters, and every kind of space. */
const UNFIT = /[\p{C}\p{Z}]/u

/** The rule for a scope, for messages. */
export const SCOPE_RULE = `1 to ${SCOPE_LENGTH_MAX} characters without spaces, such as project-a or github.com/x/y`

/**
 * The one spelling of a scope: ends trimmed, composed (NFC). Case counts, because ids of users and conversations differ
 * by it and two scopes must never become one.
 */
export function spellScope(scope: string): string {
  const trimmed = scope.trim()
  // What is longer is too long in any spelling: no sign is composed of more than four.
  return codePointLength(trimmed) > 4 * SCOPE_LENGTH_MAX ? trimmed : trimmed.normalize('NFC')
}

/** True if a scope in its one spelling can be kept. */
export function isScope(scope: string): boolean {
  return scope !== '' && codePointLength(scope) <= SCOPE_LENGTH_MAX && !UNFIT.test(scope)
}

/** Throws `OUT_OF_SCOPE` unless what is bound to one scope is asked for the same. */
export function mustBeSameScope(bound: string, asked: string): void {
  if (asked === bound) return
  throw new ElfmemError('OUT_OF_SCOPE', `This memory was opened for the scope ${bound} alone.`, {
    recovery: 'Leave scope out, or open the memory for the other scope or for none.',
    details: { scope: bound, asked },
  })
}

/** The scope in its one spelling; throws `INVALID_INPUT` when it is none. */
export function normaliseScope(scope: string): string {
  const spelled = spellScope(scope)
  if (isScope(spelled)) return spelled
  throw new ElfmemError('INVALID_INPUT', `${JSON.stringify(scope)} is no scope.`, {
    recovery: `A scope has ${SCOPE_RULE}.`,
    details: { scope },
  })
}
