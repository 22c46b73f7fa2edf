import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stemOf } from '../../search/analyse.ts'
import { echoFacts, isEcho, mayBeEcho, SKETCH_NUMBERS, sketchEcho, unframed } from './echo.ts'

const echoes = (said: string, shown: string) => isEcho(echoFacts(said, stemOf), echoFacts(shown, stemOf))
const SHOWN = 'The staging server of Atlas listens on port 4210 since the move in March'

test('a text shown by a frame is recognised with what the frame put around it', () => {
  for (const said of [
    SHOWN,
    `[1] ${SHOWN} (2026-05-08, Ana)`,
    `- ${SHOWN}`,
    `[!] ${SHOWN} (2026-05-08)`,
    `${SHOWN}.`,
  ])
    expect(echoes(said, SHOWN)).toBe(true)
  expect(unframed('[12] First line\n| second line (2026-05-08, Ana (QA))')).toContain(
    'First line\nsecond line',
  )
})

test('a light rewording is still the same text', () => {
  expect(
    echoes('Since the move in March, the staging server of Atlas is listening on port 4210', SHOWN),
  ).toBe(true)
  expect(echoes('The staging server of Atlas listens on port 4210 since March', SHOWN)).toBe(true)
})

test('another number, name or negation, or a word more, is another fact', () => {
  for (const said of [
    SHOWN.replace('4210', '4211'),
    SHOWN.replace('Atlas', 'Borealis'),
    SHOWN.replace('listens', 'never listens'),
    SHOWN.replace('staging server', 'new staging server'),
    `${SHOWN}, and Ben knows why`,
  ])
    expect(echoes(said, SHOWN)).toBe(false)
})

test('a small part of what was shown, and a few words, are no echo', () => {
  expect(echoes('The staging server of Atlas', SHOWN)).toBe(false)
  expect(echoes('It works', 'It works')).toBe(false)
})

test('whatever is an echo has no word that was not shown', () => {
  const word = fc.constantFrom('ferry', 'island', 'nine', 'harbour', 'leaves', 'red', 'not', '9', 'Ana')
  const text = fc.array(word, { minLength: 4, maxLength: 9 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(text, text, (said, shown) => {
      const [ours, theirs] = [echoFacts(said, stemOf), echoFacts(shown, stemOf)]
      if (isEcho(ours, theirs)) expect([...ours.content].every((each) => theirs.content.has(each))).toBe(true)
      expect(isEcho(theirs, theirs)).toBe(theirs.content.size >= 4)
    }),
  )
})

function sketchOf(text: string): Int32Array {
  const sketch = new Int32Array(SKETCH_NUMBERS)
  sketchEcho(text, sketch)
  return sketch
}

test('the first look lets every echo pass, and nearly nothing that shares only some words', () => {
  const word = fc.constantFrom(
    ...[
      "can't",
      'cannot',
      'does',
      'not',
      "doesn't",
      'never',
      'is',
      'listening',
      'listens',
      'harbour',
      'harbours',
    ],
    ...[
      'src/flow/echo.ts',
      'https://example.org/a/b?c=d',
      'v1.2.3',
      '1,000',
      'Ana',
      'well-known',
      'the',
      'C++',
    ],
    ...['ferry', 'island', 'gate', 'opens', 'tide', 'lamp'],
  )
  const shown = fc.array(word, { minLength: 4, maxLength: 14 })
  const changed = shown.chain((words) =>
    fc.tuple(fc.constant(words), fc.shuffledSubarray(words, { minLength: Math.ceil(words.length * 0.7) })),
  )
  fc.assert(
    fc.property(changed, ([words, others]) => {
      const [theirs, ours] = [words.join(' '), `[2] ${others.join(' ')} (2026-05-08, Ana)`]
      if (!echoes(ours, theirs)) return
      expect(mayBeEcho(sketchOf(ours), sketchOf(theirs))).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  const about = (what: string) => sketchOf(`The ${what} of the harbour is kept near the gate since 1900`)
  expect(mayBeEcho(about('lamp, rope and tide table'), about('ferry, clerk and winter coat'))).toBe(false)
  expect(mayBeEcho(sketchOf('The harbour gate'), about('lamp, rope and tide table'))).toBe(false)
})
