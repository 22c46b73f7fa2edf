import { type SecretRule, shaped } from '../rule.ts'
import { isKey, isPassword, isPlaceholder, isSaidPassword, isWordPassword } from '../values.ts'

/** Up to the flag, on the same line and in the same command. */
const WITHIN = '[^\\n|;&]{0,200}?'
const VALUE = '["\']?)[^\\s"\'|;&<>$/-][^\\s"\'|;&<>]{2,127}'

/** Commands, and the flag or place behind which only a password can stand. */
const COMMANDS: readonly (readonly [command: string, words: string, place: string])[] = [
  ['(?:mysql\\w{0,12}|mariadb(?:-\\w{1,12})?)', 'mysql|mariadb', '\\s-p'],
  [
    '(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)\\b[^\\n|;&]{0,60}?\\blogin',
    'docker|podman|nerdctl|buildah|skopeo|helm|oras|crane',
    '\\s-p(?:\\s{1,4}|=)',
  ],
  ['az\\s{1,4}(?:acr\\s{1,4})?login', 'az login|az acr', '\\s-p(?:\\s{1,4}|=)'],
  ['sshpass', 'sshpass', '\\s-p\\s{0,4}'],
  ['redis-cli', 'redis-cli', '\\s-a\\s{1,4}'],
  ['mongo(?:sh|dump|restore|export|import)?', 'mongo', '\\s-p\\s{1,4}'],
  ['ldap(?:search|modify|add|delete|passwd|whoami)', 'ldap', '\\s-w\\s{1,4}'],
  ['mosquitto_(?:pub|sub|rr)', 'mosquitto_', '\\s-P\\s{1,4}'],
  ['(?:sqlcmd|bcp|osql)', 'sqlcmd|bcp |osql', '\\s-P\\s{0,4}'],
  ['(?:zip|ipmitool|isql|nzsql)', 'zip |ipmitool|isql|nzsql', '\\s-P\\s{1,4}'],
  ['unzip', 'unzip', '\\s-P\\s{1,4}'],
  ['(?:7z|7za|rar|unrar)', '7z |7za |rar |unrar ', '\\s-h?p'],
  ['gpg2?', 'gpg', '\\s--passphrase(?:\\s{1,4}|=)'],
  ['(?:xfreerdp|wfreerdp|mstsc)', 'xfreerdp|wfreerdp|mstsc', '\\s/p(?:assword)?:'],
  ['rdesktop', 'rdesktop', '\\s-p\\s{1,4}'],
  [
    '(?:smbclient|rpcclient|smbmap|mount\\.cifs|net rpc)',
    'smbclient|rpcclient|smbmap|mount.cifs|net rpc',
    '\\s-U\\s{0,4}["\']?[\\w.\\\\/-]{1,64}%',
  ],
  ['(?:keytool|jarsigner)', 'keytool|jarsigner', '\\s-(?:store|key|deststore|srcstore)pass\\s{1,4}'],
  ['openssl', 'openssl', '\\spass:'],
  ['htpasswd\\s{1,4}-\\w{0,6}b\\w{0,6}\\s{1,4}\\S{1,200}\\s{1,4}[\\w.@-]{1,64}', 'htpasswd', '!\\s{1,4}'],
  ['net\\s{1,4}use\\s{1,4}(?:\\S{1,3}\\s{1,4})?\\\\\\\\\\S{1,200}', 'net use', '!\\s{1,4}'],
  ['net\\s{1,4}user\\s{1,4}[\\w.-]{1,64}', 'net user', '!\\s{1,4}'],
  ['vault\\s{1,4}login', 'vault', '!\\s{1,4}'],
  [
    'aws\\s{1,4}configure\\s{1,4}set\\s{1,4}[\\w.-]{0,64}(?:secret_access_key|session_token)',
    'aws configure',
    '!\\s{1,4}',
  ],
  ['snmp(?:walk|get|set|bulkwalk)', 'snmp', '\\s-[AX]\\s{1,4}'],
  [
    '(?:psexec(?:64)?(?:\\.exe)?|[Pp]s[Ee]xec(?:64)?(?:\\.exe)?|evil-winrm|nxc|netexec|crackmapexec|cme)',
    'psexec|evil-winrm|nxc |netexec|crackmapexec|cme ',
    '\\s-p\\s{1,4}',
  ],
  [
    'qpdf\\b[^\\n]{0,100}?\\s--encrypt',
    'qpdf',
    '!\\s{1,4}(?=\\S{1,128}\\s{1,4}\\S{1,128}\\s{1,4}(?:40|128|256)\\b)',
  ],
  [
    'qpdf\\b[^\\n]{0,100}?\\s--encrypt\\s{1,4}\\S{1,128}',
    'qpdf',
    '!\\s{1,4}(?=\\S{1,128}\\s{1,4}(?:40|128|256)\\b)',
  ],
  ['pdftk', 'pdftk', '\\s(?:user_pw|owner_pw|input_pw)\\s{1,4}'],
  ['lftp', 'lftp', '\\s-u\\s{1,4}[\\w.@-]{1,64},'],
  ['gh\\s{1,4}secret\\s{1,4}set', 'gh secret', '\\s(?:--body|-b)(?:\\s{1,4}|=)'],
  ['security\\s{1,4}add-(?:generic|internet)-password', 'security add', '\\s-w\\s{1,4}'],
  ['az\\s{1,4}keyvault\\s{1,4}secret\\s{1,4}set', 'az keyvault', '\\s--value(?:\\s{1,4}|=)'],
  [
    'aws\\s{1,4}secretsmanager\\s{1,4}(?:put|create|update)-secret\\S{0,8}',
    'aws secretsmanager',
    '\\s--secret-string(?:\\s{1,4}|=)',
  ],
  [
    'kubectl\\s{1,4}create\\s{1,4}secret',
    'kubectl create',
    '\\s--from-literal(?:\\s{1,4}|=)["\']?[\\w.-]{1,64}=',
  ],
  ['cmdkey', 'cmdkey', '\\s/pass:'],
  [
    '(?:flyctl|fly|doppler|wrangler|supabase)\\s{1,4}secrets?\\s{1,4}set',
    'flyctl |fly secret|doppler|wrangler|supabase',
    '\\s\\w{1,64}=',
  ],
  ['vault\\s{1,4}kv\\s{1,4}(?:put|patch)', 'vault', '\\s[\\w.-]{1,64}='],
  ['(?:passwd|chpasswd)\\b[^\\n]{0,40}?<<<', 'passwd|chpasswd', '\\s{0,4}["\']?(?:[\\w.-]{1,64}:)?'],
]

