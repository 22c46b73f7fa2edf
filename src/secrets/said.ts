import { wordSet } from '../block/text.ts'
import data from './rules.json' with { type: 'json' }
import { isKey, isQuotedPassword, isReference, isSaidPassword, type SecretRule, type Span } from './values.ts'

const { names } = data

/** Chinese and Korean names of a password with the sign behind them, as a keyword has three signs or more. */
const SHORT_CHINESE = ['密码', '密碼', '口令', '암호'].flatMap((name) =>
  [...'是为為改设設已就：:=「『“" 는은가'].map((next) => `${name}${next}`),
)

/** Words that stand between a name and its value: is, was, set to, in the languages of the names. */
const COPULAS = wordSet(names.copulas)

/** Words for "to", which lead to the value behind a word for a change. */
const TOWARDS = wordSet(names.towards)
/** Matches the beginning of a word for a change, such as "rotated", in lower case. */
const CHANGE =
  /^(?:re)?(?:set|chang|updat|rotat|modif|switch|wurde|wird|war|geändert|gesetzt|cambi|actualiz|alterad|mudad|atualiz|impost|gewijzigd|veranderd|ingesteld|измен|смен|поменя|zmien|ustaw|ändra)/

/** Words for "as", which stand between a value and a name behind it: "use … as the password". */
const AS = wordSet(names.as)

/** Words that may stand between a copula and the value. */
const SKIPPED = wordSet(names.skipped)

/** Words that may stand between a copula and a name that comes after its value. */
const ARTICLES = wordSet(names.articles)

function all(byLanguage: Readonly<Record<string, string>>): string[] {
  const each = Object.values(byLanguage).flatMap((some) => some.split('|'))
  // Accents may be written as signs of their own.
  return [
    ...new Set(
      each
        .flatMap((name) => [name.normalize('NFC'), name.normalize('NFD')])
        .flatMap((name) => [name, name.replaceAll(' ', '_')]),
    ),
  ]
}

/** A copula of Polish and Slovak that other languages have as a word for something else. */
const POLISH_COPULA = { name: /^has[łl]/i, word: 'to' } as const

/** Words for "of" in Russian and Ukrainian: behind them no word for "is" is needed before the value. */
const WHOSE: ReadonlySet<string> = new Set(['от', 'від', 'до'])

/** The names of a password, by language; a beginning is enough where endings change. */
export const PASSWORD_NAMES: readonly string[] = [...all(names.passwords), ...SHORT_CHINESE]
/** The names of a key or token. */
const KEY_NAMES: readonly string[] = all(names.keys)

/** The most words between a name and its value. */
const MOST_WORDS = 8
/** The most words between a value and a name behind it. */
const MOST_WORDS_BEFORE = 5
/** Number of UTF-16 units that are looked at on either side of a name. */
const LOOKED_AT = 160

/** Tells a password or a key in a sentence from what is only said about it. */
interface Manner {
  readonly kind: string
  readonly names: readonly string[]
  /** The least length of a value, in UTF-16 units. */
  readonly least: number
  /** The possible endings of a name in a language in Latin script. */
  readonly ending: RegExp
  /** True of a value that is said to be one: "the password is …". */
  readonly accepts: (value: string) => boolean
  /** True of a value in quotes that is said to be one. */
  readonly acceptsQuoted: (value: string) => boolean
  /** True of a value that only stands beside the name: "with password …". */
  readonly acceptsBare: (value: string) => boolean
}

const MANNERS: readonly Manner[] = [
  {
    kind: 'password',
    names: PASSWORD_NAMES,
    least: 5,
    ending: /^(?:\p{L}{1,3})?$/u,
    accepts: (value) => isSaidPassword(value) || /^\d{5,12}$/.test(value),
    acceptsQuoted: (value) => isQuotedPassword(value) || isSaidPassword(value),
    acceptsBare: (value) => value.length >= 8 && isSaidPassword(value) && !isIdentifier(value),
  },
  {
    kind: 'secret',
    names: KEY_NAMES,
    least: 12,
    ending: /^(?:s|es|e|en|n|а|у|ом|и|ы)?$/i,
    accepts: isSaidKey,
    acceptsQuoted: isSaidKey,
    acceptsBare: (value) => value.length >= 16 && isSaidKey(value) && !isIdentifier(value) && !isId(value),
  },
]

