import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf, placeOf } from '../../../dashboard/address.ts'
import {
  addressOf as addressOfQuestion,
  askedIn,
  FRAMES,
  lookOf,
} from '../../../dashboard/screens/recall/rules/asked.ts'
import { readEvents } from '../../../dashboard/stream.ts'
import { FRAME_NAMES } from '../../../src/engine/frames.ts'
import { recall } from '../../../src/operations/recall/recall.ts'

test('an address leads back to the screen and the query that it was made of', () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .map((text) => text.toWellFormed())
  fc.assert(
    fc.property(
      fc.constantFrom('overview', 'memory', 'recall'),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, { maxKeys: 4 }),
      (screen, query) => {
        const address = new URL(addressOf({ screen, query }), 'http://127.0.0.1:4600')
        expect(placeOf(address.pathname, address.search)).toEqual({ screen, query: { ...query } })
      },
    ),
  )
})

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

test('a question survives its address, and is one that recall takes without reinforcing', () => {
  fc.assert(
    fc.property(asked, (question) => {
      const said = Object.entries(addressOfQuestion(question)).filter(([, value]) => value !== undefined)
      const parameters = new URLSearchParams(said as [string, string][])
      expect(askedIn(Object.fromEntries(parameters))).toEqual(question)
      const { success, data } = recall.input.safeParse(lookOf(question))
      expect([success, data?.reinforce]).toEqual([true, false])
    }),
  )
  expect(FRAMES.map(({ name }) => name).toSorted()).toEqual([...FRAME_NAMES].toSorted())
})

test('a stream of events that is cut anywhere gives the same events', () => {
  const text =
    ': rest\n\nevent: hello\ndata: {"version":"1"}\n\nid: 7\nevent: operations\ndata: [{"id":7}]\n\nevent: bye\ndata: {}\n\n'
  const whole = readEvents(text).events
  expect(whole.map(({ event, id }) => [event, id])).toEqual([
    ['hello', undefined],
    ['operations', '7'],
    ['bye', undefined],
  ])
  for (let cut = 0; cut <= text.length; cut++) {
    const first = readEvents(text.slice(0, cut))
    const second = readEvents(first.rest + text.slice(cut))
    expect([...first.events, ...second.events]).toEqual(whole)
  }
})
