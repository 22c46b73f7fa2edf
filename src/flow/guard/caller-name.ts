import { normalised } from '../../domain/text/normalised.ts'

/** A name that a caller gave itself, as the log has it; `callerName` alone makes some. */
export type CallerName = string & { readonly [spelled]: true }
declare const spelled: unique symbol

/** Units of a name that are looked through; what is kept lies far before their end. */
const LOOKED_AT = 8_192
/** Signs of a name that are kept. */
const NAME_MAX = 64
/** Digits of the hash that stands for the rest: nobody finds a second name for them by trying. */
const HASH_DIGITS = 32
/** No rule finds a secret in so little, or in one plain word. */
const HARMLESS = /^(?:.{0,7}|[A-Za-z]{1,24})$/s

/**
 * A name as the log has it, without what looks like a secret. Two names stay two: letters and digits of any script stay,
 * a blank is a plus, every other sign becomes its number, and behind a name that is cut stands a hash of the whole. Neither a colon nor a
 * blank is left, so that no name says more than a name.
 */
export async function callerName(name: string): Promise<CallerName> {
  const kept = await withoutSecrets(name)
  const whole = normalised(kept, 'NFC')
  const signs = [...whole.toWellFormed()].slice(0, NAME_MAX + 1)
  const isWhole = signs.length <= NAME_MAX && whole.isWellFormed()
  const said = signs.slice(0, NAME_MAX).map(spelledSign).join('')
  return (isWhole ? said : `${said}~~${await hashOf(whole)}`) as CallerName
}

function spelledSign(sign: string): string {
  if (sign === ' ') return '+'
  return /[\p{L}\p{N}\p{M}_.-]/u.test(sign) ? sign : `~${sign.codePointAt(0)?.toString(16)}~`
}

async function withoutSecrets(name: string): Promise<string> {
  if (HARMLESS.test(name)) return name
  const { redactSecrets } = await import('../../domain/safety/secrets/secrets.ts')
  return redactSecrets(name.slice(0, LOOKED_AT)).text + name.slice(LOOKED_AT)
}

/** Of the units of the text, so that halves of characters count, too. */
async function hashOf(text: string): Promise<string> {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', units))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, HASH_DIGITS)
}