/** Rules for passwords and keys that a sentence tells, in the languages of the names in `rules.json`. */
export const SAID_RULES: readonly SecretRule[] = MANNERS.map((manner) => ({
  kind: manner.kind,
  keywords: manner.names,
  isGuess: true,
  find: (text, at, length) => {
    const behind = at + length
    const value =
      (mayHold(text, behind, behind + LOOKED_AT, manner)
        ? (after(text, behind, manner, text.slice(at, behind)) ?? whose(text, behind, manner))
        : undefined) ?? (mayHold(text, at - LOOKED_AT, at, manner) ? before(text, at, manner) : undefined)
    return value === undefined ? [] : [value]
  },
}))

/** True if a part of a text has a digit, symbol or quote in a row of signs that is long enough for a value. */
function mayHold(text: string, from: number, to: number, { least }: Manner): boolean {
  const end = Math.min(to, text.length)
  let run = 0
  let isOdd = false
  for (let at = Math.max(0, from); at < end; at++) {
    const sign = text.charCodeAt(at)
    if (sign <= 32 || sign === 0x3000) run = 0
    else run++
    if (run <= 1) isOdd = false
    if (ODD[sign] === 1) isOdd = true
    if (isOdd && run >= least) return true
  }
  return false
}

/** The signs that values have and most words have not: digits, symbols, quotes, hyphens. */
const ODD = new Uint8Array(0x3010)
for (const sign of '0123456789"\'`!#$%^&*+=~|\\@-_“„«‘「『') ODD[sign.charCodeAt(0)] = 1

/** Scripts that put no space between a name and what is said of it. */
const SPACELESS = /[\u0e00-\u0eff\u1100-\uffff]/

/** Finds the value behind a name: in the same sentence, behind a word for "is" or at once. */
function after(text: string, from: number, manner: Manner, name: string): Span | undefined {
  if (SPACELESS.test(text.slice(from - 1, from + 1))) return gluedValue(text, from, manner.accepts)
  let next = nameEnd(text, from, manner)
  for (let words = 0; next !== undefined && words < MOST_WORDS; words++) {
    const word = wordAfter(text, next.at, from + LOOKED_AT)
    if (word === undefined || (word.isOnNextLine && !next.mayEndLine)) return undefined
    const isFirst = words === 0
    const bare = isFirst ? manner.acceptsBare : undefined
    const value = toldAt(text, word, next.isValue ? manner.accepts : bare, manner)
    if (value !== undefined) return value
    const isPolish = word.text === POLISH_COPULA.word && POLISH_COPULA.name.test(name)
    next = isPolish
      ? { at: word.end, isValue: true, mayEndLine: false, last: word.text }
      : behind(
          word,
          CHANGE.test(next.last) ? next : { ...next, last: changeBefore(text, from, word) },
          isFirst,
        )
  }
  return undefined
}

/** Words for "is" that stand behind the value, in Persian, Urdu and Bengali. */
const FINAL_COPULAS: ReadonlySet<string> = new Set(['است', 'هست', 'ہے', 'হয়', 'ছিল'])

/** Returns what a word says by its place, or because only a word for "is" comes behind it. */
function toldAt(
  text: string,
  word: Word,
  accepts: Manner['accepts'] | undefined,
  manner: Manner,
): Span | undefined {
  return (
    told(text, word, accepts, manner) ??
    (isLastBut(text, word) ? told(text, word, isMixed(manner), manner) : undefined)
  )
}

function isLastBut(text: string, { end }: Word): boolean {
  const next = wordAfter(text, end, end + LOOKED_AT)
  return next !== undefined && !next.isOnNextLine && FINAL_COPULAS.has(next.text.replace(/[.!?।]$/, ''))
}

const MOST_WORDS_OF_WHOSE = 2

/** Finds the value that ends a clause behind the words for whose it is: "пароль от роутера …". */
function whose(text: string, from: number, manner: Manner): Span | undefined {
  let word = wordAfter(text, nameEnd(text, from, manner)?.at ?? text.length, from + LOOKED_AT)
  if (word === undefined || !WHOSE.has(word.text.toLowerCase())) return undefined
  for (let words = 0; words <= MOST_WORDS_OF_WHOSE; words++) {
    const { text: before, end }: Word = word
    word = wordAfter(text, end, from + LOOKED_AT)
    if (word === undefined || word.isOnNextLine || /[.,;:!?]$/.test(before)) return undefined
    const value = words === 0 ? undefined : told(text, word, isMixed(manner), manner)
    const isAtEnd = /[.,;!)]$/.test(word.text) || /^[ \t]{0,4}(?:\n|$)/.test(text.slice(word.end, word.end + 5))
    if (value !== undefined) return isAtEnd ? value : undefined
  }
  return undefined
}

