import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf, placeOf } from '../../../dashboard/address.ts'
import { sentenceOf } from '../../../dashboard/screens/overview/sentence.ts'
import { readEvents } from '../../../dashboard/stream.ts'

test('what a screen shows is in its address, and the address leads back to it', () => {
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

test('an address has no empty values, the same state the same address, and the overview none of its own', () => {
  expect(addressOf({ screen: 'overview', query: {} })).toBe('/')
  expect(addressOf({ screen: 'memory', query: { tag: 'a', by: '', block: undefined } })).toBe('/memory?tag=a')
  expect(addressOf({ screen: 'memory', query: { b: '1', a: '2' } })).toBe(
    addressOf({ screen: 'memory', query: { a: '2', b: '1' } }),
  )
})

test('a stream may be cut anywhere and gives the same messages', () => {
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
    expect(second.rest).toBe('')
  }
})

const well = {
  health: 'good' as const,
  ...{ reasons: [], suggestion: 'Nothing to do.', decisionsWaiting: 0 },
  ...{ shouldDream: false, inboxCount: 0 },
}

test('the first sentence says what matters most, and decisions are never called damage', () => {
  expect(sentenceOf(well)).toEqual({ tone: 'good', title: 'All is well', text: 'Nothing to do.' })
  expect(sentenceOf({ ...well, health: 'attention', decisionsWaiting: 1 })).toMatchObject({
    ...{ tone: 'warn', title: '1 decision waits for you' },
  })
  expect(sentenceOf({ ...well, health: 'attention', decisionsWaiting: 65 }).title).toBe(
    '65 decisions wait for you',
  )
  expect(sentenceOf({ ...well, health: 'attention', shouldDream: true, inboxCount: 12 }).title).toBe(
    'A dream is due',
  )
  expect(
    sentenceOf({ ...well, health: 'degraded', reasons: ['a page is torn'], decisionsWaiting: 65 }),
  ).toEqual({ tone: 'bad', title: 'Something is wrong', text: 'a page is torn' })
})
