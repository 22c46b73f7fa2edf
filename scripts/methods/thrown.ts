import type { ErrorCode } from '../../src/errors.ts'
import { ownerArguments } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'

/** Codes that every call may be refused with. */
const ALWAYS = ['INVALID_INPUT', 'LIMIT_EXCEEDED', 'CANCELLED', 'CLOSED'] as const

/** When a call is refused with a code that a record names, or that follows from it. */
const WHEN = {
  NOT_FOUND: 'if there is nothing of the name or id given',
  AMBIGUOUS_ID: 'if more than one id begins with a prefix given',
  WRONG_STATUS: 'if the status of what is named does not allow it',
  PROTECTED: 'if it would touch a principle, or give a tag that needs an act of its own',
  FRAME_IN_TEXT: 'if a text holds what a recall showed, and new words besides',
  SECRET_REFUSED: 'if the input holds a secret and `memory.secrets` is `refuse`',
  CONFLICT: 'if something later rests on it',
  SELF_LOOP: 'if both ends are one block',
  EDGE_EXISTS: 'if the two are joined already and `ifExists` is `error`',
  RELATION_CONFLICT: 'if the two are joined by another relation and `ifExists` is `reinforce`',
  OUT_OF_SCOPE: 'if the memory was opened for one scope, and it asks for another one or for the whole file',
  EMBEDDER_FAILED: 'if a text cannot be embedded',
  EMBEDDER_MISMATCH: 'if the vectors kept are of another model than the embedder',
  STORE_BUSY: 'if somebody else changed the same at the same time',
  STORE_TOO_NEW: 'if a later version of elfmem wrote it',
} as const satisfies Partial<Record<ErrorCode, string>>

/** The errors of a method: those of its record, those that follow from it, and those of every call. */
export function thrownBy(operation: Operation): readonly string[] {
  const codes = new Set([...(operation.refuses ?? []), ...following(operation)])
  const own = [...codes].map((code) => `{ElfmemError} \`${code}\` ${whenOf(operation, code)}`)
  const always = ALWAYS.map((code) => `\`${code}\``).join(', ')
  return [...own, `{ElfmemError} as every call: ${always} and, for the file, \`STORE_…\``]
}

function following({ needs, effect, keepsInput, input, ...rest }: Operation): readonly ErrorCode[] {
  const isForAll =
    needs === 'reader' && Object.keys({ ...ownerArguments(rest), ...rest.forReader }).length === 0
  return [
    ...(isForAll ? [] : (['OWNER_ONLY'] as const)),
    ...('scope' in input.shape ? (['OUT_OF_SCOPE'] as const) : []),
    ...(effect !== 'read' && keepsInput !== false ? (['SECRET_REFUSED'] as const) : []),
  ]
}

function whenOf(operation: Operation, code: ErrorCode): string {
  if (code === 'OWNER_ONLY') return ownersWords(operation)
  if (code in WHEN) return WHEN[code as keyof typeof WHEN]
  throw new Error(`${operation.name}: say in scripts/methods/thrown.ts when a call is refused with ${code}`)
}

function ownersWords(operation: Operation): string {
  if (operation.needs === 'owner') return "if the memory was not opened with `as: 'owner'`"
  const names = Object.keys(ownerArguments(operation)).map((name) => `\`${name}\``)
  const parts = [
    ...(operation.needs === 'agent' ? ['a reader calls it'] : []),
    ...Object.entries(operation.forReader ?? {}).map(
      ([name, value]) => `a reader passes \`${name}: ${!value}\``,
    ),
    ...(names.length > 0 ? [`an agent passes what is the owner's in ${names.join(' or ')}`] : []),
    ...(operation.refuses?.includes('OWNER_ONLY') ? ["an agent would change what is the owner's"] : []),
  ]
  return `if ${parts.join(', or ')}`
}
