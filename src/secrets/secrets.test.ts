import fc from 'fast-check'
import { expect, test } from 'vitest'
import { POSITIVES } from '../../test/secrets/positives.ts'
import { stripInvisible } from '../block/text.ts'
import { redactSecrets } from './secrets.ts'

test('redactSecrets takes out a secret that an invisible character breaks', () => {
  const hidden = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\u202e', '\u001b[31m', '\u{e0041}')
  fc.assert(
    fc.property(hidden, fc.constantFrom(...POSITIVES), fc.nat(), (sign, { secret, text }, nth) => {
      const at = text.indexOf(secret) + 1 + (nth % (secret.length - 1))
      const broken = text.slice(0, at) + sign + text.slice(at)
      expect(stripInvisible(redactSecrets(broken).text)).toBe(redactSecrets(text).text)
    }),
    { numRuns: 500 },
  )
})

test('redactSecrets leaves beginnings of secrets without an end, however many', () => {
  const beginnings = [
    '-----BEGIN RSA PRIVATE KEY-----',
    'eyJ',
    'eyJa.',
    'sk-',
    'ghp_',
    'AKIA',
    'password',
    'token:',
    'postgres://a:',
    'bearer ',
    '4 ',
  ]
  for (const beginning of beginnings) {
    const hostile = beginning.repeat(Math.ceil(100_000 / beginning.length))
    expect(redactSecrets(hostile).text).toBe(hostile)
  }
})
