import { PASSWORD_NAMES } from '../prose/names.ts'
import { type SecretRule, shaped } from '../rule.ts'
import { isKey, isPassword, isQuotedPassword, isWordPassword } from '../values.ts'

const PASSWORDS = PASSWORD_NAMES.filter((name) => /^[\p{L}\p{M}' -]+$/u.test(name) && name.length > 3)
const PASSWORD = PASSWORDS.map((name) => name.replace(/[ -]/g, '[ _-]?')).join('|')
/** Short names are part of many words, so that they have to stand where a key does. */
const SHORT = 'pwd|psk|psw|mdp|pw|p\\/w'
/** And this is a word of its own. */
const WORD = 'pass|clave'
/** Names a value is called by when it is a key; a path or a count of tokens has other endings. */
const KEY = 'key|secret|token|credentials?|creds|auth|schlüssel|apikey'
const KEY_BEFORE =
  '(?<=(?:api|access|private|secret|account|encryption|encrypt|signing|sign|auth|master|service|client|webhook|shared|licen[cs]e|admin|deploy|storage|session|hmac|jwt|app|application|consumer|server|rest|root|crypto|decryption|cipher|aes|product|subscription|write|ingest|integration|bot)[ _.-]?)'
const ENDING = '(?:[_.-]?(?:key|base|value|string|prod|dev|staging|test|old|new|admin|root|id|\\d{1,4})){0,2}'
/** The end of a name: quotes, brackets and emphasis; then perhaps a type. */
const ENDS = '(?:\\\\?["\'`\\])*_]){0,4}(?:\\s?:\\s?[A-Za-z]{1,12}(?=\\s?=))?'
const ASSIGNS =
  '(?:\\s{0,8}(?:=>|:=|={1,3}|::?|\\?=|\\|\\|=|->|→|：|＝)\\*{0,2}\\s{0,8}|>(?!@)|"\\s{1,4}value=|\\s{0,2}\\|\\s{0,2}|,\\s{0,4}(?=["\'])|\\(\\s{0,2}(?=["\']))'
const QUOTED = '\\\\?["\'`“„«])[^"\'`“”»\\n\\\\<>]{'
const UNQUOTED = ')[^\\s"\'`,;<>|]{'
const ENDS_WITHOUT = '(?<![.:)\\]}*])'

/** A value in which code is put together, or that code reads from elsewhere. */
function isTemplate(value: string): boolean {
  return /[$#%@]\{|\{\{|%\(|\$\(|<%/.test(value)
}

function assigned(name: string, value: string): RegExp {
  return new RegExp(`(?<before>${name}${ENDING}${ENDS}${ASSIGNS}${value}`, 'iy')
}

const KEY_POSITION =
  '(?<=(?:^|[\\n{,;(\\[|&"\'`_.-]|\\b(?:export|set|my|the|user|db|root|admin|email|smtp|ftp|ssh|wifi))[ \\t]{0,12}(?:[-*+>] {0,3})?)'

/** Values that a name assigned to them makes secrets; tried last, on what the shapes left. */
export const ASSIGNED_RULES: readonly SecretRule[] = [
  shaped('password', assigned(`(?:${PASSWORD})`, `${QUOTED}4,256}(?=\\\\?["'\`”“»](?!\\s{0,2}:))`), {
    keywords: PASSWORDS.map((name) => name.toLowerCase()),
    accepts: (value) => !isTemplate(value) && isQuotedPassword(value),
    isGuess: true,
  }),
  shaped('password', assigned(`(?:${PASSWORD})`, `${UNQUOTED}6,256}${ENDS_WITHOUT}`), {
    keywords: PASSWORDS.map((name) => name.toLowerCase()),
    accepts: (value) => !isTemplate(value) && isPassword(value),
    isGuess: true,
  }),
  shaped(
    'password',
    assigned(
      `(?:${KEY_POSITION}(?:${WORD})|(?<![A-Za-z0-9])(?:${SHORT}))`,
      `${QUOTED}4,256}(?=\\\\?["'\`”“»](?!\\s{0,2}:))`,
    ),
    {
      keywords: ['pass', 'pwd', 'psk', 'psw', 'mdp', 'pw:', 'pw=', 'pw ', 'pw"', "pw'", 'p/w', 'clave'],
      accepts: (value) => !isTemplate(value) && isQuotedPassword(value),
      isGuess: true,
    },
  ),
  shaped(
    'password',
    assigned(
      `(?:${KEY_POSITION}(?:${WORD})|(?<![A-Za-z0-9])(?:${SHORT}))`,
      `${UNQUOTED}5,256}${ENDS_WITHOUT}`,
    ),
    {
      keywords: ['pass', 'pwd', 'psk', 'psw', 'mdp', 'pw:', 'pw=', 'pw ', 'pw|', 'p/w', 'clave'],
      accepts: (value) => !isTemplate(value) && isPassword(value),
      isGuess: true,
    },
  ),
  // As the environment of a process is written, words are values too.
  shaped(
    'password',
    /(?<before>(?<=(?:(?<![^\n])[ \t]{0,12}|\bexport |\bset |\s-e |\s--env )(?:[A-Z0-9]{1,24}_){0,6})(?:PASSWORD|PASSWD|PASS|PWD)=["']?)[^\s"'`,;<>|$]{4,256}/y,
    {
      keywords: ['password=', 'passwd=', 'pass=', 'pwd='],
      accepts: (value) => isWordPassword(value) && !/^[./~]/.test(value),
      isGuess: true,
    },
  ),
  shaped(
    'secret',
    assigned(
      `(?:${KEY_BEFORE}key|apikey|secret|token|credentials?|creds|schlüssel)`,
      `\\\\?["'\`“„«]?)[^\\s"'\`“”»,;<>|\\\\]{12,512}${ENDS_WITHOUT}`,
    ),
    {
      keywords: KEY.split('|').map((name) => name.replace('?', '')),
      accepts: (value) => !isTemplate(value) && isKey(value),
      isGuess: true,
    },
  ),
  shaped('secret', assigned('(?<![A-Za-z])auth', `\\\\?["'\`]?)[^\\s"'\`,;<>|\\\\]{16,512}${ENDS_WITHOUT}`), {
    accepts: (value) => !isTemplate(value) && isKey(value),
    keywords: ['auth'],
    isGuess: true,
  }),
]
