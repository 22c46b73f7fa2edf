import { expect, test } from 'vitest'
import { validityIn } from './validity.ts'

const day = (date: string) => `${date}T00:00:00.000Z`

test.each([
  ['The office is in Berlin until 2 Feb 2026.', { validUntil: day('2026-02-02') }],
  ['Until 2nd of February 2026, the office is in Berlin.', { validUntil: day('2026-02-02') }],
  ['Prices are fixed (till 2026-02-02).', { validUntil: day('2026-02-02') }],
  [
    'Valid from 1 May 2026 to 31 May 2026: the summer prices',
    { validFrom: day('2026-05-01'), validUntil: day('2026-06-01') },
  ],
  ['Ana has led the team since March 2026.', { validFrom: day('2026-03-01') }],
  [
    'Valid from May 2026 until July 2026: the summer prices',
    { validFrom: day('2026-05-01'), validUntil: day('2026-07-01') },
  ],
])('validityIn reads the dates of "%s"', (text, validity) => {
  expect(validityIn(text)).toEqual(validity)
})

test.each([
  'The office is in Berlin until February.',
  'The office is in Berlin until 31 Feb 2026.',
  'Until 3 March 2026 the fee was 90 euros, since then it is 120 euros.',
  'The feature does not ship until 2 Feb 2026.',
  'The office may stay in Berlin until 2 Feb 2026.',
  'Ana is away until 2 Feb 2026 and Bob stands in.',
  'The office is in Berlin. Ana is away until 2 Feb 2026.',
  'Ana said "away until 2 Feb 2026"',
  'This is the report from 1 May 2026.',
  'Since May 2026 was so hot, the team meets in the cellar.',
  'The offer is valid from 3 May 2026 until 1 May 2026.',
  `The office is in Berlin${' and so on'.repeat(20)} until 2 Feb 2026.`,
])('validityIn reads no dates in "%s"', (text) => {
  expect(validityIn(text)).toEqual({})
})
