import { expect, test } from 'vitest'
import { idsMarked, marked, moveOf, placesOf } from '../../../dashboard/screens/recall/rules/moves.ts'
import { numbersOf, numberWords } from '../../../dashboard/screens/recall/rules/numbers.ts'

test('a block says where it stood before a report, and one that stayed says nothing', () => {
  const places = { before: placesOf(['a', 'b', 'c']), now: placesOf(['b', 'a', 'd']) }
  expect(moveOf('b', places)).toEqual({ words: 'was 2', isUp: true })
  expect(moveOf('a', places)).toEqual({ words: 'was 1', isUp: false })
  expect(moveOf('d', places)).toEqual({ words: 'new', isUp: true })
  expect(moveOf('c', places)).toEqual({ words: 'was 3', isUp: false })
  expect(moveOf('e', places)).toBeUndefined()
  expect(moveOf('b', { before: undefined, now: places.now })).toBeUndefined()
})

test('a mark is taken away by the same click, and changed by the other', () => {
  const once = marked(new Map(), 'a', 'helped')
  expect(idsMarked(once, 'helped')).toEqual(['a'])
  expect(idsMarked(marked(once, 'a', 'misled'), 'misled')).toEqual(['a'])
  expect([...marked(once, 'a', 'helped')]).toEqual([])
})

test('an entry has the number that the agent reads, what is left out the next, what stands under another none', () => {
  const under = { id: 'a', why: 'earlier' } as const
  const candidates = [
    { id: 'a', shown: 'entry' },
    { id: 'a1', shown: 'version', under },
    { id: 'left' },
    { id: 'b', shown: 'entry' },
    { id: 'beyond' },
  ] as const
  expect([...numbersOf(candidates)]).toEqual([
    ['a', 1],
    ['b', 2],
    ['left', 3],
    ['beyond', 4],
  ])
  expect(['b', 'a1', 'elsewhere'].map((id) => numberWords(id, candidates))).toEqual([
    'no. 2',
    'one under no. 1',
    undefined,
  ])
})
