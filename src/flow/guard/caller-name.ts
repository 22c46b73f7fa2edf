import { normalised } from '../../domain/text/text.ts'

/** A name that a caller gave itself, as the log has it; `callerName` alone makes some. */
export type CallerName = string & { readonly [spelled]: true }
declare const spelled: unique symbol

/** Units of a name that are looked through; what is kept lies far before their end. */
const LOOKED_AT = 8_192
/** Signs of a name that are kept. */
const NAME_MAX = 64
/** Digits of the hash that stands for the rest: nobody finds a second name for them by trying. */
const HASH_DIGITS = 32
/** Turns of the slow hash: some hundredths of a second, for a name with a secret alone. */
const SLOW_TURNS = 100_000
/** One for all, since a name is the same caller tomorrow. */
const SALT = new TextEncoder().encode('elfmem caller')
/** No rule finds a secret in so little, or in one plain word. */
const HARMLESS = /^(?:.{0,7}|[A-Za-z]{1,24})$/s

/**
 * A name as the log has it, without what looks like a secret. Two names stay two: letters and digits of any script stay,
 * a blank is a plus, every other sign becomes its number, and behind a name that is cut or lost a secret stands a hash of
 * the whole. Neither a colon nor a blank is left, so that no name says more than a name.
 */
export async function callerName(name: string): Promise<CallerName> {
  const whole = normalised(name, 'NFC')
  const kept = await withoutSecrets(whole)
  const signs = [...kept.toWellFormed()].slice(0, NAME_MAX + 1)
  const said = signs.slice(0, NAME_MAX).map(spelledSign).join('')
  if (kept !== whole) return `${said}~~${await slowHashOf(whole)}` as CallerName
  const isWhole = signs.length <= NAME_MAX && whole.isWellFormed()
  return (isWhole ? said : `${said}~~${await hashOf(whole)}`) as CallerName
}

function spelledSign(sign: string): string {
  if (sign === ' ') return '+'
  return /[\p{L}\p{N}\p{M}_.-]/u.test(sign) ? sign : `~${sign.codePointAt(0)?.toString(16)}~`
}

async function withoutSecrets(name: string): Promise<string> {
  if (HARMLESS.test(name)) return name
  const { redactSecrets } = await import('../../secrets/secrets.ts')
  return redactSecrets(name.slice(0, LOOKED_AT)).text + name.slice(LOOKED_AT)
}

async function hashOf(text: string): Promise<string> {
  return digitsOf(await crypto.subtle.digest('SHA-256', unitsOf(text)))
}

/** A hash that takes long, so that a password in a name is not found by trying many. */
async function slowHashOf(text: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', unitsOf(text), 'PBKDF2', false, ['deriveBits'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: SALT, iterations: SLOW_TURNS }
  return digitsOf(await crypto.subtle.deriveBits(how, key, HASH_DIGITS * 4))
}

/** Units of the text, so that halves of characters count, too. */
function unitsOf(text: string): Uint16Array<ArrayBuffer> {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

function digitsOf(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, HASH_DIGITS)
}
