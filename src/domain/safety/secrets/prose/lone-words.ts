import { wordSet } from '../../../text/text.ts'
import { type SecretRule, type Span, shaped } from '../rule.ts'
import { isPassword, isPlaceholder, isSaidPassword, isWordPassword } from '../values.ts'
import { PASSWORD_NAMES } from './names.ts'

/** Endings of what is said about something, in English and German. */
const ENDING =
  /(?:ed|ing|able|ible|ive|al|ary|ory|ic|ous|ful|less|ly|ant|ent|ate|ness|tion|sion|ment|ity|ism|ance|ence|est|bar|lich|isch|haft|sam|los|ig|iert|ung|ungen|heit|keit|pflichtig|voll|frei|fähig)$/i

/** Words said of a password, or found beside its name in a form, a schema or a list of contents. */
const ORDINARY: ReadonlySet<string> = wordSet(
  'wrong right weaker stronger longer shorter better worse older newer safer simple complex secure insecure unsafe unique random simpler ' +
    'known unknown shown hidden broken forgotten chosen stolen taken written given kept lost reset sent right clear plain stale fresh current ' +
    'mandatory nothing something anything everything nonsense rubbish garbage enough overkill trouble yours theirs mine ours itself ' +
    'always never sometimes today tomorrow yesterday already still again below above inside outside online offline there where elsewhere ' +
    'somewhere nowhere anywhere everywhere overdue due public private secret similar familiar equal identical inert intact alive admin administrator default ' +
    'confirm change forgot forget enter repeat verify recover retrieve create update delete remove submit cancel login logout signin signup ' +
    'policy policies rule rules strength manager managers field fields form forms length minimum maximum format types placeholder hint hints ' +
    'reminder recovery expiry generator storage access accounts account tests testing checks checker example examples sample samples buffer symbol bigint ' +
    'binary varchar string strings letters digits numbers characters symbols words cleartext ciphertext vault keepass bitwarden onepassword lastpass keychain keyring ' +
    'username usernames email emails server client router database password passwords passcode passphrase credential credentials tokens secrets ' +
    'bcrypt scrypt argon hashes digest phrase reminder between before after about because however therefore although whether either neither ' +
    'please thanks sorry okay yes maybe perhaps probably absent present another other others same different later sooner earlier first second third last ' +
    'under over within without whatever whichever whoever nobody somebody anybody everyone everybody someone anyone people ' +
    'falsch richtig schwach stark sicher unsicher kurz lang länger kürzer gleich anders bekannt unbekannt vergessen verloren geheim leer voll ' +
    'gesetzt gespeichert abgelaufen gesperrt geändert erforderlich optional pflichtfeld pflicht unten oben hier dort immer noch nicht wieder ' +
    'ändern eingeben bestätigen wiederholen zurücksetzen anzeigen speichern löschen richtlinie richtlinien regeln länge zeichen benutzername ' +
    'tabu wichtig nötig notwendig dasselbe derselbe dieselbe woanders nirgends niemandem folgt geht fehlt stimmt',
)

/** True for one word that is neither said of a password nor a name beside it: it has to be the password. */
function isLoneWord(value: string): boolean {
  if (!/^\p{Lu}?\p{Ll}{5,23}$/u.test(value) || ENDING.test(value) || ORDINARY.has(value.toLowerCase()))
    return false
  return isWordPassword(value) && !isPlaceholder(value)
}

const CHANGED = /\b(?:chang|switch|updat|rotat|renam|reset|set|mov)/i
const FROM_TO =
  /\p{L}{0,3}\b[^\n.:;?!]{0,40}?\s(?:from|von)\s{1,2}["'`]?(?<old>[^\s"'`]{4,128})["'`]?\s{1,2}(?:to|in|auf|zu)\s{1,2}["'`]?(?<new>[^\s"'`]{1,128})/uy

function isOne(value: string): boolean {
  return isSaidPassword(value) || (isPassword(value) && /\p{L}/u.test(value))
}

/** "changed the password from … to …": each that looks like one. */
const FROM_TO_RULE: SecretRule = {
  kind: 'password',
  keywords: PASSWORD_NAMES.filter((name) => /^\p{Script=Latin}[\p{L} -]{3,}$/u.test(name)).map((name) =>
    name.toLowerCase(),
  ),
  isGuess: true,
  find: (text, at, length): readonly Span[] => {
    FROM_TO.lastIndex = at + length
    const match = FROM_TO.exec(text)
    const { old = '', new: next = '' } = match?.groups ?? {}
    if (match === null || !CHANGED.test(text.slice(Math.max(0, at - 80), at))) return []
    const bare = next.replace(/[.,;:!?)]{1,3}$/, '')
    const to = match.index + match[0].length - next.length
    const from = match.index + match[0].lastIndexOf(old, match[0].length - next.length - 1)
    const spans = [
      { start: from, end: from + old.length },
      { start: to, end: to + bare.length },
    ]
    return spans.filter(({ start, end }) => isOne(text.slice(start, end)))
  },
}

/** Passwords that are a word, or that no name of a password stands beside, where the sentence leaves them nothing else to be. */
export const LONE_WORD_RULES: readonly SecretRule[] = [
  shaped(
    'password',
    /(?<before>\b(?:password|passphrase|passcode|passwd|pwd|pw)\s(?:is|was|reads)\s{1,2}(?:now\s)?["'`“]?)\p{L}{6,24}(?=["'`”]?(?:[.,;!)]|\s{0,4}(?:\n|$)))/iuy,
    {
      keywords: ['password', 'passphrase', 'passcode', 'passwd', 'pwd ', 'pw is', 'pw was'],
      accepts: isLoneWord,
      isGuess: true,
    },
  ),
  shaped(
    'password',
    /(?<before>\b(?:passwort|kennwort|pw)\s(?:ist|war|lautet|heißt)\s{1,2}(?:jetzt\s|nun\s)?["'`„]?)\p{L}{6,24}(?=["'`“]?(?:[.,;!)]|\s{0,4}(?:\n|$)))/iuy,
    {
      keywords: ['passwort', 'kennwort', 'pw ist', 'pw war', 'pw lautet'],
      accepts: isLoneWord,
      isGuess: true,
    },
  ),
  // A line that has nothing but the name, whose it is and the word.
  shaped(
    'password',
    /(?<before>(?<=(?:^|\n)[ \t]{0,8}(?:[-*+>][ \t]{1,3})?(?:[\p{L}-]{1,16}[ \t-]){0,3})(?:password|passphrase|passcode|passwort|kennwort|pwd|pw):[ \t]{1,4})\p{L}{6,24}(?=[ \t]{0,4}(?:\n|$))/iuy,
    {
      keywords: ['password:', 'passphrase:', 'passcode:', 'passwort:', 'kennwort:', 'pwd:', 'pw:'],
      accepts: isLoneWord,
      isGuess: true,
    },
  ),
  FROM_TO_RULE,
  shaped(
    'password',
    /(?<before>\b(?:log|logged|logging|sign|signed|signing)[ -]?(?:in|on)\b[^\n.:;?!]{0,48}?\sas\s[^\s,]{1,64}\s(?:with|using|and)\s["'`]?)[^\s"'`,;]{6,64}(?<![.!?)])/iy,
    {
      keywords: ['log in', 'log on', 'logged', 'logging', 'login', 'sign in', 'signed', 'signing'],
      accepts: (value) => isSaidPassword(value) && !/[/(]/.test(value),
      isGuess: true,
    },
  ),
]
