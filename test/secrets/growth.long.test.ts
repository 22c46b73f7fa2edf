import { expect, test } from 'vitest'
import { SECRET_RULES } from '../../src/secrets/rules.ts'
import { redactSecrets } from '../../src/secrets/secrets.ts'
import { SHAPES } from './shapes.ts'

/** Least time of a measure, in milliseconds of the processor: below it the clock is too coarse. */
const LEAST = 20
/** Four times the text may take this many times as long: linear work takes four. */
const MOST = 6

/** The best of three, or the first that is good enough. */
function timeOf(text: string, enough = 0): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && best > enough; run++) {
    const started = process.cpuUsage()
    redactSecrets(text)
    best = Math.min(best, process.cpuUsage(started).user / 1000)
  }
  return best
}

/** How many times longer a text of four times the length takes. */
function growthOf(piece: string): number {
  for (let length = 64_000; ; length *= 2) {
    const text = piece.repeat(Math.ceil(length / piece.length))
    const once = timeOf(text)
    if (once < LEAST && length < 1_000_000) continue
    const least = Math.max(once, LEAST)
    return timeOf(text.repeat(4), MOST * least) / least
  }
}

/** Pieces that rules look at again and again when they are repeated. */
const PIECES = [
  '| --- |\n',
  'a,password\n',
  'user;password;',
  'Server=x;Password=',
  '"d":"',
  'A1b2\n',
  '\\\n',
]
PIECES.push('password is', 'seed is abandon ', 'x@10', 'eyJ.', '://a:', '[redacted: ', '$6$', '\u200b')

test('redactSecrets of four times the text takes less than six times as long', () => {
  const keywords = [...new Set(SECRET_RULES.flatMap(({ keywords: some }) => some.slice(0, 2)))]
  const texts = [
    ...PIECES,
    ...keywords.filter((_, nth) => nth % 15 === 0),
    ...SHAPES.filter((_, nth) => nth % 25 === 0).map(({ text }) => `${text.slice(0, -3)} `),
  ]
  expect(texts.filter((piece) => growthOf(piece) > MOST && growthOf(piece) > MOST)).toEqual([])
})
