import { wordSet } from '../block/text.ts'

/** A part of a text, in UTF-16 units; the end is behind its last one. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Begins the mark that took a secret's place: `[redacted: GitHub token]`. */
export const REDACTED = '[redacted: '

/** A rule that finds one kind of secret. */
export interface SecretRule {
  readonly kind: string
  /** Lower case, three UTF-16 units or more. A text without any of them is not looked at. */
  readonly keywords: readonly string[]
  /** Finds the secrets at a keyword that begins at `at`, whatever its case. Looks at a bounded part of the text around it. */
  readonly find: (text: string, at: number, length: number) => readonly Span[]
  /** True if the value alone says little: its name or its place makes it a secret. */
  readonly isGuess?: true
}

/** Fewest bits a character of a key; below it a value is a word or a row of the same sign. */
const KEY_BITS = 3

/** True if a value that a name of keys stands before is a key: letters and digits in no order. */
export function isKey(value: string): boolean {
  if (isPlaceholder(value) || isReference(value) || isPublicKey(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && bitsPerCharacter(value) >= KEY_BITS
}

/** True if a value begins as the DER of a public key of Ed25519, EC or RSA does in base64, or that of OpenSSH. */
function isPublicKey(value: string): boolean {
  return /^(?:MCo[A-Za-z0-9+/]{2}QYDK2V|MFkwEwYHKoZIzj0|MHYwEAYHKoZIzj0|MI[A-Za-z0-9+/]{2,6}ANBgkqhkiG9w0BAQEFAAO|MIGfMA0GCSqGSIb3DQEB|AAAA[BCE]3NzaC1)/.test(
    value,
  )
}

/** True if a value is a key where its name is a common word: letters of both cases and digits that look random. */
function isRandomKey(value: string): boolean {
  return isKey(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && bitsPerCharacter(value) >= 3.5
}

/** True if a value assigned to a password is one. Words alone are none: too much prose says "password: optional". */
function isPassword(value: string): boolean {
  if (isPlaceholder(value) || isReference(value) || isDate(value)) return false
  if (/^\d+$/.test(value)) return true
  return /\p{L}/u.test(value) && /[\d!#%&*+?@^~|\\$]/.test(value.slice(0, -1)) && bitsPerCharacter(value) >= 2
}

/** True if a quoted value of a setting is a password, words too: code says there what it is. */
export function isQuotedPassword(value: string): boolean {
  if (isPassword(value)) return !/[<>{}]/.test(value)
  return /^[\p{L}\d_-]{5,64}$/u.test(value) && isWordPassword(value)
}

/** True if a value where nothing but a password can stand is one: neither a placeholder nor what describes one. */
function isWordPassword(value: string): boolean {
  if (isPlaceholder(value) || isReference(value) || /^-/.test(value)) return false
  return /[\p{L}\d]/u.test(value) && !DESCRIBED.has(value.toLowerCase().replace(/[.!?]$/, ''))
}

/** Words that are said of a password, or written in its place in a schema or a form. */
const DESCRIBED: ReadonlySet<string> = wordSet(
  'required optional string text number boolean null none nil true false undefined hidden secret password passwd pass ' +
    'passphrase token incorrect wrong invalid weak strong strict empty missing unknown expired changed reset correct ' +
    'valid encrypted hashed plain plaintext input field varchar integer object array any void never default value ' +
    'private public forgotten stored salted rotated shared protected disabled enabled redacted removed omitted masked ' +
    'username user email login newpassword oldpassword currentpassword confirmpassword password_hash hash key keys ' +
    'submit button label name type bytes char uuid date prompt stdin file env vault keychain bcrypt argon2 scrypt ' +
    'sha256 sha512 md5 pbkdf2 base64 option options flag flags argument parameter and or the for is are not to from with ' +
    'erforderlich falsch ungültig geheim requerida incorrecta requis incorrect obligatoire richiesta obrigatória vereist',
)

const UNIT =
  /^[<>~≥≤]?\d{1,5}[-–+]?(?:\d{1,5}[-–+]?)?(?:characters?|chars?|bits?|bytes?|days?|hours?|minutes?|seconds?|weeks?|months?|years?|digits?|letters?|words?|times|users?|people|zeichen|stellig\p{L}{0,2}|tagen?|stunden|caracteres|caractères|caratteri|tekens|дн\p{L}{1,3}|st|nd|rd|th|am|pm|px|kb|mb|gb|ms|min|k|m|h|d|s|x|%)?(?:-\p{L}{1,12}){0,2}$/iu

const TECHNICAL =
  /^(?:sha|md|aes|rsa|utf|iso|base|bcrypt|argon|pbkdf|oauth|tls|ssl|http|ipv|win|windows|python|node|v|rfc|nist|fips|pkcs|version|step|section|table|figure|room|level|q|h|p|s|l|b|k)[-_.]?\d[\d.]{0,11}(?:-\p{L}{1,12}|id|ids)?$/iu

/** True if a word of prose that is said to be the password is one, rather than what is said about it. */
export function isSaidPassword(value: string): boolean {
  const bare = value.replace(/[!?.]{1,3}$/, '')
  if (value.length < 5 || isPlaceholder(value) || isReference(value) || isDate(value)) return false
  if (UNIT.test(bare) || TECHNICAL.test(bare) || isAddress(bare) || bitsPerCharacter(value) < 2) return false
  if (DESCRIBED.has(bare.toLowerCase())) return false
  const hasLetter = /\p{L}/u.test(bare)
  if (/\d/.test(bare)) return hasLetter ? value.length >= 6 : false
  return hasLetter && (/[\p{L}][!#$%^&*+=~|\\@][\p{L}]/u.test(bare) || isFourWords(bare))
}

/** True for four words or more of three letters or more: not for "up-to-date" or "state-of-the-art". */
function isFourWords(value: string): boolean {
  return /^\p{L}{3,20}(?:[-_.]\p{L}{3,20}){3,7}$/u.test(value)
}

function isAddress(value: string): boolean {
  return (
    /^[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}$/.test(value) || /^\w{1,40}(?:\.\w{1,10}){1,3}$/.test(value)
  )
}

/** True for what stands in the place of a secret: a mark, a variable, an example. */
function isPlaceholder(value: string): boolean {
  return (
    /^(?:<|\{\{?|\$[({]|\$[A-Za-z_]\w{0,63}$|%\w{1,64}%|@\w{1,32}@$|[*•.x_·●-]{1,512}$|\[)/i.test(value) ||
    value.includes('[redacted') ||
    /^(?:your|my[_-]|some[_-]|example|placeholder|change[_-]?me|xxx|todo|insert|replace|dummy|sample|env[.:(])/i.test(
      value,
    )
  )
}

/** True if a value is code, a path or an address, which say where a secret is and are none. */
export function isReference(value: string): boolean {
  return (
    /^[\w$.?!]{1,128}[([]/.test(value) ||
    /^[A-Za-z_$][A-Za-z_$]{0,64}(?:\??\.[A-Za-z_$][\w$]{0,64}){1,12}\)?$/.test(value) ||
    /^(?:[A-Za-z]:\\|(?:~|\.{1,2})?\/[\w.@-]{1,24}(?:\/[\w.@-]{1,40}){1,32}$)/.test(value) ||
    /^[\w.@-]{1,40}(?:\/[\w.@-]{1,40}){1,12}\.\w{1,5}$/.test(value) ||
    // A form has such rules: "required|min:12".
    /^[a-z_]{2,24}(?::[\w.,-]{1,32})?(?:\|[a-z_]{2,24}(?::[\w.,-]{1,32})?){1,8}$/i.test(value) ||
    /^0x[0-9a-f]{1,8}$/i.test(value) ||
    /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|arn:|urn:|sha\d{1,3}[:-]|op:\/\/)/i.test(value) ||
    /^_{0,2}[A-Z][A-Z0-9]{0,64}(?:_[A-Z0-9]{1,64}){1,12}$/.test(value)
  )
}

function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}/.test(value)
}

/** Returns Shannon's entropy of the signs of a text, in bits. */
function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, n) => bits - (n / value.length) * Math.log2(n / value.length), 0)
}

/** True if a number has an issuer's beginning and length, and the check digit of ISO/IEC 7812. */
function isCardNumber(value: string): boolean {
  const digits = value.replaceAll(/[ -]/g, '')
  if (!/^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/.test(digits)) return false
  if (new Set(digits).size < 4) return false
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** The conditions on a secret that `rules.json` names. */
export const TESTS: Readonly<Record<string, (value: string) => boolean>> = {
  cardNumber: isCardNumber,
  key: isKey,
  password: isPassword,
  placeholder: isPlaceholder,
  quotedPassword: isQuotedPassword,
  randomKey: isRandomKey,
  wordPassword: isWordPassword,
  anyPassword: (value) => isKey(value) || isSaidPassword(value) || isPassword(value),
  // Code puts such a value together, or reads it from elsewhere.
  template: (value) => /[$#%@]\{|\{\{|%\(|\$\(|<%/.test(value),
}
