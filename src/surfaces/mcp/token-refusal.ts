import { ElfmemError } from '../../errors.ts'

/** The part of a holder of a token that a refusal may tell. */
interface Refused {
  readonly scope?: string | undefined
}

/**
 * Returns a refusal in the words for the holder of a token: what it lacks the owner gives with another token, not by starting the
 * server anew. It names no scope but the token's own. Anything else is returned as it is.
 */
export function tokenRefusal(cause: unknown, { scope: own }: Refused): unknown {
  if (!ElfmemError.is(cause)) return cause
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
