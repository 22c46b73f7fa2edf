import { expect, test } from 'vitest'
import { idsMarked, marked, moveOf, placesOf } from '../../../dashboard/screens/recall/rules/moves.ts'

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
