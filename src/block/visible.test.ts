import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONTINUATION, shown, shownEntry, shownLine, stripInvisible } from './text.ts'

/** Texts as people write them, with every joiner and selector their script or emoji needs. */
const PLAIN: Readonly<Record<string, string>> = {
  Hindi: 'क्‍षमा और र्‍क के साथ हिन्दी।',
  Malayalam: 'അവന്‍ വന്നു',
  Sinhala: 'ශ්‍රී ලංකා',
  Persian: 'می‌خواهم کتاب‌ها را بخوانم',
  Arabic: 'مرحبا بالعالم، السَّلامُ عليكم',
  Hebrew: 'שלום עולם, בְּרֵאשִׁית',
  Thai: 'ภาษา\u200bไทย',
  Chinese: '中文，繁體字 葛\u{e0100}',
  Japanese: '日本語のテキスト。',
  families: '👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 ❤️ ❤️‍🔥 1️⃣ ☎︎ 🤷🏿‍♀️',
  flags: '🇩🇪 🇯🇵 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  code: 'if (a < b && c >> 2) {\n\treturn "x"\n}',
}

test.each(Object.entries(PLAIN))('stripInvisible leaves plain text as it is: %s', (_name, text) => {
  expect(stripInvisible(text)).toBe(text)
})

test.each([
  ['control characters', 'a\u0000b\u0008c\u007f', 'abc'],
  ['marks of direction', 'a\u202eb\u2066c\u2069\u200f', 'abc'],
  ['invisible spaces', 'pass\u200bword\ufeff\u2060\u00ad', 'password'],
  ['words in tag characters', 'Hi\u{e0049}\u{e0067}\u{e006e}\u{e0001}', 'Hi'],
  ['a flag that no country has', '🏴\u{e0078}\u{e0078}\u{e007f}', '🏴'],
  ['bytes in variation selectors', '😀\u{e0101}\ufe0f\ufe0e\u{e0120}', '😀'],
  ['joiners between Latin letters', 'a\u200db\u200cc', 'abc'],
  ['all but the first of several joiners', 'می\u200c\u200c\u200cخواهم', 'می\u200cخواهم'],
  [
    'colours and clicks of a terminal',
    '\u001b[31mred\u001b[0m \u001b]8;;https://x.example\u0007link\u001b]8;;\u001b\\',
    'red link',
  ],
  ['a command without an end', '\u001b]0;owned', '0;owned'],
  ['invisible letters', '\u3164\u115fx\uffa0', 'x'],
])('stripInvisible removes %s', (_name, text, visible) => {
  expect(stripInvisible(text)).toBe(visible)
})

test('stripInvisible makes every line end the same', () => {
  expect(stripInvisible('a\r\nb\rc\u2028d\u2029e\u0085f\vg')).toBe('a\nb\nc\nd\ne\nf\ng')
})

const hidden = fc.constantFrom(
  ...['\u200d', '\u200c', '\ufe0f', '\u202e', '\u001b', '[', '31m', ']', '\u0007', '\r', '\ud83c', '\udff4'],
  ...['🏴', '\u{e0067}', '\u{e006e}', '\u{e007f}', '❤', 'क', '्', 'ف', 'a'],
)
const mixed = fc
  .array(fc.oneof(hidden, fc.string({ unit: 'binary', maxLength: 2 })))
  .map((parts) => parts.join(''))

test('stripInvisible leaves no control character and no mark of direction', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      expect(stripInvisible(text)).not.toMatch(
        /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/u,
      )
    }),
  )
})

const hostile = fc.constantFrom(
  ...['\n', '\r', '\u2028', '!', '[', '<', '<img ', '\u200b', '\u001b[2K', '| ', '## ', '1. '],
)
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 5 })))
  .map((parts) => parts.join(''))

test('shownEntry begins every further line with a bar', () => {
  fc.assert(
    fc.property(text, (one) => {
      const [, ...further] = shownEntry(one).split('\n')
      expect(further.filter((line) => !line.startsWith(CONTINUATION.trimEnd()))).toEqual([])
    }),
  )
})

test('shownEntry keeps the words behind the bars', () => {
  expect(shownEntry('Steps:\r\n\r\n## Build\n  run it')).toBe('Steps:\n|\n| ## Build\n|   run it')
})

test('shownLine of any text is one line', () => {
  expect(shownLine(' Ana)\n\n[2] Ben\u2028(x ')).toBe('Ana) [2] Ben (x')
  fc.assert(
    fc.property(text, (one) => {
      expect(shownLine(one)).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f]/)
    }),
  )
})

test.each([
  ['![a](https://x.example/p)', '! [a](https://x.example/p)'],
  ['!\u200b[a](https://x.example/p)', '! [a](https://x.example/p)'],
  ['<img src=x>', '‹img src=x>'],
  ['<script>', '‹script>'],
  ['<im\u00adg src=x>', '‹img src=x>'],
])('shown of %j has nothing that a client would fetch', (markup, harmless) => {
  expect(shown(markup)).toBe(harmless)
})

test.each(['[docs](https://x.example)', 'Wow! [1] is it', 'a < b and <b>bold</b>'])(
  'shown leaves ordinary text and links: %s',
  (plain) => {
    expect(shown(plain)).toBe(plain)
  },
)
