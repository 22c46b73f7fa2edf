import { expect, test } from 'vitest'
import { HEADINGS, principlesHeading, readFrame } from './frame.ts'
import { readingsOf } from './pasted.ts'

test('readFrame gives headings, entries with their further lines, and lines about versions', () => {
  const lines = [
    '## You are Elf',
    HEADINGS.principles,
    '1. First',
    '| further',
    '',
    HEADINGS.known,
    '[2] Second',
    '↳ before: x',
  ]
  expect(readFrame(lines.join('\n')).map(({ kind, text }) => [kind, text])).toEqual([
    ['heading', principlesHeading('Elf')],
    ['entry', '1. First\n| further'],
    ['heading', HEADINGS.known],
    ['entry', '[2] Second'],
    ['version', '↳ before: x'],
  ])
})

test('readFrame and readingsOf of 100,000 times any shape end before the test times out', () => {
  for (const shape of [
    '> ',
    '(2026-01-01, ',
    ' ',
    ')',
    '[1] ',
    '| ',
    '\n',
    '- \n',
    'Note: ',
    '|\n',
    '```\n',
    '"',
  ]) {
    const text = shape.repeat(100_000)
    expect(readFrame(text).length).toBeLessThanOrEqual(100_000)
    expect(readingsOf(text).length).toBeLessThan(7)
  }
})
