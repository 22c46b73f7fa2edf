import type { ErrorCode } from '../../src/errors.ts'
import { ownerArguments } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'

/** Codes that every call may be refused with. */
const ALWAYS = ['INVALID_INPUT', 'LIMIT_EXCEEDED', 'CANCELLED', 'CLOSED'] as const

/** The errors of a method: those of its record, those that follow from it, and those of every call. */
export function thrownBy(operation: Operation): readonly string[] {
  const own = followingFrom(operation).map(([code, when]) => `{ElfmemError} \`${code}\` ${when}`)
  const always = ALWAYS.map((code) => `\`${code}\``).join(', ')
  return [...own, `{ElfmemError} as every call: ${always} and, for the file, \`STORE_…\``]
}

function followingFrom(operation: Operation): readonly (readonly [ErrorCode, string])[] {
  const { needs, effect, keepsInput } = operation
  const found: (readonly [ErrorCode, string])[] = []
  if (needs === 'owner') found.push(['OWNER_ONLY', "if the memory was not opened with `as: 'owner'`"])
  else {
    const names = Object.keys(ownerArguments(operation)).map((name) => `\`${name}\``)
    const parts = [
      ...(needs === 'agent' ? ['a reader calls it'] : []),
      ...(names.length > 0 ? [`an agent passes what is the owner's in ${names.join(' or ')}`] : []),
    ]
    if (parts.length > 0) found.push(['OWNER_ONLY', `if ${parts.join(', or ')}`])
  }
  if (effect !== 'read' && keepsInput !== false)
    found.push(['SECRET_REFUSED', 'if the input holds a secret and `memory.secrets` is `refuse`'])
  return found
}
