import { expect, test } from 'vitest'
import { alikeTo, hasOtherWords, sameSource } from '../../../dashboard/screens/review/alike.ts'
import { KIND_NAMES, KINDS, kindIn, needsPerson } from '../../../dashboard/screens/review/kinds.ts'
import { decisionAt, stepped } from '../../../dashboard/screens/review/place.ts'
import { needsPerson as asLibrary, DECISION_KINDS } from '../../../src/domain/decision/decision.ts'
import type { Decision } from '../../../src/operations/methods.generated.ts'

const side = (speaker: string) => ({
  ...{ id: 'b7d041aa', content: 'Tea is at four.', sourceClass: 'document', speaker, saidAt: '2026-03-02' },
  ...{ belief: 0.5, helped: 0, misled: 0, edges: 1, status: 'active', isShown: true },
})

function decision(id: string, { kind = 'near_duplicate', speaker = 'board', owner = false } = {}): Decision {
  const own = owner ? { owner: true } : {}
  return {
    ...{ id, kind, sentence: 'They say nearly the same.', mark: id },
    ...{ first: side('agent'), second: side(speaker) },
    choices: [
      { key: '1', choice: 'first', label: 'Keep the first', does: 'The second is archived.', ...own },
      { key: 'c', choice: 'correct', label: 'Correct it', does: 'It gets words.', takes: 'words' },
    ],
  } as Decision
}

const [one, same] = [decision('1'), decision('2')]
const OTHERS = [
  decision('3', { kind: 'contradiction' }),
  decision('4', { speaker: 'advert' }),
  decision('5', { owner: true }),
]

test('only decisions of the same kind and source are decided together', () => {
  expect(alikeTo(one, 'first', [one, same, ...OTHERS])).toEqual([same])
  expect(sameSource(one, [one, same, ...OTHERS])).toEqual([same])
})

test('what only the owner decides, or what needs words, is never decided together', () => {
  expect(alikeTo(decision('6', { owner: true }), 'first', [one, same])).toEqual([])
  expect(alikeTo(one, 'correct', [one, same])).toEqual([])
  expect(alikeTo(one, 'nothing', [one, same])).toEqual([])
})

test('the kinds and who settles them are those of the library', () => {
  expect(KIND_NAMES).toEqual([...DECISION_KINDS])
  for (const kind of DECISION_KINDS) {
    expect(needsPerson(kind)).toBe(asLibrary(kind))
    expect(KINDS[kind].told).toMatch(/\.$/)
  }
  expect([kindIn('waiting'), kindIn('all'), kindIn(undefined)]).toEqual(['waiting', undefined, undefined])
})

test('after a decision the one that took its place is shown, and at the end the last', () => {
  expect(decisionAt([one, same], { id: '2', place: 0 })).toEqual({ decision: same, place: 1 })
  expect(decisionAt([one, same], { id: 'gone', place: 1 })).toEqual({ decision: same, place: 1 })
  expect(decisionAt([one], { id: 'gone', place: 5 })).toEqual({ decision: one, place: 0 })
  expect(decisionAt([], { id: undefined, place: 3 }).decision).toBeUndefined()
  expect([stepped(0, -1, 3), stepped(2, 1, 3), stepped(1, 1, 3)]).toEqual([0, 2, 2])
})

test('of near duplicates those are told from the rest that differ in any word, number or sign of an amount', () => {
  const isTold = (one: string, other: string) => {
    const { first, second, ...rest } = decision('7')
    return hasOtherWords({
      ...rest,
      first: { ...first, content: one },
      second: { ...second, content: other },
    } as Decision)
  }
  for (const [one, other] of [
    ['A deploy needs two approvals.', 'A deploy needs only one approval.'],
    ['The lamp is on.', 'The lamp is not on.'],
    ["Guests can't smoke here.", 'Guests can smoke here.'],
    ['Room 12 is closed.', 'Room 13 is closed.'],
    ['Take 5 mg a day.', 'Take 5 g a day.'],
    ['Tea costs €4.', 'Tea costs £4.'],
    ['Call Anna about the roof.', 'Call Berta about the roof.'],
    ['会议在三点。', '会议在四点。'],
    ['The north room is closed.', 'The south room is closed.'],
  ] as const)
    expect([one, isTold(one, other)]).toEqual([one, true])
  for (const [one, other] of [
    ['The notice says: room 3 is closed.', 'the notice says room 3 is closed'],
    ['Tea is at four.', 'Tea is at four!'],
  ] as const)
    expect([one, isTold(one, other)]).toEqual([one, false])
})
