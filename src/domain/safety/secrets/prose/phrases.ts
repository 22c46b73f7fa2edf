import { wordSet } from '../../../text/text.ts'
import { type SecretRule, type Span, shaped } from '../rule.ts'
import { isSaidPassword } from '../values.ts'
import { LOGIN_NAMES } from './names.ts'

const LOGIN =
  /[\p{L}]{0,4}[^\n]{0,60}?(?:[:=]|\s(?:are|is|with|as|using|via|sind|mit|son|con|sont|avec|sono|são|com|zijn|met|с)\s)\s{0,4}["'`]?[\w.@+-]{2,64}["'`]?\s{0,2}[/:|,]\s{0,2}["'`]?(?<value>[^\s"'`,;]{5,64})/uy

/** A user's name and password in one breath: "the login is ana / …". */
const LOGIN_RULE: SecretRule = {
  kind: 'password',
  keywords: LOGIN_NAMES.filter((name) => name.length > 2),
  isGuess: true,
  find: (text, at) => {
    LOGIN.lastIndex = at
    const match = LOGIN.exec(text)
    const value = match?.groups?.value?.replace(/[.)\]}]{1,3}$/, '')
    if (match === null || value === undefined || !isSaidPassword(value)) return []
    if (/^\p{L}{1,24}(?:[-_./]\p{L}?[\p{L}\d]{0,24}){1,12}$/u.test(value) || value.includes('/')) return []
    const start = match.index + match[0].lastIndexOf(match.groups?.value ?? value)
    return [{ start, end: start + value.length }]
  },
}

const SENTENCE: ReadonlySet<string> = wordSet(
  'the and for are not you your must should can may will with from this that has have was were been only when than then ' +
    'long short weak strong password wrong invalid least characters contain required missing expired please enter which used using need needs every each keep kept store stored somewhere never where there their',
)

/** True for four words or more that make no sentence. */
export function isPhrase(value: string): boolean {
  const words = value.split(' ')
  return (
    words.length >= 4 &&
    words.every((word) => /^\p{L}{3,16}$/u.test(word) && !SENTENCE.has(word.toLowerCase()))
  )
}

/** Words that open a wallet, or stand for a password, where nothing of a sentence is among them. */
const PHRASE =
  /(?:s|word|words)?(?:\s{1,4}[^\s:=]{1,16}){0,4}?\s{0,4}(?:[:=]|\bis|\bare)\s{1,4}["'`“]?(?<value>[a-z]{3,12}(?:[ -][a-z]{3,12}){3,25})["'`”]?[.!]?(?=\s{0,4}(?:\n|$)|["'`”.!;])/iy

const PHRASE_RULE: SecretRule = {
  kind: 'passphrase',
  keywords: [
    'seed phrase',
    'mnemonic',
    'recovery phrase',
    'passphrase',
    'pass phrase',
    'seed words',
    'backup phrase',
  ],
  isGuess: true,
  find: (text, at) => {
    PHRASE.lastIndex = at + (/^[a-z]+(?: [a-z]+)?/i.exec(text.slice(at, at + 15))?.[0].trimEnd().length ?? 0)
    return phraseOf(PHRASE.exec(text))
  },
}

function phraseOf(match: RegExpExecArray | null): readonly Span[] {
  const value = match?.groups?.value
  if (match === null || value === undefined) return []
  const words = value.toLowerCase().split(/[ -]/)
  if (words.some((word) => SENTENCE.has(word))) return []
  const start = match.index + match[0].lastIndexOf(value)
  return [{ start, end: start + value.length }]
}

/** The rules for secrets in sentences: logins, wallet and pass phrases, app passwords, recovery and access codes. */
export const PHRASE_RULES: readonly SecretRule[] = [
  LOGIN_RULE,
  PHRASE_RULE,
  shaped(
    'wallet phrase',
    /(?<before>\b(?:seed phrase|mnemonic|recovery phrase|seed words|backup phrase)[^\n]{0,60}?[:=\n]\s{0,4}["'`]?)(?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}/iy,
    { keywords: ['seed phrase', 'mnemonic', 'recovery phrase', 'seed words', 'backup phrase'] },
  ),
  // As many words as such a phrase has (BIP-39), and nothing of a sentence among them.
  shaped(
    'wallet phrase',
    /(?<before>\bseeds?\b(?:\s[^\s:=]{1,12}){0,2}?\s{0,2}(?:[:=]|\bis\b|\bwas\b)\s{1,4}["'`“]?)[a-z]{3,8}(?:\s{1,2}[a-z]{3,8}){11,23}(?=["'`”]?[.,;!]?(?:\s|$))/iy,
    {
      keywords: ['seed'],
      accepts: (value) => {
        const words = value.split(/\s+/)
        return [12, 15, 18, 21, 24].includes(words.length) && isPhrase(words.join(' '))
      },
    },
  ),
  // Four groups of four letters, as mail services make them; of words none is in no sentence.
  shaped(
    'app password',
    /(?<before>\bapp(?:lication)?[ -](?:specific[ -])?passwords?\b[^\n:=]{0,40}?(?:[:=]|\bis\b)\s{0,4}["'`]?)[a-z]{4}(?:[ -][a-z]{4}){3}(?![a-z])/iy,
    {
      keywords: ['app password', 'app-password', 'app specific', 'app-specific', 'application'],
      accepts: (value) => value.split(/[ -]/).some((group) => !/[aeiouy]/i.test(group)),
    },
  ),
  shaped(
    'recovery codes',
    /(?<before>\b(?:recovery|backup|scratch|emergency|2fa|mfa) codes?\b[^\n:=]{0,40}(?:[:=]|\bare\b|\bis\b)\s{1,4})(?=[a-z-]{0,12}\d)[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,4}(?:[\s,;]{1,4}(?=[a-z-]{0,12}\d)[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,4}){0,20}/iy,
    { keywords: ['recovery code', 'backup code', 'scratch code', 'emergency code', '2fa code', 'mfa code'] },
  ),
  shaped(
    'access code',
    /(?<before>\b(?:door|gate|alarm|safe|lock|locker|garage|entry|unlock|lockbox|keypad|lock[ -]?screen)(?:'s)? (?:pin|code|combination)(?: (?:is|was|to))?\s{0,2}[:=]?\s{0,2})#?\d[\d-]{2,11}[#*]?(?![\w.,:/-]\d)/iy,
    { keywords: ['door', 'gate', 'alarm', 'safe', 'lock', 'garage', 'entry', 'unlock', 'keypad'] },
  ),
]
