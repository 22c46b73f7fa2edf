import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addressOf,
  askedIn,
  FRAMES,
  isAsked,
  lookOf,
  refusedIn,
  share,
} from '../../../dashboard/screens/recall/rules/asked.ts'
import { FRAME_NAMES } from '../../../src/config/frames.ts'
import { recall } from '../../../src/operations/recall/recall.ts'

const asked = fc.record(
  {
    query: fc.string(),
    frame: fc.constantFrom(...FRAMES.map(({ name }) => name)),
    limit: fc.integer({ min: 1, max: 1_000 }),
    budget: fc.integer({ min: 16, max: 9_999 }),
    floor: fc.constantFrom(0, 0.35, 0.5, 1),
    asOf: fc.constantFrom('2026-03-02', '2026-03-02T09:00:00Z'),
  },
  { requiredKeys: ['query', 'frame'] },
)

test('a question is the same after it went through an address', () => {
  fc.assert(
    fc.property(asked, (question) => {
      const said = Object.entries(addressOf(question)).filter(([, value]) => value !== undefined)
      const parameters = new URLSearchParams(said as [string, string][])
      expect(askedIn(Object.fromEntries(parameters))).toEqual(question)
    }),
  )
})

test('every question of the lab is one that recall takes, and a look', () => {
  fc.assert(
    fc.property(asked, (question) => {
      const { success, data } = recall.input.safeParse(lookOf(question))
      expect([success, data?.reinforce, data?.explain]).toEqual([true, false, 'candidates'])
    }),
  )
})

test('what is nonsense in an address counts as left out', () => {
  const said = { q: 'x', frame: 'nobody', k: '-1', budget: '3', floor: '7', asOf: 'soon' }
  expect(askedIn(said)).toEqual({ query: 'x', frame: 'attention' })
})

test('the lab has every frame of the library', () => {
  expect(FRAMES.map(({ name }) => name).sort()).toEqual([...FRAME_NAMES].sort())
})

test('a share may be written with a comma, and without its zero', () => {
  expect(['.35', '0,35', '1', '0', '1.2', 'x', ''].map(share)).toEqual([
    0.35,
    0.35,
    1,
    0,
    undefined,
    undefined,
    undefined,
  ])
})

test('only the self frame needs no question', () => {
  expect(isAsked({ query: ' ', frame: 'self' })).toBe(true)
  expect(isAsked({ query: ' ', frame: 'task' })).toBe(false)
})

test('each frame that the library has is chosen by a name and told in one sentence', () => {
  expect(FRAMES.map(({ name }) => name).toSorted()).toEqual([...FRAME_NAMES].toSorted())
  for (const { does } of FRAMES) expect(does).toMatch(/^[A-Z][^.]+\.$/)
})

test('a bound that is no number in its range is refused with what is allowed, an empty one is left out', () => {
  expect(refusedIn({ limit: '-3', budget: '15', floor: 'abc' })).toEqual({
    limit: 'a whole number from 1 to 1,000',
    budget: 'a whole number from 16 to 1,000,000',
    floor: 'a number from 0 to 1, such as 0.35',
  })
  expect(Object.keys(refusedIn({ limit: ' ', budget: '', floor: '7' }))).toEqual(['floor'])
  expect(refusedIn({ limit: '3', budget: '400', floor: '0,35' })).toEqual({})
})
