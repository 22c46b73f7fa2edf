import { expect, test } from 'vitest'
import { ElfmemError } from '../../errors.ts'
import { isScope, normaliseScope } from './scope.ts'

test('a scope is trimmed and composed, and nothing else', () => {
  expect(normaliseScope(' github.com/X/y ')).toBe('github.com/X/y')
  expect(normaliseScope('cafe\u0301')).toBe('caf\u00e9')
  expect(normaliseScope('Project-A')).not.toBe(normaliseScope('project-a'))
})

test.each(['', '   ', 'two words', 'a\tb', 'a\u200bb', 'a\0', '\ud800', 'x'.repeat(129)])(
  'what cannot be told apart by eye is no scope: %j',
  (scope) => {
    expect(isScope(scope.trim())).toBe(false)
    expect(() => normaliseScope(scope)).toThrow(ElfmemError)
  },
)

test.each(['a', 'user@example.com', 'whatsapp:+49123', '東京', '👩‍🚀'.slice(0, 2), 'x'.repeat(128)])(
  'ids and paths of every kind are scopes: %s',
  (scope) => expect(normaliseScope(scope)).toBe(scope),
)
