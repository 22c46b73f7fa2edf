import { expect, test } from 'vitest'
import { type Page, setOnPage, styleFor } from './style.ts'

const style = styleFor({ write: () => undefined }, { env: {} })
const onPage = (text: string, width: number) => setOnPage(text, { style, width } satisfies Page)

test.each([
  ['Tea is at four o clock', 20, 'Tea is at four o\nclock'],
  [
    '[1] 1a2b3c4d  Tea is at four and cake at five',
    34,
    '[1] 1a2b3c4d  Tea is at four and\n              cake at five',
  ],
  ['✓ file        It is whole and sound', 29, '✓ file        It is whole and\n              sound'],
  ['Run `elfmem help all` to see them', 24, 'Run `elfmem help all` to\nsee them'],
  ['東京は雨 東京は雨 東京は雨', 20, '東京は雨 東京は雨\n東京は雨'],
  [
    '  supports  0.80  3f2a9c1e  Tea is at four and cake at five',
    30,
    '  supports  0.80  3f2a9c1e\n    Tea is at four and cake at\n    five',
  ],
  [
    '  near duplicate  0.90  Tea is at four and cake at five',
    40,
    '  near duplicate  0.90  Tea is at four\n    and cake at five',
  ],
  ['  Tea is at four and cake at five', 24, '  Tea is at four and\n  cake at five'],
  [
    '\u001b[32mfile\u001b[39m        It is whole and sound',
    29,
    '\u001b[32mfile\u001b[39m        It is whole and\n            sound',
  ],
  ['one  two  three', 80, 'one  two  three'],
])('setOnPage breaks a long line under its text: %s', (text, width, set) => {
  expect(onPage(text, width)).toBe(set)
})

test('setOnPage of no terminal leaves long lines as they are', () => {
  const line = 'tea '.repeat(100)
  expect(onPage(line, Number.POSITIVE_INFINITY)).toBe(line)
})
