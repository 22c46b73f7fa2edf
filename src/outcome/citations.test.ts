import { expect, test } from 'vitest'
import { citedIn } from './trace.ts'

const SHOWN = ['c1760a95aaaaaaaa', '348364fdbbbbbbbb', 'd914009fcccccccc', '80db3e7ddddddddd']
const cited = (answer: string) => citedIn(answer, SHOWN).map((id) => SHOWN.indexOf(id) + 1)

test('citedIn reads numbers in brackets as places, alone and in lists', () => {
  expect(cited('Port 4210 [1].')).toEqual([1])
  expect(cited('[2] says so, and ([3]) too.')).toEqual([2, 3])
  expect(cited('See [1, 3] or [4;2].')).toEqual([1, 2, 3, 4])
  expect(cited('Nothing stands at [0] or [99].')).toEqual([])
})

test.each([
  'let x = arr[2];',
  'x = [1]',
  '{"a":[1,2]}',
  'see [1](http://example.org) or [text][1]',
  '[1]: http://example.org',
  'use `rows [2] ` here',
  '```\nconst a = [1]\nprint [2]\n```',
  'f([1])',
])('citedIn reads no citation in code and links: %s', (answer) => {
  expect(cited(answer)).toEqual([])
})
