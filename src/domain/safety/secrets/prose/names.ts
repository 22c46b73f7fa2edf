import { wordSet } from '../../../text/text.ts'

/** What a password is called, by language; a beginning is enough where endings change. */
const PASSWORDS: Readonly<Record<string, string>> = {
  en: 'password|passwd|passphrase|pass phrase|passcode|pass code|pswd|passwrd|pw is|pwd is|my pass is|wpa-psk|wpa psk|wpa2-psk|pre-shared key|wifi key|wi-fi key|wlan key|network key',
  de: 'wlan-schlüssel|wlanschlüssel|wifi-schlüssel|netzwerkschlüssel|pw ist|pw lautet|passwort|kennwort|losungswort|zugangscode',
  es: 'contraseña|contrasena|clave',
  fr: "mot de passe|mot-de-passe|motdepasse|mots de passe|code d’accès|code d'accès",
  it: "parola d'ordine|parola d’ordine|codice di accesso",
  pt: 'senha|palavra-passe|palavra passe',
  nl: 'wachtwoord|toegangscode',
  ru: 'парол',
  uk: 'пароль',
  pl: 'hasło to|hasło|hasłem|haslo',
  cs: 'heslo',
  hu: 'jelszó|jelszav',
  sv: 'lösenord|losenord',
  no: 'passord',
  da: 'adgangskode|kodeord',
  fi: 'salasana',
  tr: 'şifre|parola',
  ro: 'parolă|parola',
  el: 'κωδικός|κωδικό|συνθηματικό',
  he: 'סיסמה|סיסמא|הסיסמה',
  ar: 'كلمة المرور|كلمة السر',
  vi: 'mật khẩu',
  id: 'kata sandi',
  th: 'รหัสผ่าน',
  hi: 'पासवर्ड',
  ko: '비밀번호|패스워드',
  ja: 'パスワード|暗証番号|パスコード',
}

/** Two signs are too few for a keyword, so that what follows them belongs to it. */
const SHORT_CHINESE = ['密码', '密碼', '口令', '암호'].flatMap((name) =>
  [...'是为為改设設已就：:=「『“" 는은가'].map((next) => `${name}${next}`),
)

/** What a key or token is called. */
const KEYS: Readonly<Record<string, string>> = {
  en: 'api key|api-key|api_key|apikey|access key|secret key|private key|account key|encryption key|signing key|auth key|master key|service key|license key|licence key|token|secret|credential',
  de: 'schlüssel',
  es: 'clave',
  fr: 'clé wifi|clé wi-fi|clé du wifi|clé|jeton',
  it: 'chiave',
  pt: 'chave',
  nl: 'sleutel',
  ru: 'ключ|токен',
  ja: 'apiキー|トークン|シークレット',
  zh: 'api密钥|访问令牌|api 密钥',
}

/** Words for a user's name and password together. */
const LOGINS: Readonly<Record<string, string>> = {
  en: 'credentials|creds|login|log in|logged in|sign in|user/pass|username/pass|user:pass|user and pass',
  de: 'zugangsdaten|anmeldedaten|logindaten|anmelden',
  es: 'credenciales|acceso',
  fr: 'identifiants|connexion',
  it: 'credenziali|accesso',
  pt: 'credenciais',
  nl: 'inloggegevens|inloggen',
  ru: 'учётные данные|учетные данные|логин',
}

/** Between a name and its value: is, was, set to, in the languages of the names. */
export const COPULAS: ReadonlySet<string> = wordSet(
  'is was equals reads be are now: = : -> → => := - – — | := ： ' +
    "ist war lautet lautete heißt heisst sind als es era son sea será est était sont c’est c'est sera è era sono sarà " +
    'é foi eram são será is luidt werd zijn это есть был будет стал — jest był brzmi je byl bylo az är var er on oli ' +
    'este е είναι είναι: olarak הוא היא هي هو là adalah ialah คือ है',
)

/** Words for "to", behind a word for a change. */
export const TOWARDS: ReadonlySet<string> = wordSet('to into auf zu a por para en su naar på til till na на')
export const CHANGE =
  /^(?:re)?(?:set|chang|updat|rotat|modif|switch|wurde|wird|war|geändert|gesetzt|cambi|actualiz|alterad|mudad|atualiz|impost|gewijzigd|veranderd|ingesteld|измен|смен|поменя|zmien|ustaw|ändra)/

/** Between a value and a name behind it, besides: "use … as the password". */
export const AS: ReadonlySet<string> = wordSet('as als como comme come como как jako som')

/** Between that and the value. */
export const SKIPPED: ReadonlySet<string> = wordSet(
  'now currently still just simply actually the following set changed updated rotated reset as this one jetzt nun ' +
    'aktuell derzeit immer noch nur ahora actualmente maintenant actuellement désormais toujours adesso ora agora nu теперь ' +
    'сейчас равен такой następujące teraz nyní :',
)

/** Words that may stand between a copula and a name that comes after its value. */
export const ARTICLES: ReadonlySet<string> = wordSet(
  'the my our your their his her its a an this that new old current default admin root user wifi wi-fi db database master ' +
    'das mein unser dein sein ihr neue alte aktuelle la mi nuestra tu le mon notre votre leur il mia nostra o minha nossa ' +
    'het mijn ons de min mitt наш мой новый',
)

function all(names: Readonly<Record<string, string>>): string[] {
  const each = Object.values(names).flatMap((some) => some.split('|'))
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

export const PASSWORD_NAMES: readonly string[] = [...all(PASSWORDS), ...SHORT_CHINESE]
export const KEY_NAMES: readonly string[] = all(KEYS)
export const LOGIN_NAMES: readonly string[] = all(LOGINS)
