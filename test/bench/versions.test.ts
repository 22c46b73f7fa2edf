import { expect, test } from 'vitest'
import { pairCounts } from '../../bench/coexist/coexist.ts'
import { contradictionCounts } from '../../bench/contradictions/contradictions.ts'
import { type Answer, changeCounts, marksIn } from '../../bench/lib/answer.ts'

function answer(entries: readonly string[], under: readonly string[] = []): Answer {
  return { entries, under: new Set(under) }
}

test('changeCounts says whether the newest is first, is present, or is missing', () => {
  const counts = (entries: readonly string[], under?: readonly string[]) => {
    const { changes, ...others } = changeCounts(answer(entries, under), 'new', ['old'])
    expect(changes).toBe(1)
    return Object.values(others)
  }
  expect(counts(['x', 'new', 'old'])).toEqual([1, 1, 0])
  expect(counts(['old', 'new'])).toEqual([0, 1, 0])
  expect(counts(['old'])).toEqual([0, 0, 1])
  expect(counts(['x'], ['old'])).toEqual([0, 0, 1])
  expect(counts(['old'], ['new'])).toEqual([0, 0, 0])
  expect(counts(['x'])).toEqual([0, 0, 0])
})

test('marksIn returns the entry of each line with the words and the entry that it numbers', () => {
  const text = [
    '## What you know',
    '[1] Hermes brings it. (2026-04-05)',
    '↳ perhaps newer than [2]; both are kept',
    '[2] GLS brings it. (2026-01-05) contradicts [3] contradicts [1]',
    '[3] Nobody brings [1] it.',
  ].join('\n')
  const entries = answer(['a', 'b', 'c'])
  expect(marksIn(text, entries, 'perhaps newer than')).toEqual([{ entry: 'a', names: 'b' }])
  expect(marksIn(text, entries, 'contradicts')).toEqual([
    { entry: 'b', names: 'c' },
    { entry: 'b', names: 'a' },
  ])
})

test('pairCounts counts a place as taken if only the ranking alone has the fact first', () => {
  const taken = pairCounts('b', { a: 'first', b: 'entry' }, { a: 'entry', b: 'first' })
  expect(taken).toMatchObject({ 'one wanted': 1, 'both wanted': 0, 'first by rank': 1, 'place taken': 1 })
  const kept = pairCounts('b', { a: 'under', b: 'first' }, { a: 'entry', b: 'first' })
  expect(kept).toMatchObject({ first: 1, 'place taken': 0, folded: 1, 'folded, wanted': 0 })
  const never = pairCounts('b', { a: 'first', b: 'absent' }, { a: 'first', b: 'absent' })
  expect(never).toMatchObject({ first: 0, 'first by rank': 0, 'place taken': 0, cut: 0 })
})

test('pairCounts of a question for both counts wanted notes that are folded or cut', () => {
  const folded = pairCounts('both', { a: 'first', b: 'under' }, { a: 'first', b: 'entry' })
  expect(folded).toMatchObject({ 'both wanted': 1, 'both there': 0, 'folded, wanted': 1, cut: 0 })
  const cut = pairCounts('both', { a: 'first', b: 'absent' }, { a: 'first', b: 'entry' })
  expect(cut).toMatchObject({ 'both there': 0, folded: 0, cut: 1, 'one wanted': 0 })
  const right = pairCounts('both', { a: 'entry', b: 'first' }, { a: 'first', b: 'entry' })
  expect(right).toMatchObject({ 'both there': 1, folded: 0, cut: 0, 'place taken': 0 })
})

test('contradictionCounts is content only with both blocks as entries, each marked with the other', () => {
  const marks = [
    { entry: 'a', names: 'b' },
    { entry: 'b', names: 'a' },
  ]
  const of = (shown: Answer, marked = marks) => contradictionCounts(['a', 'b'], shown, marked)
  expect(of(answer(['b', 'x', 'a']))).toMatchObject({ all: 1, 'not as promised': 0 })
  expect(of(answer(['a', 'b']), marks.slice(0, 1))).toMatchObject({ 'both entries, not marked on both': 1 })
  expect(of(answer(['a'], ['b']))).toMatchObject({ 'one folded under another': 1, 'one absent': 0 })
  expect(of(answer(['a', 'x']))).toMatchObject({ 'one absent': 1, 'not as promised': 1 })
})
