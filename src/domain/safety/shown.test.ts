import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONTINUATION, shown, shownEntry, shownLine } from './shown.ts'

const hostile = fc.constantFrom(
  ...[
    '\n',
    '\r',
    '\u2028',
    '\u0085',
    '!',
    '[',
    '![',
    '<',
    '<img ',
    '<scr',
    'ipt>',
    '\u200b',
    '\u001b[2K',
    '| ',
    '## ',
    '1. ',
  ],
)
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 5 })))
  .map((parts) => parts.join(''))

test('every line of an entry but its first begins with a bar', () => {
  fc.assert(
    fc.property(text, (one) => {
      const [, ...further] = shownEntry(one).split('\n')
      expect(further.filter((line) => !line.startsWith(CONTINUATION.trimEnd()))).toEqual([])
    }),
  )
})

test('behind the bars stands what was said', () => {
  expect(shownEntry('Steps:\r\n\r\n## Build\n  run it')).toBe('Steps:\n|\n| ## Build\n|   run it')
})

test('one line stays one line, whatever it is made of', () => {
  expect(shownLine(' Ana)\n\n[2] Ben\u2028(x ')).toBe('Ana) [2] Ben (x')
  fc.assert(
    fc.property(text, (one) => {
      expect(shownLine(one)).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f]/)
    }),
  )
})

test('showing what is shown already changes nothing more', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(shown(shown(one))).toBe(shown(one))
    }),
  )
})

test.each([
  ['![a](https://x.example/p)', '! [a](https://x.example/p)'],
  ['!\u200b[a](https://x.example/p)', '! [a](https://x.example/p)'],
  ['![a][ref]', '! [a][ref]'],
  ['<img src=x>', '‹img src=x>'],
  ['<IMG/src=x>', '‹IMG/src=x>'],
  ['<script>', '‹script>'],
  ['<im\u00adg src=x>', '‹img src=x>'],
])('nothing that a client would fetch is left of %j', (markup, harmless) => {
  expect(shown(markup)).toBe(harmless)
})

test.each([
  '[docs](https://x.example)',
  'Wow! [1] is it',
  'a < b and <b>bold</b>',
  '<imgproxy> runs',
  'x[!y]',
])('ordinary text and links stay: %s', (plain) => {
  expect(shown(plain)).toBe(plain)
})