/** Where the value stands: behind the flag wherever that is, or (`!`) right behind the command. */
function behind(place: string): string {
  return place.startsWith('!') ? place.slice(1) : `\\b${WITHIN}${place}`
}

/** Passwords that a command is given. */
export const COMMAND_RULES: readonly SecretRule[] = [
  shaped(
    'password',
    /(?<before>\b(?:sqlplus(?:64)?|expdp|impdp|sqlldr)\b(?:\s{1,4}-\w{1,8}){0,4}\s{1,4}(?:userid=)?["']?[\w.$#-]{1,64}\/)[^\s"'@/]{3,128}/iy,
    { keywords: ['sqlplus', 'expdp', 'impdp', 'sqlldr'], accepts: isWordPassword },
  ),
  ...COMMANDS.map(([command, words, place]) =>
    shaped('password', new RegExp(`(?<before>\\b${command}${behind(place)}${VALUE}`, 'y'), {
      keywords: words.split('|'),
      accepts: isWordPassword,
    }),
  ),
  shaped(
    'password',
    /(?<before>\b(?:curl|wget|http|https|xh)\b[^\n]{0,160}?\s(?:-u|--user|--proxy-user|-U|-a|--auth)[ =]{0,2}["']?[\w.@%+-]{1,64}:)[^\s"']{3,128}/y,
    {
      keywords: ['curl', 'wget', 'http ', 'https ', 'xh '],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  shaped('secret', /(?<before>\bcurl\b[^\n]{0,160}?\s(?:-u|--user)[ =]{0,2}["']?)[\w-]{16,200}(?=:["'\s])/y, {
    keywords: ['curl'],
    accepts: isKey,
  }),
  shaped(
    'secret',
    /(?<before>\bcurl\b[^\n]{0,160}?\s(?:-H|--header)[ =]{0,2}["'](?:x-[\w-]{0,24})?(?:api-?)?(?:key|token|auth):[ \t]{0,5})[\w=~@.+/-]{8,512}/iy,
    {
      keywords: ['curl'],
      accepts: (value) => !isPlaceholder(value) && /\d/.test(value),
    },
  ),
  shaped(
    'session cookie',
    /(?<before>\bcurl\b[^\n]{0,160}?\s(?:-b|--cookie)[ =]{0,2}["']?[\w.-]{1,64}=)[^\s;"']{8,4096}/y,
    {
      keywords: ['curl'],
      accepts: (value) => !isPlaceholder(value) && /\d/.test(value),
    },
  ),
  shaped(
    'password',
    /(?<before>\becho\s{1,4}(?:-n\s{1,4})?["']?)[^\s"'|]{3,128}(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4}-\w{0,4}S|passwd|docker\s|podman\s|gh\s|cryptsetup|kinit|su\b))/y,
    {
      keywords: ['echo '],
      accepts: isWordPassword,
    },
  ),
  shaped(
    'password',
    /(?<before>\b(?:echo|printf)\s{1,4}["']?[\w.@-]{1,64}:)[^\s"'|]{3,128}(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd)/y,
    {
      keywords: ['echo ', 'printf '],
      accepts: isWordPassword,
    },
  ),
  shaped(
    'password',
    /(?<before>\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'])[^"'\n]{3,128}(?=["'])/iy,
    {
      keywords: ['convertto-securestring'],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  shaped(
    'secret',
    /(?<before>(?<!\S)--?(?:[a-z]{1,16}-){0,3}(?:password|passwd|passphrase|token|secret|api-?key|access-key|secret-key|auth-token)(?:\s{1,4}|=)["']?)[^\s"'`,;<>-][^\s"'`,;<>]{5,511}/y,
    {
      keywords: [
        '-password',
        '-passwd',
        '-passphrase',
        '-token',
        '-secret',
        '-api',
        '-access-key',
        '-auth-token',
      ],
      lead: [/[a-z-]/, 64],
      accepts: (value) => isKey(value) || isSaidPassword(value) || isPassword(value),
    },
  ),
]
