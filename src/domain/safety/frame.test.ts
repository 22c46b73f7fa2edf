import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HEADINGS, isFrameLine, principlesHeading, readFrame } from './frame.ts'

test('an entry is read without its number, its stamp and the marks of its further lines', () => {
  const { pieces, hasHeading } = readFrame(
    `${HEADINGS.known}\n[12] First line\n| second line (2026-05-08, Ana (QA))\n[!] Another (2026-05-08)`,
  )
  expect(hasHeading).toBe(true)
  expect(pieces.map(({ readings }) => readings.at(-1))).toEqual(['First line\nsecond line', 'Another'])
  expect(pieces.every(({ isNumbered }) => isNumbered)).toBe(true)
})

test('every heading of a frame is known as one, and a lead-in before it is none of its words', () => {
  const all = [...Object.values(HEADINGS), ...principlesHeading('Elf').split('\n')]
  expect(all.every(isFrameLine)).toBe(true)
  for (const lead of ['Note: ', 'note:\n', 'FYI: '])
    expect(readFrame(`${lead}${HEADINGS.goals}\n- Ship`)).toMatchObject({
      hasHeading: true,
      pieces: [{ readings: ['- Ship', 'Ship'] }],
    })
})

test('an ordinary text is one piece that keeps its words', () => {
  const property = fc.property(fc.stringMatching(/^[a-z][a-z ,.]{0,60}$/), (text) => {
    fc.pre(text.trim() !== '')
    const { pieces, hasHeading } = readFrame(text)
    expect(hasHeading).toBe(false)
    expect(pieces.map(({ readings }) => readings[0]?.trim())).toEqual([text.trim()])
  })
  fc.assert(property)
})

test('time grows with the length, whatever the text is made of', () => {
  for (const shape of ['> ', '(2026-01-01, ', ' ', ')', '[1] ', '| ', '\n', '- \n', 'Note: ']) {
    const { pieces } = readFrame(shape.repeat(100_000))
    expect(pieces.length).toBeLessThanOrEqual(100_000)
  }
})
