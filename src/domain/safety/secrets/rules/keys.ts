import { type SecretRule, shaped } from '../rule.ts'
import { isRandomKey } from '../values.ts'

/**
 * A private key without its BEGIN line. Its DER begins in base64 as that of RSA (PKCS#1), of PKCS#8, open or encrypted, of
 * EC, of Ed25519 or of OpenSSH does, and as no certificate and no public key.
 */
const KEY_BODY =
  /(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}(?:[AQgw]IBA(?:AK[BC]|DAN)|[DTjz][AB][A-Za-z0-9+/]BgkqhkiG9w0BBQ)|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBE|MI(?:GH|G2|Hu)AgEAMB[AM]G|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjEAAAA)[A-Za-z0-9+/]{4,64}(?:(?:\\[rn]|\s){0,8}[A-Za-z0-9+/]{8,128}){0,400}={0,2}/y

/** Keys in files and headers: blocks between BEGIN and END first, as they may contain anything. */
export const KEY_RULES: readonly SecretRule[] = [
  shaped(
    'private key',
    /(?<before>\bPrivate-Lines: \d{1,3}\s{1,4})[A-Za-z0-9+/]{4,76}={0,2}(?:\s{1,2}[A-Za-z0-9+/]{4,76}={0,2}(?=\s|$)){0,200}/y,
  ),
  shaped(
    'private key',
    /(?<before>\b(?:minisign|rsign|signify)\b[^\n]{0,60}?\bsecret key\s{0,4}\n\s{0,4})RW[A-Za-z0-9+/]{60,400}={0,2}/iy,
    { keywords: ['minisign', 'rsign', 'signify'] },
  ),
  shaped(
    'wallet private key',
    /(?<before>\b(?:wif|wallet|bitcoin|btc)\b[^\n]{0,60}?[\s:="'])(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![1-9A-Za-z])/iy,
    { keywords: ['wif', 'wallet', 'bitcoin', 'btc'], accepts: isRandomKey },
  ),
  shaped('Firebase server key', /(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{100,200}/y, {
    keywords: [':apa91b'],
    lead: [/[\w-]/, 11],
  }),
  shaped('Google refresh token', /(?<![\w/:.-])1\/\/0[\w-]{30,250}/y, { keywords: ['1//0'] }),
  shaped('unseal key', /(?<before>\bunseal key(?: \d{1,2})?\s{0,2}[:=]\s{0,4})[A-Za-z0-9+/]{40,88}={0,2}/iy),
  shaped(
    'one-time password seed',
    /(?<before>\b(?:totp|2fa|mfa|otp|authenticator)\b[^\n:=]{0,40}?\b(?:seed|secret|key)\b[^\n:=]{0,40}?(?:[:=]|\bis\b)\s{0,4}["'`]?)(?:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}|[A-Z2-7]{16,64}={0,6})(?![A-Za-z0-9])/iy,
    {
      keywords: ['totp', '2fa', 'mfa', 'otp', 'authenticator'],
      accepts: (value) => value === value.toUpperCase() || /[2-7]/.test(value),
    },
  ),
  shaped(
    'PGP private key',
    /-----BEGIN PGP PRIVATE KEY BLOCK-----(?:[^-]|-(?!----)){0,40000}-----END PGP PRIVATE KEY BLOCK-----/y,
  ),
  shaped(
    'OpenSSH private key',
    /-----BEGIN OPENSSH PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}-----END OPENSSH PRIVATE KEY-----/y,
  ),
  shaped(
    'private key',
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----/y,
  ),
  // A block cut off before its END is as secret as a whole one.
  shaped(
    'private key',
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:\\[rn]|\s){1,8}[A-Za-z0-9+/=]{16,128}){1,400}/y,
  ),
  shaped(
    'SSH2 private key',
    /---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?:[^-]|-(?!---)){0,20000}---- END SSH2 ENCRYPTED PRIVATE KEY ----/y,
  ),
  shaped(
    'OpenVPN static key',
    /-----BEGIN OpenVPN Static key V1-----(?:[^-]|-(?!----)){0,8000}-----END OpenVPN Static key V1-----/y,
  ),
  shaped('private key', KEY_BODY, {
    keywords: ['mii', 'mig', 'mih', 'mhccaqeei', 'mc4caqaw', 'b3blbnnzac1rzxkt'],
    accepts: (value) => value.length >= 48,
  }),
  shaped(
    'PuTTY private key',
    /(?<before>PuTTY-User-Key-File-[23]:[^\n]{1,80}\n(?:[^\n]{1,100}\n){1,60}?Private-Lines: \d{1,3}\r?\n)(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,60}/y,
    { keywords: ['putty-user-key-file-'] },
  ),
  shaped('age secret key', /(?<![A-Za-z0-9-])AGE-SECRET-KEY-1[0-9A-Z]{58}/iy),
  shaped('age secret key', /(?<![A-Z0-9-])AGE-PLUGIN-[A-Z0-9]{1,32}-1[0-9A-Z]{40,400}/y),
  shaped(
    'WireGuard private key',
    /(?<before>\b(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4})[A-Za-z0-9+/]{43}=/iy,
    { keywords: ['privatekey', 'presharedkey'] },
  ),
  shaped('Nostr secret key', /(?<![a-z0-9])nsec1[02-9ac-hj-np-z]{58}(?![a-z0-9])/y),
  shaped('wallet private key', /(?<![A-Za-z0-9])[xyz]prv[1-9A-HJ-NP-Za-km-z]{107,108}(?![A-Za-z0-9])/y, {
    keywords: ['xprv', 'yprv', 'zprv'],
  }),
  shaped('JWT', /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{10,1400}/y),
  // Encrypted tokens have five parts; the first says so.
  shaped(
    'JWE',
    /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{0,1000}\.[\w-]{8,40}\.[\w-]{8,8000}\.[\w-]{16,44}(?![\w-])/y,
  ),
  shaped('JWT', /(?<![\w+/-])ZXlK[\w+/-]{60,8000}={0,2}/y, { keywords: ['zxlk'] }),
]
