import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandAgain, shellWord } from '../../../dashboard/command.ts'
import { wordDifference } from '../../../dashboard/parts/word-difference.ts'
import { shown } from '../../../dashboard/shown.ts'
import { shellWord as wordOfShell } from '../../../src/block/text.ts'

test('shown text holds no sign that turns the writing, whatever was given', () => {
  const sign = fc.constantFrom(
    ...['\u202e', '\u2066', '\u200f', '\ud83d', '\ude00', '\u{e0067}', '\u{1f3f4}'],
    ...['a', ' '],
  )
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
      expect(shown(signs.join(''))).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\p{Cs}]/u)
    }),
  )
})

test('a command to copy quotes every name, and leaves out a name that would read otherwise', () => {
  expect(commandAgain({ location: '/srv/my notes.db', scope: '-x', readOnly: true })).toBe(
    "elfmem dashboard --db '/srv/my notes.db' --scope='-x' --read-only",
  )
  expect(commandAgain({ location: '/a/\u202eb.db', scope: 'home', readOnly: false })).toBe(
    'elfmem dashboard --scope home',
  )
  expect(shellWord('/a/$(reboot) `x`.db')).toBe("'/a/$(reboot) `x`.db'")
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const word = shellWord(text)
      if (word !== undefined) expect(word).toBe(wordOfShell(text))
    }),
  )
})

test('a difference of words marks what differs on both sides, and both sides stay whole', () => {
  const others = (one: string, other: string) =>
    wordDifference(one, other).map((parts) => parts.flatMap(({ text, isOther }) => (isOther ? [text] : [])))
  expect(others('It leaves at ten on weekdays.', 'It leaves at eleven on weekdays.')).toEqual([
    ['ten'],
    ['eleven'],
  ])
  expect(others('Tea is at four', 'Tea is always served at four')).toEqual([[], ['always served']])
  const text = fc
    .array(fc.constantFrom('a', 'b', 'aa', ' ', '\n', 'ä'), { maxLength: 40 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const sides = wordDifference(one, other)
      expect(sides.map((parts) => parts.map((part) => part.text).join(''))).toEqual([one, other])
      const same = sides.map((parts) => parts.flatMap((part) => (part.isOther ? [] : [part.text.trim()])))
      expect(same[0]?.join('').replace(/\s/g, '')).toBe(same[1]?.join('').replace(/\s/g, ''))
    }),
  )
})
