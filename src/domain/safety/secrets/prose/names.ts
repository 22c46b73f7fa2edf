import { wordSet } from '../../../text/text.ts'
import names from './names.json' with { type: 'json' }

/** Two signs are too few for a keyword, so that what follows them belongs to it. */
const SHORT_CHINESE = ['密码', '密碼', '口令', '암호'].flatMap((name) =>
  [...'是为為改设設已就：:=「『“" 는은가'].map((next) => `${name}${next}`),
)

/** Between a name and its value: is, was, set to, in the languages of the names. */
export const COPULAS = wordSet(names.copulas)

/** Words for "to", behind a word for a change. */
export const TOWARDS = wordSet(names.towards)
/** Matches the beginning of a word for a change, such as "rotated", in lower case. */
export const CHANGE =
  /^(?:re)?(?:set|chang|updat|rotat|modif|switch|wurde|wird|war|geändert|gesetzt|cambi|actualiz|alterad|mudad|atualiz|impost|gewijzigd|veranderd|ingesteld|измен|смен|поменя|zmien|ustaw|ändra)/

/** Between a value and a name behind it, besides: "use … as the password". */
export const AS = wordSet(names.as)

/** Between that and the value. */
export const SKIPPED = wordSet(names.skipped)

/** Words that may stand between a copula and a name that comes after its value. */
export const ARTICLES = wordSet(names.articles)

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
export const POLISH_COPULA = { name: /^has[łl]/i, word: 'to' } as const

/** Behind a name: whose it is, in Russian and Ukrainian, which need no word for "is" before the value then. */
export const WHOSE: ReadonlySet<string> = new Set(['от', 'від', 'до'])

/** The names of a password, by language; a beginning is enough where endings change. */
export const PASSWORD_NAMES: readonly string[] = [...all(names.passwords), ...SHORT_CHINESE]
/** The names of a key or token. */
export const KEY_NAMES: readonly string[] = all(names.keys)
