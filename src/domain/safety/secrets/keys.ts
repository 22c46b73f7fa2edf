import { type SecretPattern, shaped } from './pattern.ts'

/** Keys in files and headers: blocks between BEGIN and END first, as they may contain anything. */
export const KEY_PATTERNS: readonly SecretPattern[] = [
  shaped(
    'PGP private key',
    /-----BEGIN PGP PRIVATE KEY BLOCK-----(?:[^-]|-(?!----)){0,40000}-----END PGP PRIVATE KEY BLOCK-----/g,
  ),
  shaped(
    'OpenSSH private key',
    /-----BEGIN OPENSSH PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}-----END OPENSSH PRIVATE KEY-----/g,
  ),
  shaped(
    'private key',
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----/g,
  ),
  // A block cut off before its END is as secret as a whole one.
  shaped(
    'private key',
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[rn]|\s){1,8}[A-Za-z0-9+/=]{16,128}){1,400}/g,
  ),
  shaped(
    'PuTTY private key',
    // Bounded: 60 lines of at most 100 signs from each line that names such a file.
    /(?<before>PuTTY-User-Key-File-[23]:[^\n]{1,80}\n(?:[^\n]{1,100}\n){1,60}?Private-Lines: \d{1,3}\r?\n)(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,60}/g,
  ),
  shaped('age secret key', /(?<![A-Z0-9-])AGE-SECRET-KEY-1[0-9A-Z]{58}/g),
  shaped(
    'WireGuard private key',
    /(?<before>\b(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4})[A-Za-z0-9+/]{43}=/g,
  ),
  shaped('Nostr secret key', /(?<![a-z0-9])nsec1[02-9ac-hj-np-z]{58}(?![a-z0-9])/g),
  shaped('wallet private key', /(?<![A-Za-z0-9])[xyz]prv[1-9A-HJ-NP-Za-km-z]{107,108}(?![A-Za-z0-9])/g),
  shaped('JWT', /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{16,1400}/g, '.eyJ'),
  shaped(
    'authorization header',
    /(?<before>\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|apikey|bot)\s{1,4})[\w+/=.~-]{8,4096}/gi,
  ),
  {
    kind: 'bearer token',
    shape: /(?<before>\bbearer\s{1,4})[\w+/=.~-]{20,4096}/gi,
    accepts: (value) => /\d/.test(value) && /[A-Za-z]/.test(value),
  },
]
