import { type SecretRule, shaped } from '../rule.ts'
import { isPassword, isPlaceholder, isWordPassword } from '../values.ts'

const isNoPlaceholder = (value: string): boolean => !isPlaceholder(value)
const NAMES = 'password|passwd|passphrase|pwd|secret|token|api[_-]?key'
const NAME_WORDS = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'api_key',
  'api-key',
  'apikey',
]

/** Secrets in what devices and programs are configured with, where the line or the element says what they are. */
export const CONFIGURED_RULES: readonly SecretRule[] = [
  // A block of YAML: the value stands on the lines below, further in.
  shaped(
    'password',
    new RegExp(
      `(?<before>(?:${NAMES})["']?:[ \\t]{1,8}[|>][+-]?\\d?[ \\t]{0,8}\\n[ \\t]{1,32})[^\\s#][^\\n]{3,512}`,
      'iy',
    ),
    { keywords: NAME_WORDS, accepts: (value) => !/\s\S+\s/.test(value) && isNoPlaceholder(value) },
  ),
  // An element within the one that names it, and an attribute beside it.
  shaped(
    'password',
    new RegExp(
      `(?<before>(?:${NAMES})(?:>\\s{0,32}<value>|"\\s{0,4}>\\s{0,32}<value>|"\\s{1,8}value="))[^<>"\\n]{3,256}(?=[<"])`,
      'iy',
    ),
    {
      keywords: NAME_WORDS,
      accepts: (value) => !/\s/.test(value) && isWordPassword(value) && isNoPlaceholder(value),
    },
  ),
  // What a RADIUS server shares with a client of it.
  shaped(
    'shared secret',
    /(?<before>\bclient\s{1,4}[\w.:/-]{1,64}\s{0,4}\{[^}]{0,400}?\bsecret\s{0,4}=\s{0,4}["']?)[^\s"'}#]{3,128}/y,
    { keywords: ['client'], accepts: isWordPassword },
  ),
  shaped(
    'community string',
    /(?<before>\b(?:snmp-server\s{1,4}community|r[ow]community6?|com2sec6?\s{1,4}\S{1,64}\s{1,4}\S{1,64})\s{1,4}["']?)[^\s"']{3,64}/iy,
    { keywords: ['snmp-server', 'rocommunity', 'rwcommunity', 'com2sec'], accepts: isCommunity },
  ),
  shaped('pre-shared key', /(?<before>:\s{1,4}(?:PSK|XAUTH|EAP)\s{1,4}["'])[^"'\n]{3,256}(?=["'])/y, {
    keywords: [': psk', ': xauth', ': eap', ':\tpsk'],
    accepts: isNoPlaceholder,
  }),
  // The secrets of PAP and CHAP: client, server, secret.
  shaped(
    'password',
    /(?<before>(?<![^\n])["']?[\w.@+-]{1,64}["']?[ \t]{1,8}\*[ \t]{1,8}["'])[^"'\n]{3,128}(?=["'](?:[ \t]|\n|$))/y,
    {
      keywords: [' * ', '\t*\t', ' *\t', '\t* ', '  * '],
      lead: [/[\w.@+"' \t-]/, 80],
      accepts: isWordPassword,
    },
  ),
  shaped(
    'shared secret',
    /(?<before>\b(?:(?:radius|tacacs)(?:-server|\+)?\b[^\n]{0,80}?\bkey|crypto\s{1,4}isakmp\s{1,4}key|pre-shared-key(?:\s{1,4}address\s{1,4}\S{1,64}\s{1,4}key)?)\s{1,4}(?:[0-9]\s{1,4})?["']?)[^\s"']{4,128}/iy,
    { keywords: ['radius', 'tacacs', 'crypto', 'pre-shared-key'], accepts: isPassword },
  ),
  shaped(
    'password',
    /(?<before>\bppp\s{1,4}(?:chap|pap)\s[^\n]{0,80}?\bpassword\s{1,4}(?:\d\s{1,4})?)\S{3,128}/iy,
    {
      keywords: ['ppp '],
      accepts: isWordPassword,
    },
  ),
]

/** The two that every device is delivered with open nothing by themselves. */
function isCommunity(value: string): boolean {
  return isWordPassword(value) && !/^(?:public|private|string|name)$/i.test(value)
}
