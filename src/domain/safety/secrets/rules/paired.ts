import { PASSWORD_NAMES } from '../prose/names.ts'
import { type SecretRule, type Span, shaped } from '../rule.ts'
import { isKey, isPassword, isPlaceholder, isRandomKey, isSaidPassword, isWordPassword } from '../values.ts'

const NAMES = PASSWORD_NAMES.filter((name) => /^[\p{L}\p{M}' -]+$/u.test(name) && name.length > 3)
const NAME = NAMES.map((name) => name.replace(/[ -]/g, '[ _-]?')).join('|')
const NAME_WORDS = NAMES.map((name) => name.toLowerCase())

const FIELD = '["\'`]?\\s{0,4}[:=]\\s{0,4}["\'`]?'
const VALUE_FIELD = `["'\`]?(?:value|val|default|content)${FIELD}`
/** Up to two fields between a name and its value. */
const BETWEEN =
  '["\'`]?\\s{0,4},?\\s{1,40}(?:["\']?[\\w-]{1,24}["\']?\\s{0,4}[:=]\\s{0,4}["\']?[\\w.-]{1,40}["\']?\\s{0,4},?\\s{0,40}){0,2}?'
const SAME_LINE = '["\'`]\\s{0,4},\\s{0,4}'

function isSecretValue(value: string): boolean {
  return isKey(value) || (isPassword(value) && /\p{L}/u.test(value) && /\d/.test(value))
}

/** Passwords and keys whose name stands in one place and whose value in the next: pairs, cells, headings, files of keys. */
export const PAIRED_RULES: readonly SecretRule[] = [
  // NAME_OF_A_KEY and behind a blank the key.
  shaped(
    'secret',
    /(?<before>(?<![A-Za-z0-9_])[A-Z][A-Z0-9]{0,24}(?:_[A-Z0-9]{1,24}){0,5}_(?:KEY|TOKEN|SECRET|PAT)[ \t]{1,4}["'`]?)[\w+/=.~-]{16,512}(?![\w+/=.~-])/y,
    {
      keywords: ['_key ', '_token ', '_secret ', '_pat ', '_key\t', '_token\t', '_secret\t'],
      lead: [/\w/, 100],
      accepts: (value) => isKey(value) && !/^[a-z]+(?:-[a-z0-9]+)*\.?$/.test(value),
      isGuess: true,
    },
  ),
  // A file of a key, and what is in it.
  shaped(
    'secret',
    /(?<before>\.(?:key|token|secret|pwd|pass)["'`)]{0,2}\s{1,2}(?:contains|holds|has|reads|says|is|was|enthält|=|->|→)\s{1,2}["'`]?)[\w+/=-]{16,512}(?![\w+/=-])/iy,
    { keywords: ['.key', '.token', '.secret', '.pwd', '.pass'], accepts: isKey, isGuess: true },
  ),
  shaped(
    'secret',
    /(?<before>(?<![\w-])x-(?:[a-z0-9]{1,16}-){0,3}(?:access|auth|authorization|key|apikey|token|secret|session|credential)(?:-[a-z]{1,12}){0,2}["'`]?\s{0,2}:\s{0,4}["'`]?)[\w+/=.~-]{16,2000}/iy,
    {
      keywords: ['-access', '-auth', '-key', '-apikey', '-token', '-secret', '-session', '-credential'],
      lead: [/[\w-]/, 64],
      accepts: isKey,
      isGuess: true,
    },
  ),
  shaped(
    'connection string password',
    /(?<before>(?<![\w.-])(?:pwd|password)=)[^\s;&"'<>]{1,128}(?=;\s?[a-z][\w ]{1,24}=)/iy,
    {
      keywords: ['pwd=', 'password='],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  // A user and a password on one line.
  shaped(
    'password',
    /(?<before>\b(?:user(?:[ _-]?name)?|login|uid|account|email)\s{0,2}[:=]\s{0,2}[^\s,;|]{1,64}(?:[ \t]{0,4}[,;/|])?[ \t]{1,4}(?:pass(?:word|wd|phrase)?|pwd|pw)\s{0,2}[:=]\s{0,2}["'`]?)[^\s"'`,;]{4,128}/iy,
    {
      keywords: ['user', 'login', 'uid', 'account', 'email'],
      accepts: (value) => isSaidPassword(value) || isPassword(value),
      isGuess: true,
    },
  ),
  shaped(
    'password',
    /(?<before>(?<![\w.:/@-])[a-z_][\w.-]{0,31}:)[^\s:@/"'`]{5,128}(?=@(?:\d{1,3}(?:\.\d{1,3}){3}|localhost)(?![\w.]))/iy,
    {
      keywords: ['@localhost', ...Array.from({ length: 90 }, (_, at) => `@${at + 10}`)],
      lead: [/[^\s"'`(<]/, 162],
      accepts: (value) => isSaidPassword(value) || isPassword(value),
      isGuess: true,
    },
  ),
  // The cell, the definition or the emphasis that names it, and the next one.
  shaped(
    'password',
    new RegExp(
      `(?<before>(?:${NAME})[^<>\\n]{0,16}(?:</(?:th|td|dt|b|strong|label|span|em|i)>){1,3}:?\\s{0,32}(?:<(?!input|th\\b)[a-z]\\w{0,11}[^<>]{0,80}>\\s{0,16}){0,3})[^<>\\s"']{4,128}(?=\\s{0,8}<)`,
      'iy',
    ),
    {
      keywords: NAME_WORDS,
      accepts: (value) => isWordPassword(value) && /[\p{L}\d]{4}/u.test(value),
      isGuess: true,
    },
  ),
  // {"name": "DB_PASSWORD", "value": "…"}, as environments and parameters are written.
  shaped(
    'password',
    new RegExp(
      `(?<before>(?:password|passwd|passphrase|pwd)(?:${SAME_LINE}|${BETWEEN})${VALUE_FIELD})[^\\s"'\`,}]{3,256}`,
      'iy',
    ),
    { keywords: ['password', 'passwd', 'passphrase', 'pwd'], accepts: isWordPassword, isGuess: true },
  ),
  shaped(
    'secret',
    new RegExp(
      `(?<before>(?:token|secret|api[_-]?key|credential)(?:${SAME_LINE}|${BETWEEN})${VALUE_FIELD})[^\\s"'\`,}]{6,512}`,
      'iy',
    ),
    {
      keywords: ['token', 'secret', 'apikey', 'api_key', 'api-key', 'credential'],
      accepts: isSecretValue,
      isGuess: true,
    },
  ),
  shaped(
    'password',
    /(?<before>["']value["']\s{0,4}:\s{0,4}["'])[^"'\n]{3,256}(?=["']\s{0,4},\s{0,40}["'](?:name|key|id)["']\s{0,4}:\s{0,4}["'][\w.-]{0,40}(?:password|passwd|pwd|passphrase)[\w.-]{0,16}["'])/iy,
    { keywords: ['"value"', "'value'"], accepts: isWordPassword, isGuess: true },
  ),
  shaped(
    'password',
    /(?<before>\bvariable\s{1,4}"[\w-]{0,48}(?:password|passwd|passphrase|pwd)"\s{1,4}\{[^{}]{0,400}?\bdefault\s{0,16}=\s{0,4}")[^"\n]{3,256}(?=")/iy,
    { keywords: ['variable'], accepts: isWordPassword },
  ),
  shaped(
    'secret',
    /(?<before>\bvariable\s{1,4}"[\w-]{0,48}(?:token|secret|key)"\s{1,4}\{[^{}]{0,400}?\bdefault\s{0,16}=\s{0,4}")[^"\n]{8,512}(?=")/iy,
    { keywords: ['variable'], accepts: isSecretValue },
  ),
  // Nothing else is 51 or 52 signs of this alphabet and begins so (Bitcoin, "Wallet import format").
  shaped(
    'wallet private key',
    /(?<![A-Za-z0-9+/_-])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|(?:K[w-z]|L[1-5])[1-9A-HJ-NP-Za-km-z]{50})(?![A-Za-z0-9+/_=-])/y,
    { keywords: wifBeginnings(), accepts: isRandomKey },
  ),
  headed(),
]

function wifBeginnings(): string[] {
  const third = '123456789abcdefghijklmnopqrstuvwxyz'
  return [...'5h 5j 5k kw kx ky kz l1 l2 l3 l4 l5'.split(' ')].flatMap((begin) =>
    Array.from(third, (sign) => begin + sign),
  )
}

/** UTF-16 units before the name in a heading. */
const LONGEST_HEADING = 80

/** A heading of a page, or a line in bold, that names a password; the line below it that is one word is it. */
function headed(): SecretRule {
  const below =
    /[^\n]{0,48}\n(?:[ \t]{0,8}\n){0,2}(?:[ \t]{0,8}```\w{0,12}\n)?(?:>[ \t])?[ \t]{0,8}["'`]?(?<value>[^\s"'`]{5,128})["'`]?[ \t]{0,8}(?=\n|$)/y
  return {
    kind: 'password',
    keywords: NAME_WORDS,
    isGuess: true,
    find: (text, at, length): readonly Span[] => {
      // A line that begins further before is no heading, and is not looked through from each place of it.
      const near = text.slice(Math.max(0, at - LONGEST_HEADING), at)
      const before = near.slice(near.lastIndexOf('\n') + 1)
      const isWhole = before.length < near.length || at <= LONGEST_HEADING
      if (!isWhole || !/^[ \t]{0,3}(?:#{1,6}[ \t]|\*\*|__)/.test(before)) return []
      below.lastIndex = at + length
      const match = below.exec(text)
      const value = match?.groups?.value
      if (match === null || value === undefined || !isSaidPassword(value)) return []
      const from = match.index + match[0].lastIndexOf(value)
      return [{ start: from, end: from + value.length }]
    },
  }
}
