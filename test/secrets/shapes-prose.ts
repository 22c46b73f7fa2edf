import { alnum, hex, joined } from './fake-keys.ts'
import { type Shape, shapes } from './shape.ts'

const TOKEN = joined('gh', 'p_', alnum(36))
const ANTHROPIC = joined('sk', '-ant-api03-', alnum(93), 'AA')
const broken = (token: string, at: number, between: string) => token.slice(0, at) + between + token.slice(at)

/** Secrets that a sentence tells, in the languages of the product, and tokens broken over lines. */
export const PROSE_SHAPES: readonly Shape[] = [
  ...shapes(
    'English prose',
    ['Girasol2026', (s) => `The password is ${s}.`],
    ['Girasol2026', (s) => `The password for the staging server is ${s}, do not share it.`],
    ['Girasol2026', (s) => `The staging password was changed to ${s} yesterday.`],
    ['Girasol2026', (s) => `Log in as ana with password ${s} on the wiki.`],
    ['Girasol2026', (s) => `${s} is the new admin password.`],
    ['Girasol2026', (s) => `Use ${s} as the password.`],
    ['Girasol2026', (s) => `The credentials are ana / ${s}.`],
    ['Girasol2026!', (s) => `login: ana:${s}`],
    ['swordfish', (s) => `The password is "${s}".`],
    ['correct-horse-battery-staple', (s) => `The passphrase is ${s}.`],
    ['correct horse battery staple', (s) => `passphrase: ${s}`],
    ['Girasol2026', (s) => `wifi password - ${s}`],
    ['Girasol2026', (s) => `The root password of db1 has been set to ${s}`],
    ['Girasol2026', (s) => `pw is ${s}`],
    [alnum(32), (s) => `The API key for the mailer is ${s}.`],
    [alnum(32), (s) => `Use the token ${s} for now.`],
    [hex(32), (s) => `Their secret is ${s}`],
    [
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      (s) => `My seed phrase: ${s}`,
    ],
  ),
  ...shapes(
    'German prose',
    ['Sommer2026', (s) => `Das Passwort lautet ${s}.`],
    ['Sommer2026', (s) => `Das Passwort für den Server ist jetzt ${s}.`],
    ['Sommer2026', (s) => `Ana meldet sich mit dem Kennwort ${s} an.`],
    ['Sommer2026', (s) => `Mein WLAN-Passwort: ${s}`],
    ['Sommer2026', (s) => `Zugangsdaten: ana / ${s}`],
  ),
  ...shapes(
    'Spanish prose',
    ['Girasol2026', (s) => `La contraseña es ${s}.`],
    ['Girasol2026', (s) => `La contraseña del servidor es ${s}`],
    ['Girasol2026', (s) => `Entra con la contraseña ${s}.`],
  ),
  ...shapes(
    'French prose',
    ['Tournesol26', (s) => `Le mot de passe est ${s}.`],
    ['Tournesol26', (s) => `Le mot de passe du wifi est « ${s} ».`.replace('« ', '«').replace(' »', '»')],
    ['Tournesol26', (s) => `mdp : ${s}`],
  ),
  ...shapes(
    'Italian prose',
    ['Girasole26', (s) => `La password è ${s}.`],
    ['Girasole26', (s) => `La password del router è ${s}`],
    ['Girasole26', (s) => `La parola d'ordine è ${s}`],
  ),
  ...shapes(
    'Portuguese prose',
    ['Girassol26', (s) => `A senha é ${s}.`],
    ['Girassol26', (s) => `A senha do servidor foi alterada para ${s}`],
  ),
  ...shapes(
    'Dutch prose',
    ['Zonnebloem26', (s) => `Het wachtwoord is ${s}.`],
    ['Zonnebloem26', (s) => `Het wachtwoord van de wifi is ${s}`],
  ),
  ...shapes(
    'Russian prose',
    ['Solntse2026', (s) => `Пароль: ${s}`],
    ['Solntse2026', (s) => `Пароль от сервера — ${s}.`],
    ['Солнце2026', (s) => `пароль ${s}`],
  ),
  ...shapes(
    'other languages',
    ['Himawari26', (s) => `パスワードは${s}です。`],
    ['Himawari26', (s) => `密码是${s}。`],
    ['Haebaragi26', (s) => `비밀번호는 ${s}입니다`],
    ['Slonecznik26', (s) => `Hasło to ${s}.`],
    ['Solros2026', (s) => `Lösenordet är ${s}.`],
    ['Aycicegi26', (s) => `Şifre: ${s}`],
  ),
  ...shapes(
    'broken over lines',
    [broken(TOKEN, 20, '\\\n'), (s) => `token\n${s}\nof the bot`],
    [broken(TOKEN, 20, '\\\n    '), (s) => `curl -H "Authorization: token ${s}"`],
    [broken(TOKEN, 25, '\n'), (s) => `The bot uses ${s} to push.`],
    [broken(TOKEN, 25, '\n    '), (s) => `The bot uses\n    ${s}\nto push.`],
    [broken(TOKEN, 12, '\n> '), (s) => `> ${s}`],
    [broken(TOKEN, 17, '\u200b'), (s) => `It is ${s} now`],
    [broken(TOKEN, 17, '\u00ad'), (s) => `It is ${s} now`],
    [broken(TOKEN, 17, '\u2060'), (s) => `It is ${s} now`],
    [broken(TOKEN, 17, '=\n'), (s) => `It is ${s} now`],
    [broken(TOKEN, 17, '" +\n  "'), (s) => `const t = "${s}"`],
    [broken(ANTHROPIC, 64, '\n'), (s) => `Claude is asked with ${s} here.`],
    [broken(broken(ANTHROPIC, 76, '\n'), 38, '\n'), (s) => `key:\n${s}\n`],
    [broken(joined('AK', 'IA', 'Q7YZ4KJ2M5XW3VBN'), 9, '\u200b'), (s) => `id ${s}`],
  ),
]
