import { ElfmemError } from '../../errors.ts'
import { AS_OWNER } from '../../intake/check-input.ts'

/** The part of a holder of a token that a refusal may tell. */
interface Refused {
  readonly scope?: string | undefined
}

/**
 * Returns a refusal in the words for the holder of a token: what it lacks the owner gives with another token, not by starting the
 * server anew. It names no scope but the token's own, and does not say where on the server's machine the memory is. What is no error of
 * elfmem is returned as it is.
 */
export function tokenRefusal(cause: unknown, holder: Refused): unknown {
  if (!ElfmemError.is(cause)) return cause
  const { code, message, recovery, details } = inItsWords(cause, holder)
  // The command of the owner names the memory's place, too.
  const { call: _call, location: _location, ...facts }: Readonly<Record<string, unknown>> = { ...details }
  const asOwner = recovery.replace(AS_OWNER, 'The owner calls it with a token of its own.')
  return new ElfmemError(code, message, { recovery: asOwner, details: facts, cause } as never)
}

function inItsWords(cause: ElfmemError, { scope: own }: Refused): ElfmemError {
  const { code, message } = cause
  // No set has a tool of the others.
  if (code === 'TOOL_NOT_LISTED' && cause.recovery.includes('serve --tools'))
    return new ElfmemError(code, message, {
      recovery: `Nothing was done. ${gives('with this tool', '--tools all')} ${NO_MORE}`,
      details: cause.details,
    })
  if (code === 'OWNER_ONLY' && cause.details.needs === 'agent')
    return new ElfmemError(code, message, {
      recovery: `A reader only looks, as with recall(). ${gives('that may write', '--as agent')} ${NO_MORE}`,
      details: cause.details,
    })
  if (code !== 'OUT_OF_SCOPE') return cause
  const { scope, asked } = cause.details
  const isOwn = own === undefined || scope === own
  return new ElfmemError(code, isOwn ? message : 'The scope of this token is not served here.', {
    recovery: isOwn
      ? `${asked === undefined ? '' : 'Leave scope out. '}${gives('of another scope', '--scope SCOPE')}`
      : gives('without a scope of its own', ''),
    details: isOwn ? cause.details : { scope: own ?? '' },
  })
}

const NO_MORE = 'It does no more than its server was started for.'

function gives(what: string, flags: string): string {
  return `The owner can give a token ${what}: elfmem tokens add --name NAME${flags && ` ${flags}`}.`
}
