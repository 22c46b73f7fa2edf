import type { SecretPattern } from './pattern.ts'

/** Names a value is called by when it is a key; a path or a count of tokens has other endings. */
const KEY_NAME =
  '(?:api|access|private|secret|account|encryption|signing|auth|master|service|client|webhook|shared)[ _.-]?key|secret|token|credential|api[_-]?token'
const PASSWORD_NAME = 'password|passwd|passphrase|passwort|pwd|(?<=[_.-])pass|(?<![A-Za-z0-9])pass(?==)'
const NAME_ENDING = '(?:[_.-]?(?:key|base|value|string|prod|dev|staging|test|\\d{1,4})){0,2}'
const ASSIGNS = '\\\\?["\'`]?(?:\\s{0,8}(?:=>|:=|={1,2}|:)\\s{0,8}|>(?!@))\\\\?["\'`]?'
const VALUE = '[^\\s"\'`,;<>]'

/** Secrets that nothing but their place betrays; tried last, on what the shapes left. */
export const ASSIGNED_PATTERNS: readonly SecretPattern[] = [
  {
    kind: 'connection string password',
    shape:
      /(?<before>\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|neo4j|nats|ldaps?|smtps?)(?:\+\w{1,16})?:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,200}(?=@)/gi,
    holds: '@',
    accepts: (value) => !isPlaceholder(value),
  },
  {
    kind: 'password in a URL',
    shape: /(?<before>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,100}:)[^\s@/]{1,200}(?=@)/gi,
    holds: '@',
    accepts: (value) => !isPlaceholder(value),
  },
  {
    kind: 'connection string password',
    shape: /(?<before>[;?&]\s{0,2}(?:password|pwd)=)[^\s;&"'<>]{1,128}/gi,
    accepts: (value) => !isPlaceholder(value),
  },
  {
    kind: 'password',
    // Bounded: no place is looked at for more than 120 + 64 + 128 signs.
    shape: /(?<before>\bcurl\b[^\n]{0,120}?\s(?:-u|--user)[ =]["']?[\w.@-]{1,64}:)[^\s"']{4,128}/g,
    accepts: (value) => !isPlaceholder(value),
  },
  {
    kind: 'password',
    shape: new RegExp(`(?<before>(?:${PASSWORD_NAME})${NAME_ENDING}${ASSIGNS})${VALUE}{6,128}`, 'gi'),
    accepts: isPassword,
  },
  {
    kind: 'password',
    shape:
      /(?<before>\b(?:password|passphrase|passwort)\s{1,4}(?:is|was|ist|to|lautet)\s{1,4}["'`]?)[^\s"'`,;<>]{8,128}/gi,
    accepts: (value) => isPassword(value) && /\d/.test(value) && /[A-Za-z]/.test(value),
  },
  {
    kind: 'secret',
    shape: new RegExp(`(?<before>(?:${KEY_NAME})${NAME_ENDING}${ASSIGNS})${VALUE}{12,512}`, 'gi'),
    accepts: isKey,
  },
  {
    kind: 'secret',
    shape: /(?<before>\s--(?:password|token|secret|api-key)\s{1,4}["']?)[^\s"'`,;<>]{8,512}/g,
    accepts: (value) => isKey(value) || (isPassword(value) && /\d/.test(value)),
  },
  {
    kind: 'card number',
    shape: /(?<![\w.,+-])(?:\d{15,16}|(?:\d{4}[ -]){3}\d{4}|\d{4}[ -]\d{6}[ -]\d{5})(?![\w-])/g,
    accepts: isCardNumber,
  },
]

/** Bits a character below which a value is a word or a row of the same sign. */
const KEY_BITS = 3

function isKey(value: string): boolean {
  if (isPlaceholder(value) || isReference(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && bitsPerCharacter(value) >= KEY_BITS
}

/** Words alone are no password here: too much prose says "password: optional". */
function isPassword(value: string): boolean {
  if (isPlaceholder(value) || isReference(value) || isDate(value)) return false
  if (/^\d+$/.test(value)) return true
  return /[A-Za-z]/.test(value) && /[\d!#%&*+?@^~|\\$]/.test(value) && bitsPerCharacter(value) >= 2
}

function isPlaceholder(value: string): boolean {
  return (
    /^(?:\[redacted|<|\{\{?|\$[({]|\$[A-Za-z_]\w*$|%\w+%|[*•.x_-]+$)/i.test(value) ||
    /^(?:your|my|some|example|placeholder|changeme|xxx|todo|env[.:(])/i.test(value)
  )
}

/** Code, paths and addresses say where a secret is and are none. */
function isReference(value: string): boolean {
  return (
    /^[\w$.?!]+[([]/.test(value) ||
    /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][\w$]*)+\)?$/.test(value) ||
    /^(?:[A-Za-z]:\\|(?:~|\.{1,2})?\/[\w.@-]{1,24}(?:\/[\w.@-]{1,40})+$)/.test(value) ||
    /^0x[0-9a-f]{1,8}$/i.test(value) ||
    /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|arn:|urn:|sha\d{1,3}[:-])/i.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)
  )
}

function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}/.test(value)
}

function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, n) => bits - (n / value.length) * Math.log2(n / value.length), 0)
}

/** Issuers' beginnings and lengths, and the check digit of ISO/IEC 7812. */
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