/** Returns a stricter test: the value has small letters and capitals or symbols, which a name with a number seldom has. */
function isMixed({ acceptsBare }: Manner): Manner['accepts'] {
  return (value) => acceptsBare(value) && /\p{Ll}/u.test(value) && /\p{Lu}|[^\p{L}\d]/u.test(value)
}

/** Returns the word for a change that stands before a name with "to" behind it: "I changed the password to …". */
function changeBefore(text: string, from: number, { text: word }: Word): string {
  if (!TOWARDS.has(word.toLowerCase())) return ''
  let end = from
  for (let words = 0; words < MOST_WORDS_BEFORE; words++) {
    const before = wordBefore(text, end, from - LOOKED_AT)
    if (before === undefined) return ''
    end = before.start
    const said = before.text.toLowerCase()
    if (CHANGE.test(said)) return said
  }
  return ''
}

/** The place where a sentence goes on behind a word. */
interface Next {
  readonly at: number
  /** The word there may be the value. */
  readonly isValue: boolean
  /** True if the value may stand on the next line. */
  readonly mayEndLine: boolean
  /** The word before it, in lower case. */
  readonly last: string
}

/** Returns how a sentence goes on behind a word; undefined where it ends. */
function behind({ text, end: at }: Word, { isValue, last }: Next, isFirst: boolean): Next | undefined {
  const said = text.toLowerCase()
  // A mark stands where a secret was taken out already.
  if (said.startsWith('[redacted:')) return undefined
  if (isValue && SKIPPED.has(said)) return { at, isValue, mayEndLine: false, last: said }
  const leadsOn = COPULAS.has(said) || /[:=：]$/.test(said) || (TOWARDS.has(said) && CHANGE.test(last))
  if (leadsOn) return { at, isValue: true, mayEndLine: said !== '|', last: said }
  if (!isFirst && /[.!?;。]["')]?$/.test(said)) return undefined
  return { at, isValue: false, mayEndLine: false, last: said }
}

const NAME_END =
  /(?<ending>[\p{L}\p{M}]{0,32})["'`*_)\]]{0,4}(?:(?<assigns>\s{0,2}(?:[:=：]{1,2}|->|=>|→)[*_]{0,2}|['’]s(?=\s))|,?(?=\s|$))/uy

/** Returns where a sentence goes on behind a name; undefined if its ending makes another word of it. */
function nameEnd(text: string, from: number, { ending }: Manner): Next | undefined {
  NAME_END.lastIndex = from
  const match = NAME_END.exec(text)
  if (match === null || !ending.test(match.groups?.ending ?? '')) return undefined
  const isValue = match.groups?.assigns !== undefined
  return { at: from + match[0].length, isValue, mayEndLine: isValue, last: '' }
}

/** Returns what a word says, if it is a value at its place. */
function told(
  text: string,
  word: Word,
  accepts: Manner['accepts'] | undefined,
  { acceptsQuoted }: Pick<Manner, 'acceptsQuoted'>,
): Span | undefined {
  if (accepts === undefined) return undefined
  const value = valueIn(text, word.start, word.text)
  // A quoted word with a colon behind it is a name itself.
  if (value.isQuoted && /^"\s?:/.test(text.slice(value.end, value.end + 3))) return undefined
  const isValue = value.isQuoted ? acceptsQuoted : accepts
  return isValue(text.slice(value.start, value.end)) ? value : undefined
}

/** Finds the value before a name: "… is the password". */
function before(text: string, at: number, manner: Manner): Span | undefined {
  let end = at
  for (let words = 0; words < MOST_WORDS_BEFORE; words++) {
    const word = wordBefore(text, end, at - LOOKED_AT)
    if (word === undefined) return undefined
    end = word.start
    const said = word.text.toLowerCase()
    if (AS.has(said) || (COPULAS.has(said) && !/[:=|-]/.test(said))) {
      const value = wordBefore(text, end, at - LOOKED_AT)
      return value && told(text, value, manner.acceptsBare, { ...manner, acceptsQuoted: manner.acceptsBare })
    }
    if (!ARTICLES.has(said)) return undefined
  }
  return undefined
}

/** True if a word is a key, and no link, path, code or part of a sentence. */
function isSaidKey(value: string): boolean {
  return value.length >= 12 && isKey(value) && !/\s|\]\(|:\/\/|\/[^/]{0,64}\/|\.\w{2,4}$/.test(value)
}

/** True for words joined by hyphens or underscores, as names of files, branches and columns are. */
function isIdentifier(value: string): boolean {
  return /^[\p{L}\d]{1,24}(?:[-_.][\p{L}\d]{1,24}){1,12}$/u.test(value) || isReference(value)
}

/** True for a hash of git or a UUID, which name something more often than they open it. */
function isId(value: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(value) || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

/** A row of signs between spaces. */
interface Word extends Span {
  readonly text: string
  readonly isOnNextLine: boolean
}

/** The content of a word without the signs of its sentence; in quotes everything up to the last one, on the same line. */
interface Value extends Span {
  readonly isQuoted: boolean
}

const LONGEST_QUOTED = 130
const LONGEST_WORD = 600

function isSpace(text: string, at: number): boolean {
  const sign = text.charCodeAt(at)
  return sign <= 32 || sign === 0xa0 || sign === 0x3000 || sign === 0x202f
}

/** Returns the word behind a place; undefined if none begins before `most`. */
function wordAfter(text: string, from: number, most: number): Word | undefined {
  const last = Math.min(text.length, most)
  let start = from
  let isOnNextLine = false
  for (; start < last && isSpace(text, start); start++) isOnNextLine ||= text.charCodeAt(start) === 10
  if (start >= last) return undefined
  const longest = Math.min(text.length, start + LONGEST_WORD)
  let end = start
  while (end < longest && !isSpace(text, end)) end++
  return { text: text.slice(start, end), start, end, isOnNextLine }
}

/** Returns the word before a place on the same line; undefined if none ends behind `least`. */
function wordBefore(text: string, to: number, least: number): Word | undefined {
  const first = Math.max(0, least)
  let end = to
  while (end > first && ' \t"\'`*_('.includes(text.charAt(end - 1))) end--
  if (end <= first || isSpace(text, end - 1)) return undefined
  const longest = Math.max(0, end - LONGEST_WORD)
  let start = end
  while (start > longest && !isSpace(text, start - 1)) start--
  return { text: text.slice(start, end), start, end, isOnNextLine: false }
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '«': '»',
  '‹': '›',
  '‘': '’',
  '「': '」',
  '『': '』',
}

/** Returns the value of the word that begins at `at`. */
function valueIn(text: string, at: number, word: string): Value {
  const emphasis = /^[*_([]{0,3}/.exec(word)?.[0].length ?? 0
  const closing = CLOSING[word.charAt(emphasis)]
  if (closing !== undefined) {
    const start = at + emphasis + 1
    const inside = text.slice(start, start + LONGEST_QUOTED)
    const length = inside.indexOf(closing)
    if (length > 0 && !inside.slice(0, length).includes('\n'))
      return { start, end: start + length, isQuoted: true }
  }
  const trailing = /[.,;:)\]}»”"'`。、]{0,4}$/.exec(word.slice(-4))?.[0].length ?? 0
  const rest = word.slice(0, word.length - trailing)
  const stars = emphasis > 0 ? (/[*_]{0,3}$/.exec(rest.slice(-3))?.[0].length ?? 0) : 0
  return { start: at + emphasis, end: at + rest.length - stars, isQuoted: false }
}

const GLUED = /[^!-~\n。！？]{0,24}[:=："“「『'`]{0,2}[ \u3000]?(?<value>[!-~]{5,128})/y

/** Returns the row of Latin signs that follows in a sentence of a script without spaces, if it is a value. */
function gluedValue(text: string, from: number, accepts: (value: string) => boolean): Span | undefined {
  GLUED.lastIndex = from
  const match = GLUED.exec(text)
  const value = match?.groups?.value
  if (match === null || value === undefined) return undefined
  const end = match.index + match[0].length
  const inside = valueIn(text, end - value.length, value)
  return accepts(text.slice(inside.start, inside.end)) ? inside : undefined
}
