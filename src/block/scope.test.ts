import { expect, test } from 'vitest'
import { ElfmemError } from '../errors.ts'
import { isScope, normaliseScope } from './block.ts'

test('normaliseScope trims and composes a scope, and keeps its case', () => {
  expect(normaliseScope(' github.com/X/y ')).toBe('github.com/X/y')
  expect(normaliseScope('cafe\u0301')).toBe('caf\u00e9')
  expect(normaliseScope('Project-A')).not.toBe(normaliseScope('project-a'))
})

test.each(['', '   ', 'two words', 'a\tb', 'a\u200bb', 'a\0', '\ud800', 'x'.repeat(129)])(
  'normaliseScope refuses %j',
  (scope) => {
    expect(isScope(scope.trim())).toBe(false)
    expect(() => normaliseScope(scope)).toThrow(ElfmemError)
  },
)

test.each(['a', 'user@example.com', 'whatsapp:+49123', '東京', '👩‍🚀'.slice(0, 2), 'x'.repeat(128)])(
  'normaliseScope leaves %s as it is',
  (scope) => expect(normaliseScope(scope)).toBe(scope),
)
