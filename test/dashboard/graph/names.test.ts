import { expect, test } from 'vitest'
import { namesOf } from '../../../dashboard/graph/names.ts'

const GARDEN = [
  'The compost feeds the tomato beds',
  'Water the tomato beds with the compost tea',
  'The compost steams',
]
const MUSIC = [
  'The violin concert with the sonata',
  'Tune the violin before the sonata',
  'The violin needs rosin',
]

test('a group is named by its most telling tag and its two most telling words', () => {
  const names = namesOf({
    groups: [0, 0, 0, 1, 1, 1],
    tags: [
      ['person/ada', 'all'],
      ['person/ada', 'all'],
      ['all'],
      ['person/bo', 'all'],
      ['person/bo', 'all'],
      ['all'],
    ],
    texts: [...GARDEN, ...MUSIC],
  })
  expect(names).toEqual([
    { group: 0, name: 'ada: compost, beds', size: 3 },
    { group: 1, name: 'bo: violin, sonata', size: 3 },
  ])
})

test('a word that is everywhere names nothing', () => {
  const texts = [...GARDEN, ...MUSIC].map((text) => `${text} because yesterday`)
  const names = namesOf({ groups: [0, 0, 0, 1, 1, 1], tags: texts.map(() => []), texts })
  expect(names.map(({ name }) => name)).toEqual(['compost, beds', 'violin, sonata'])
})

test('a word that many groups have names none, though it is frequent in one', () => {
  const kinds = ['ledger', 'harbour', 'orchard', 'theatre']
  const texts = kinds.flatMap((kind) => [
    `${kind} doors`,
    `${kind} lamps`,
    `${kind} should wait`,
    `${kind} keys`,
  ])
  const rules = [
    'honesty should come first',
    'patience should rest upon honesty',
    'it should take patience',
    'so it should',
  ]
  const groups = [...texts.map((_, at) => Math.floor(at / 4) + 1), 0, 0, 0, 0]
  const [first] = namesOf({ groups, tags: groups.map(() => []), texts: [...texts, ...rules] })
  expect(first?.name).toBe('honesty, patience')
})

test('words of the tag itself and half a word at the end of a cut text name nothing', () => {
  const texts = ['The oven lease ends in may…', 'The oven lease is dear in may…', ...MUSIC]
  const tags = [['thing/oven-lease'], ['thing/oven-lease'], [], [], []]
  expect(namesOf({ groups: [0, 0, 0, 1, 1], tags, texts })[0]?.name).not.toMatch(/: .*(oven|lease|may)/)
})

test('a tag that is a number gives way to one that is a word', () => {
  const tags = Array.from({ length: 3 }, () => ['project/17', 'person/ada'])
  const names = namesOf({
    groups: [0, 0, 0, 1, 1, 1],
    tags: [...tags, [], [], []],
    texts: [...GARDEN, ...MUSIC],
  })
  expect(names[0]?.name).toMatch(/^ada: /)
})

test('no two large groups have the same name, and a group nothing tells of has its number', () => {
  const texts = [...GARDEN, ...GARDEN, ...GARDEN, ...MUSIC]
  const groups = texts.map((_, i) => Math.floor(i / 3))
  const names = namesOf({ groups, tags: texts.map(() => []), texts }).map(({ name }) => name)
  expect(new Set(names).size).toBe(4)
  expect(namesOf({ groups: [0, 0, 0], tags: [[], [], []], texts: ['', '', ''] })[0]?.name).toBe('group 1')
})
