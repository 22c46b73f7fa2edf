import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reasonOf, waysTo } from '../../../dashboard/screens/recall/rules/reasons.ts'
import { summing } from '../../../dashboard/screens/recall/rules/terms.ts'
import { alikeTo, hasOtherWords, sameSource } from '../../../dashboard/screens/review/alike.ts'
import type { Decision } from '../../../src/operations/methods.generated.ts'
import { why } from '../../../src/operations/recall/why.ts'

const terms = fc.array(
  fc.record({
    name: fc.constantFrom('similarity', 'belief', 'recency', 'asked'),
    // Most doubles of fast-check are too small to be rounded.
    amount: fc.integer({ min: -1_000_000, max: 2_000_000 }).map((millionths) => millionths / 1_000_000),
  }),
  { minLength: 1, maxLength: 6 },
)
const filled = terms.map((all) => all.map(({ name, amount }) => ({ name, value: amount, amount })))

test('the rounded terms of a score sum to the rounded score', () => {
  fc.assert(
    fc.property(filled, (all) => {
      const score = Math.round(all.reduce((sum, { amount }) => sum + amount, 0) * 10_000) / 10_000
      const shown = summing(all, score)
      const units = shown.reduce((sum, each) => sum + Math.round(each * 10_000), 0)
      expect(units - Math.round(score * 10_000)).toBeCloseTo(0)
      for (const [at, each] of shown.entries())
        expect(Math.abs(each - (all[at]?.amount ?? 0))).toBeLessThan(2e-4)
    }),
  )
})

test('every reason that why gives has words of its own, and those that can be mended a way', () => {
  const room = { entries: 5, limit: 5, query: 'When?' }
  const reasons = why.output.shape.reason.unwrap().options
  const words = reasons.map((reason) => reasonOf({ id: '3f2a9c1e', reason }, room)?.words)
  expect(words).not.toContain(undefined)
  expect(new Set(words).size).toBe(reasons.length)
  const ways = (of: object) => waysTo({ id: '3f2a9c1e', ...of })
  expect(ways({ reason: 'top_k', limit: 6 })).toMatchObject([{ ask: { limit: 6 } }])
  expect(ways({ reason: 'archived' })[0]).toMatchObject({ run: 'restore' })
  expect(ways({ shown: 'entry' })).toEqual([])
})

const side = (speaker: string, content = 'Tea is at four.') => ({
  ...{ id: 'b7d041aa', content, sourceClass: 'document', speaker, saidAt: '2026-03-02' },
  ...{ belief: 0.5, helped: 0, misled: 0, edges: 1, status: 'active', isShown: true },
})

function decision(id: string, { kind = 'near_duplicate', speaker = 'board' } = {}): Decision {
  return {
    ...{ id, kind, sentence: 'They say nearly the same.', mark: id },
    ...{ first: side('agent'), second: side(speaker) },
    choices: [
      { key: '1', choice: 'first', label: 'Keep the first', does: 'The second is archived.' },
      { key: 'c', choice: 'correct', label: 'Correct it', does: 'It gets words.', takes: 'words' },
    ],
  } as Decision
}

test('only decisions of one kind and source that need no words and are no proposals are made together', () => {
  const [one, same] = [decision('1'), decision('2')]
  const all = [
    ...[one, same, decision('3', { kind: 'contradiction' }), decision('4', { speaker: 'advert' })],
    decision('5', { kind: 'proposal' }),
  ]
  expect(alikeTo(one, 'first', all)).toEqual([same])
  expect(sameSource(one, all)).toEqual([same])
  expect(alikeTo(decision('6', { kind: 'proposal' }), 'first', all)).toEqual([])
  expect(alikeTo(one, 'correct', all)).toEqual([])
})

test.each([
  ['A deploy needs two approvals.', 'A deploy needs only one approval.', true],
  ['The lamp is on.', 'The lamp is not on.', true],
  ['Tea costs €4.', 'Tea costs £4.', true],
  ['会议在三点。', '会议在四点。', true],
  ['The notice says: room 3 is closed.', 'the notice says room 3 is closed', false],
])('near-duplicates %j and %j differ in a word: %s', (one, other, differ) => {
  const pair = { ...decision('7'), first: side('agent', one), second: side('board', other) } as Decision
  expect(hasOtherWords(pair)).toBe(differ)
})
