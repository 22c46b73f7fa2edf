import { type SecretRule, shaped } from '../rule.ts'

const B64 = '[./A-Za-z0-9+]'

/** Hashes of passwords: whoever has one can guess at it for as long as they like. */
export const HASH_RULES: readonly SecretRule[] = [
  shaped('password hash', /\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}/y, {
    keywords: ['$2a$', '$2b$', '$2x$', '$2y$', '$2$'],
  }),
  shaped(
    'password hash',
    /\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z]=\d{1,10}(?:,[a-z]{1,6}=[\w+/]{1,64}){1,5}\$[A-Za-z0-9+/]{8,128}\$[A-Za-z0-9+/]{16,256}/y,
    {
      keywords: ['$argon2'],
    },
  ),
  shaped('password hash', new RegExp(`\\$[156]\\$(?:rounds=\\d{1,9}\\$)?${B64}{1,16}\\$${B64}{22,86}`, 'y'), {
    keywords: ['$1$', '$5$', '$6$'],
  }),
  shaped('password hash', new RegExp(`\\$(?:apr1|md5)\\$${B64}{1,16}\\$${B64}{22}`, 'y'), {
    keywords: ['$apr1$', '$md5$'],
  }),
  shaped(
    'password hash',
    new RegExp(`\\$(?:y|gy|7|8|9|sha1|scram)\\$(?:[\\w.,=]{1,24}\\$)?${B64}{1,64}\\$${B64}{22,128}`, 'y'),
    {
      keywords: ['$y$', '$gy$', '$7$', '$8$', '$9$', '$sha1$', '$scram$'],
    },
  ),
  shaped('password hash', /\$[PHS]\$[./A-Za-z0-9]{31,55}/y, { keywords: ['$p$', '$h$', '$s$'] }),
  shaped(
    'password hash',
    new RegExp(
      `\\$(?:pbkdf2(?:-sha\\d{1,3})?|scrypt|bcrypt-sha256)\\$[\\w=,.-]{1,64}\\$${B64}{4,128}={0,2}(?:\\$${B64}{16,256}={0,2})?`,
      'y',
    ),
    {
      keywords: ['$pbkdf2', '$scrypt$', '$bcrypt-sha256$'],
    },
  ),
  shaped(
    'password hash',
    /(?<!\w)pbkdf2(?:_|:)sha\d{1,3}[$:]\d{1,9}\$[\w.=+/-]{1,64}\$[A-Za-z0-9+/]{16,128}={0,2}/y,
    {
      keywords: ['pbkdf2_sha', 'pbkdf2:sha'],
    },
  ),
  shaped('password hash', /(?<!\w)scrypt:\d{1,9}:\d{1,4}:\d{1,4}\$[\w.=+/-]{1,64}\$[0-9a-f]{32,256}/iy, {
    keywords: ['scrypt:'],
  }),
  shaped(
    'password hash',
    /(?<!\w)(?:bcrypt_sha256|argon2|scrypt|sha1|md5)\$[\w.=,$+/-]{0,80}\$[./A-Za-z0-9+$=,]{28,256}/y,
    {
      keywords: ['bcrypt_sha256$', 'argon2$', 'scrypt$', 'sha1$', 'md5$'],
    },
  ),
  shaped(
    'password hash',
    /\{(?:S?SHA(?:\d{3})?|S?MD5|PBKDF2(?:-SHA\d{1,3})?|CRYPT|ARGON2|BCRYPT)\}[./A-Za-z0-9+=$,-]{16,256}/iy,
    {
      keywords: ['{sha', '{ssha', '{md5', '{smd5', '{pbkdf2', '{crypt}', '{argon2}', '{bcrypt}'],
    },
  ),
  shaped(
    'password hash',
    /SCRAM-SHA-(?:1|256|512)\$\d{1,9}:[A-Za-z0-9+/=]{4,128}\$[A-Za-z0-9+/=]{16,128}:[A-Za-z0-9+/=]{16,128}/y,
  ),
  shaped('password hash', /(?<before>\bPASSWORD\s{1,4}["'])md5[0-9a-f]{32}(?=["'])/iy, {
    keywords: ['password'],
  }),
  shaped('password hash', /(?<before>["' ])\*[0-9A-F]{40}(?![0-9A-Za-z])/y, {
    keywords: ['"', "'", ' '].flatMap((before) =>
      [...'0123456789abcdef'].map((digit) => `${before}*${digit}`),
    ),
  }),
  shaped(
    'password hash',
    /(?<before>(?<![\w.$\\-])[\w.$\\-]{1,64}:\d{1,9}:)[0-9a-f]{32}:[0-9a-f]{32}(?=:::)/iy,
    {
      keywords: [':::'],
      lead: [/[\w.$\\:-]/, 160],
    },
  ),
  shaped(
    'password hash',
    /(?<before>\b(?:password|passwd|pwd|pass)[ _-]?(?:hash|digest|md5|sha\d{0,3})\\?["'`]?\s{0,4}(?:=>|:=|={1,2}|:|\bis\b|\|)\s{0,4}\\?["'`]?)[0-9a-f]{32,128}(?![0-9a-f])/iy,
    {
      keywords: ['password', 'passwd', 'pwd', 'pass'],
    },
  ),
  shaped('password hash', /(?<before>\b(?:ntlm|lm|nt)[ _-]?hash\W{1,4})[0-9a-f]{32}(?![0-9a-f])/iy, {
    keywords: ['ntlm', 'lm hash', 'lm_hash', 'nt hash', 'nt_hash', 'nthash'],
  }),
]
