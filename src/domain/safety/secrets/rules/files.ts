import { type SecretRule, shaped } from '../rule.ts'
import { isKey, isPassword, isPlaceholder, isWordPassword } from '../values.ts'

/** How far from a part of a key the rest of a JSON Web Key may stand, in UTF-16 units. */
const NEAR = 3000

const jwkPart = shaped(
  'private key',
  /(?<before>\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s{0,8}:\s{0,8}\\?")[\w-]{20,1400}={0,2}(?=\\?")/y,
  {
    keywords: ['"d', '"p', '"q', '"k']
      .flatMap((begin) => [`${begin}"`, `${begin}\\`])
      .concat('"dp"', '"dq"', '"qi"'),
    accepts: isKey,
  },
)

/** Secrets where the files of programs keep them. */
export const FILE_RULES: readonly SecretRule[] = [
  {
    ...jwkPart,
    find: (text, at, length) => {
      const found = jwkPart.find(text, at, length)
      return found.length > 0 && /"kty\\?"/.test(text.slice(Math.max(0, at - NEAR), at + NEAR)) ? found : []
    },
  },
  shaped(
    'password',
    /(?<before>(?:\bmachine\s{1,8}\S{1,100}|(?<![^\n])default)\s{1,8}(?:(?:login|user|account)\s{1,8}\S{1,100}\s{1,8}){0,2}(?:password|passwd)\s{1,8}"?)[^\s"]{1,128}/iy,
    { keywords: ['machine', 'default'], accepts: isWordPassword },
  ),
  shaped(
    'password',
    /(?<before>(?<![^\n])[\w.*-]{1,100}:(?:\d{2,5}|\*):[^:\n]{1,64}:[^:\n]{1,64}:)[^\s:]{3,128}(?![^\n])/y,
    {
      keywords: [
        ':*:',
        ...['5432', '5433', '5434', '5435', '6432', '6543', '3306', '26257', '5439'].map(
          (port) => `:${port}:`,
        ),
      ],
      lead: [/[\w.*-]/, 100],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  shaped('password', /(?<before>\b(?:requirepass|masterauth)\s{1,8}["']?)[^\s"']{3,128}/iy, {
    keywords: ['requirepass', 'masterauth'],
    accepts: (value) => isPassword(value) || /^[\w-]{12,}$/.test(value),
  }),
  shaped(
    'password',
    /(?<before>\bidentified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?['"])[^'"\n]{1,128}(?=['"])/iy,
    {
      keywords: ['identified'],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  shaped(
    'password',
    /(?<before>\b(?:with|encrypted|role|user|login)\s{1,4}(?:\S{1,64}\s{1,4}){0,4}?password\s{1,4}')[^'\n]{1,128}(?=')/iy,
    {
      keywords: ['with', 'encrypted', 'role', 'user', 'login'],
      accepts: (value) => !isPlaceholder(value),
    },
  ),
  shaped('password', /(?<before>\bpassword\s{0,2}\(\s{0,2}['"])[^'"\n]{4,128}(?=['"]\s{0,2}\))/iy, {
    accepts: (value) => isWordPassword(value) && !/\s/.test(value),
  }),
  shaped(
    'password',
    /(?<before>\b(?:ENV|ARG)\s{1,4}\w{0,40}(?:PASSWORD|PASSWD|PASS|PWD)\s{1,4}["']?)[^\s"']{3,128}/y,
    {
      keywords: ['env ', 'arg '],
      accepts: isWordPassword,
    },
  ),
  shaped(
    'secret',
    /(?<before>\b(?:ENV|ARG)\s{1,4}\w{0,40}(?:SECRET|TOKEN|KEY)\s{1,4}["']?)[^\s"']{12,512}/y,
    {
      keywords: ['env ', 'arg '],
      accepts: isKey,
    },
  ),
  shaped('password', /(?<before><add\s{1,4}key="(?:ClearText)?Password"\s{1,4}value=")[^"\n]{1,256}(?=")/iy, {
    keywords: ['<add'],
    accepts: (value) => !isPlaceholder(value) && !/^%.*%$/.test(value),
  }),
  shaped(
    'password',
    /(?<before>\b(?:enable|username \S{1,64}|neighbor \S{1,64}) (?:privilege \d{1,2} )?(?:secret|password) (?:\d )?)\S{3,128}/iy,
    {
      keywords: ['enable ', 'username ', 'neighbor '],
      accepts: (value) => isPassword(value) || /^[0-9A-F]{8,64}$/.test(value),
    },
  ),
  shaped('registry login', /(?<before>"auth"\s{0,8}:\s{0,8}")[A-Za-z0-9+/]{8,2000}={0,2}(?=")/y, {
    keywords: ['"auth"'],
    accepts: (value) => /\d/.test(value) || value.endsWith('='),
  }),
  shaped(
    'Ansible vault',
    /(?<before>\$ANSIBLE_VAULT;1\.\d;AES256(?:;\w{1,64})?\s{1,16})(?:[0-9a-f]{40,80}\s{0,16}){1,400}/iy,
    {
      keywords: ['$ansible_vault;'],
    },
  ),
]

/** Values of a Kubernetes secret, by whatever names. */
const SECRET_VALUE = /^([ \t]+)["']?[\w.-]{1,253}["']?:[ \t]*["']?([^\s"'#|>][^\n"']{3,8191}?)["']?[ \t]*$/

/** Finds the values under `data` and `stringData` of a Kubernetes secret, whatever their names. */
export const KUBERNETES_SECRET: SecretRule = {
  kind: 'Kubernetes secret',
  keywords: ['kind: secret', 'kind: "secret"', "kind: 'secret'"],
  find: (text, at) => {
    const document = text.slice(at, at + 8192).split(/\n---/, 1)[0] ?? ''
    const found: { start: number; end: number }[] = []
    let isData = false
    let offset = at
    for (const line of document.split('\n')) {
      const match = SECRET_VALUE.exec(line.slice(0, 8192))
      if (/^\S/.test(line)) isData = /^(?:stringData|data):/.test(line)
      else if (isData && match?.[2] !== undefined && !isPlaceholder(match[2])) {
        const start = offset + line.indexOf(match[2], line.indexOf(':') + 1)
        found.push({ start, end: start + match[2].length })
      }
      offset += line.length + 1
    }
    return found
  },
}
