import { stem } from 'porter2'
import { describe, expect, test } from 'vitest'
import { type Facts, factsOf } from './facts.ts'

const facts = (text: string) => factsOf(text, stem)
const areSame = (a: Facts, b: Facts) => a.terms.length > 0 && JSON.stringify(a) === JSON.stringify(b)
const same = (a: string, b: string) => areSame(facts(a), facts(b))

test('factsOf keeps numbers as written, with signs, units, decimals and versions', () => {
  expect(facts('Set it to -5, 1,000.50 or $20 on v1.2.3 (5GB, 99%).').numbers).toEqual([
    '-5',
    '1,000.50',
    '$20',
    'v1.2.3',
    '5GB',
    '99%',
  ])
})

describe('texts that state the same', () => {
  test.each([
    ['User prefers dark mode', 'The user prefers the dark mode.'],
    ['The server uses Redis 7.2', 'a server using Redis 7.2!'],
    ["Alice doesn't like tea", 'Alice does not like tea'],
    ['Alice can’t come', 'Alice cannot come'],
    ['"Deploy" (on Friday)', 'Deploy on Friday'],
    ['cafe\u0301 open', 'café open'],
  ])('%j and %j', (a, b) => {
    expect(same(a, b)).toBe(true)
  })
})

describe('texts that do not state the same', () => {
  test.each([
    ['The pool size is 20', 'The pool size is 30'],
    ['The limit is 1.5', 'The limit is 15'],
    ['Use Node 22.13', 'Use Node 22.14'],
    ['The offset is -5', 'The offset is 5'],
    ['The cap is 5GB', 'The cap is 5Gb'],
    ['It costs $20', 'It costs €20'],
    ['A screw of 5"', "A screw of 5'"],
    ['Ask Alice for access', 'Ask Alicia for access'],
    ['The Adams house', 'The Adam house'],
    ['Alice manages Bob', 'Bob manages Alice'],
    ['Port 80 forwards to 443', 'Port 443 forwards to 80'],
    ['cats chase dogs', 'dogs chase cats'],
    ['the dogs chase cats', 'the dogs are chased by cats'],
    ['Deploy on Friday', 'Never deploy on Friday'],
    ['It is safe', "It isn't safe"],
    ['Run with cache', 'Run without cache'],
    ['Deploy before the tests', 'Deploy after the tests'],
    ['Turn it on', 'Turn it off'],
    ['She was the owner', 'She is the owner'],
    ['Redis is fast', 'Is Redis fast?'],
    ['Redis is fast', 'Redis is fast?'],
    ['x > 5', 'x < 5'],
    ['We write C++', 'We write C#'],
    ['Call getUser first', 'Call getuser first'],
    ['We ask Mark here', 'We ask mark here'],
    ['Plan A failed', 'Plan failed'],
    ['It was 👍', 'It was 👎'],
    ['[x] ship', '[ ] ship'],
    ['東京は寒い', '東京は暑い'],
  ])('%j and %j', (a, b) => {
    expect(same(a, b)).toBe(false)
    expect(same(b, a)).toBe(false)
  })
})

test('factsOf of 200,000 times any ending sign ends before the test times out', () => {
  for (const sign of ['!', '.', ')', '"', '1"']) {
    const { terms } = factsOf(`${sign.repeat(200_000)}b`, (word) => word)
    expect(terms).toHaveLength(1)
  }
})
