import { alnum, base58, hex, joined } from './fake-keys.ts'
import { type Shape, shapes } from './shape.ts'

const SEED =
  'velvet anchor marble pencil rocket island copper saddle garlic meadow thunder basket ribbon magnet hollow timber saddle'
    .split(' ')
    .slice(0, 15)
    .join(' ')

/** A fifth set, written after the rules that the fourth led to, of the same classes in other words. */
export const FIFTH: readonly Shape[] = [
  ...shapes(
    'classes of the fourth, other words',
    [hex(40), (s) => `export of SENTRY_AUTH_TOKEN ${s} is done`],
    [alnum(40), (s) => `- STRIPE_WEBHOOK_SECRET  ${s}`],
    [hex(48), (s) => `The file prod.secret reads ${s}`],
    [hex(32), (s) => `cluster.token -> ${s}`],
    [hex(64), (s) => `x-vault-session-token: ${s}`],
    [alnum(28), (s) => `X-Roof-Key : ${s}`],
    ['Mistral9olive', (s) => `PWD=${s};SERVER=db;UID=eva`],
    ['Mistral9olive', (s) => `email: eva@roof.example, password: ${s}`],
    ['Mistral9olive', (s) => `account=eva passwd=${s} host=nas`],
    ['Mistral9olive', (s) => `#### Contraseña del router\n\n${s}\n`],
    ['Mistral9olive', (s) => `# Admin passphrase\n> ${s}\n`],
    ['Mistral9olive', (s) => `**Password for the camera:**\n${s}`],
    ['olivetree', (s) => `<td><b>Password</b></td><td><tt>${s}</tt></td>`],
    ['olivetree', (s) => `<span>Passwort</span>\n<code>${s}</code>`],
    ['olivetree', (s) => `{"id": "smtp_password", "secure": true, "value": "${s}"}`],
    ['olivetree', (s) => `<Parameter name="password" value="${s}"/>`],
    ['olivetree', (s) => `- key: MYSQL_ROOT_PASSWORD\n  val: "${s}"`],
    [alnum(20), (s) => `env:\n  - name: API_TOKEN\n    value: ${s}`],
    [
      'olivetree',
      (s) => `variable "rds_master_password" {\n  description = "of the database"\n  default = "${s}"\n}`,
    ],
    ['olivetree', (s) => `resource "random" "x" {}\nlocals { db_password = "${s}" }`],
    ['olivetree', (s) => `gh secret set DEPLOY --env prod --body=${s}`],
    ['olivetree', (s) => `security add-generic-password -U -s roof -a eva -w "${s}"`],
    ['olivetree', (s) => `gcloud secrets create roof --data-file=- <<< "${s}"`],
    ['Mistral9olive', (s) => `He moved the root password from ${s} to a longer one.`],
    ['Mistral9olive', (s) => `Bitte setze das Passwort von Eva auf ${s}`],
    ['Mistral9olive', (s) => `The password for eva has been reset to ${s}.`],
    ['Mistral9olive', (s) => `Signed in as root with ${s}, works.`],
    ['Mistral9olive', (s) => `logging in as eva using ${s} fails`],
    ['Mistral9olive', (s) => `Sign in via eva/${s}`],
    ['Mistral9olive', (s) => `mysqldump eva:${s}@127.0.0.1/roof`],
    ['Mistral9olive', (s) => `eva:${s}@nas.roof.example`],
    ['marzipan', (s) => `the wifi password is ${s}`],
    ['pineapple', (s) => `Password was ${s}, I think.`],
    ['Marzipan', (s) => `WLAN-Passwort: ${s}`],
    ['Blumenkohl', (s) => `Das Kennwort ist ${s}.`],
    ['papagayo', (s) => `la contraseña es ${s}`],
    [SEED, (s) => `wallet seed was ${s}.`],
    [SEED, (s) => `Seed words of mine: ${s}`],
    [joined('5K', base58(49)), (s) => `key ${s}`],
    [joined('L5', base58(50)), (s) => `(${s})`],
    ['Bura9maslina', (s) => `Lozinka glasi ${s}`],
    ['Burja9oljka', (s) => `novo geslo: ${s}`],
    ['Mestral9oliva', (s) => `contrasenya nova: ${s}`],
    ['Tuul9oliiv', (s) => `Ruuteri parool: ${s}`],
    ['Vejas9alyva', (s) => `slaptažodžiu ${s}`],
    ['Vejs9oliva', (s) => `parole: ${s}`],
    ['Vindur9oliva', (s) => `lykilorð: ${s}`],
    ['Baad9zeytun', (s) => `رمز عبور من ${s} است`],
    ['Batas9jolpai', (s) => `পাসওয়ার্ড: ${s}`],
    ['Katru9olivam', (s) => `கடவுச்சொல் ${s}`],
    ['Upepo9zeituni', (s) => `nenosiri la wifi ni ${s}`],
    ['Wind9olyf', (s) => `nuwe wagwoord: ${s}`],
  ),
]
