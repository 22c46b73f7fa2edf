import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HEADINGS, isFrameLine, principlesHeading, readFrame } from './frame.ts'
import { readingsOf } from './pasted.ts'

test('a frame is read as its headings, entries with their further lines, and lines about versions', () => {
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

test('every heading of a frame is known as one', () => {
  const all = [...Object.values(HEADINGS), ...principlesHeading('Elf').split('\n')]
  expect(all.every(isFrameLine)).toBe(true)
})

test.each([
  ['a lead-in', (text: string) => `Note: ${text}`],
  ['a lead-in line', (text: string) => `FYI:\n${text}`],
  ['a fence', (text: string) => `\`\`\`text\n${text}\n\`\`\``],
  ['quote marks', (text: string) => text.replace(/^/gm, '> ')],
  ['indentation', (text: string) => text.replace(/^/gm, '    ')],
  ['JSON', (text: string) => JSON.stringify(text)],
  ['quote marks around a fence', (text: string) => `~~~\n${text}\n~~~`.replace(/^/gm, '> ')],
])('%s around a whole paste can be taken off', (_, wrap) => {
  const text = `${HEADINGS.goals}\n- Ship\n  soon`
  expect(readingsOf(wrap(text))).toContain(text)
})

test('an ordinary text is one entry that keeps its words', () => {
  const property = fc.property(fc.stringMatching(/^[a-z][a-z ,.]{0,60}$/), (text) => {
    fc.pre(text.trim() !== '')
    expect(readFrame(text)).toMatchObject([{ kind: 'entry', text: text.trimEnd() }])
  })
  fc.assert(property)
})

test('time grows with the length, whatever the text is made of', () => {
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
