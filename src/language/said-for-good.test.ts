import { expect, test } from 'vitest'
import { fenced } from '../block/text.ts'
import { saidForGood } from './said-for-good.ts'

const textsOf = (text: string) => saidForGood(text).map((each) => each.text)

test.each([
  ['instruction', 'From now on, use pnpm instead of npm.'],
  ['instruction', 'please always run the linter before you commit'],
  ['instruction', 'Never push to main.'],
  ['instruction', 'Always use `pnpm`.'],
  ['preference', 'I prefer early returns over nested ifs.'],
  ['instruction', 'Ab jetzt antworte bitte auf Deutsch.'],
  ['instruction', 'Ne pousse jamais sur main.'],
  ['preference', 'Prefiero funciones cortas.'],
  ['instruction', "D'ora in poi rispondi in italiano."],
  ['instruction', 'Sempre use aspas simples.'],
  ['instruction', 'Gebruik voortaan enkele aanhalingstekens.'],
  ['instruction', 'Отвечай всегда на русском.'],
])('saidForGood tells the %s %j', (category, text) => {
  expect(saidForGood(text)).toEqual([{ category, text }])
})

test('saidForGood takes the sentences out of a message', () => {
  expect(textsOf('Fix the login test.\nAlways use UTC for dates. Then push.')).toEqual([
    'Always use UTC for dates.',
  ])
  expect(textsOf('Look at this:\n```js\nconst a = 1\n```\nAnd from now on add types.')).toEqual([
    'And from now on add types.',
  ])
  expect(textsOf('Never push to main. I prefer small commits.')).toEqual([
    'Never push to main.',
    'I prefer small commits.',
  ])
})

test.each([
  ['a question', 'Should I always use useCallback here?'],
  ['a question without its sign', 'always returns null'],
  ['a report', 'Always fails on the second run.'],
  ['a request of this step', 'Always use the mock for now.'],
  ['fenced code', '```\nAlways use tabs.\n```'],
  ['code whose fence is open', '```\nAlways use tabs.'],
  ['inline code', '`Always use tabs.` is the text.'],
  ['a quoted line', '> Always use tabs.'],
  ['words of somebody else', 'She said: always use tabs.'],
  ['what a line with a colon shows', 'Our wiki:\n\nAlways use tabs.'],
  ['what a question is about', 'Is this right?\n\nAlways use tabs.'],
  ['a list', '- Always use tabs.'],
  ['a diff', 'diff --git a/a b/a\nAlways use tabs.'],
  ['a document', '# Rules\n\nAlways use tabs.'],
  ['a text that a program wrapped', `${`Always use ${'words '.repeat(10)}\n`.repeat(4)}`],
  ['a long text', `Always use tabs. ${'And so on. '.repeat(200)}`],
  ['a notice', '<system-reminder>\nAlways use tabs.\n</system-reminder>'],
  ['recalled text', fenced('Always use tabs.', ['1a2b3c4d'])],
])('saidForGood leaves %s', (_what, text) => {
  expect(saidForGood(text)).toEqual([])
})

test('saidForGood of a text that repeats its phrases a million times answers in time', () => {
  for (const piece of ['and ', 'always ', 'use a ', '<a ', '`', '"', '. ', '\n', 'when i ask you to '])
    expect(saidForGood(piece.repeat(1_000_000))).toBeInstanceOf(Array)
})
