import { expect, test } from 'vitest'
import { SECRET_RULES } from '../../src/domain/safety/secrets/rules/rules.ts'
import { redactSecrets } from '../../src/domain/safety/secrets/secrets.ts'
import { SHAPES } from './shapes.ts'

/** Least time of a measure, in milliseconds of the processor: below it the clock is too coarse. */
const LEAST = 20

function timeOf(text: string): number {
  const runs = Array.from({ length: 3 }, () => {
    const started = process.cpuUsage()
    redactSecrets(text)
    return process.cpuUsage(started).user / 1000
  })
  return Math.min(...runs)
}

/** How many times longer a text of four times the length takes. */
function growthOf(piece: string): number {
  for (let length = 64_000; ; length *= 2) {
    const text = piece.repeat(Math.ceil(length / piece.length))
    const once = timeOf(text)
    if (once < LEAST && length < 1_000_000) continue
    return timeOf(text.repeat(4)) / Math.max(once, LEAST)
  }
}

test('whatever is repeated, four times as much takes less than six times as long', {
  timeout: 900_000,
}, () => {
  const keywords = [...new Set(SECRET_RULES.flatMap(({ keywords: some }) => some.slice(0, 2)))]
  const pieces = [
    ...keywords.filter((_, nth) => nth % 15 === 0),
    ...SHAPES.filter((_, nth) => nth % 25 === 0).map(({ text }) => `${text.slice(0, -3)} `),
    ...[
      '| --- |\n',
      'a,password\n',
      'user,password,',
      'user;password;',
      'Server=x;Password=',
      '"d":"',
      'A1b2\n',
      '\\\n',
      ' password is',
      '**password ',
      'changed the password from ',
      'signed in as a with ',
      'seed is abandon ',
      'x@10',
      'eyJ.',
      '://a:',
      '[redacted: ',
      '$6$',
      '\u200b',
    ],
  ]
  const slow = pieces.filter((piece) => growthOf(piece) > 6 && growthOf(piece) > 6)
  expect(slow).toEqual([])
})
