import { expect, test } from 'vitest'
import { bySection, findSettings, sizeWords, valueWords } from '../../../dashboard/screens/doctor/records.ts'
import {
  find,
  fittingOf,
  MOST_EDGES,
  pictureOf,
  relationCounts,
} from '../../../dashboard/screens/graph/scenes/picture.ts'
import { hoursUntil, momentAfter, stateOf, withoutQuery } from '../../../dashboard/screens/graph/state.ts'
import { byPart, PARTS, writingOf } from '../../../dashboard/screens/identity/parts.ts'

const COLUMNS = {
  begin: '2026-03-01T10:00:00.000Z',
  sourceClasses: ['user', 'document'],
  tags: ['person/ada'],
  relations: ['similar', 'supports'],
  origins: ['similarity'],
  nodes: {
    id: ['aaaa0000', 'bbbb0000', 'cccc0000'],
    text: ['The garden', 'The violin', 'A concert in the garden'],
    sourceClass: [0, 1, 0],
    tags: [[0], [], []],
    belief: [60, 50, 40],
    degree: [2, 1, 1],
    createdAt: [0, 5, 30],
  },
  edges: {
    a: [0, 0],
    b: [1, 2],
    relation: [1, 0],
    origin: [0, 0],
    weight: [80, 40],
    uses: [0, 1],
    createdAt: [5, 30],
  },
}
const LONE = {
  id: 'dddd0000',
  content: 'Alone',
  sourceClass: 'agent',
  tags: [],
  createdAt: '2026-03-01T14:30:00.000Z',
  belief: 0.7,
}
const ALL = {
  without: new Set<string>(),
  least: 0,
  until: Number.POSITIVE_INFINITY,
  lone: false,
  group: undefined,
}
const PICTURE = pictureOf(COLUMNS, [LONE])

test('blocks without edges come after the joined ones, with the hour they came', () => {
  expect(PICTURE.ids).toEqual(['aaaa0000', 'bbbb0000', 'cccc0000', 'dddd0000'])
  expect(PICTURE.joined).toBe(3)
  expect(PICTURE.bornAt).toEqual([0, 5, 30, 4])
  expect(PICTURE.beliefs[3]).toBe(70)
  expect(PICTURE.span).toBe(30)
})

test('blocks whose edges are all left out are gone until blocks without edges are asked for', () => {
  const shown = (showing: object) => [...fittingOf(PICTURE, { ...ALL, ...showing }).blocks]
  expect(shown({})).toEqual([1, 1, 1, 0])
  expect(shown({ without: new Set(['similar']) })).toEqual([1, 1, 0, 0])
  expect(shown({ least: 50 })).toEqual([1, 1, 0, 0])
  expect(shown({ until: 6 })).toEqual([1, 1, 0, 0])
  expect(shown({ until: 2 })).toEqual([0, 0, 0, 0])
  expect(shown({ least: 50, lone: true })).toEqual([1, 1, 1, 1])
  expect(shown({ until: 4, lone: true })).toEqual([1, 0, 0, 1])
})

test('of one group only its own edges are shown', () => {
  const { blocks, edges } = fittingOf(PICTURE, { ...ALL, group: 0 }, [0, 0, 1])
  expect([...blocks]).toEqual([1, 1, 0, 0])
  expect(edges).toEqual([0])
})

test('of very many edges the firmest are drawn, and all are counted', () => {
  const many = Array.from({ length: MOST_EDGES + 10 }, (_, i) => i)
  const edges = {
    ...COLUMNS.edges,
    a: many.map(() => 0),
    b: many.map(() => 1),
    relation: many.map(() => 0),
    weight: many.map(() => 50),
    createdAt: many.map(() => 0),
  }
  const { drawn, edges: fitting } = fittingOf(pictureOf({ ...COLUMNS, edges }, []), ALL)
  expect(drawn).toHaveLength(MOST_EDGES)
  expect(drawn[0]).toBe(0)
  expect(fitting).toHaveLength(MOST_EDGES + 10)
})

test('relations are counted, and blocks are found by words or id, the best joined first', () => {
  expect(relationCounts(PICTURE)).toEqual([
    ['similar', 1],
    ['supports', 1],
  ])
  expect(find(PICTURE, 'GARDEN', 5)).toEqual([0, 2])
  expect(find(PICTURE, 'bbbb', 5)).toEqual([1])
  expect(find(PICTURE, 'g', 5)).toEqual([])
})

test('the address says what the map shows, and nonsense in it counts as not given', () => {
  const state = stateOf({
    without: 'similar,outcome',
    least: '30',
    group: '4',
    steps: '2',
    near: 'abcd',
    at: '2026-03-01T10:00Z',
  })
  expect(state).toMatchObject({ least: 30, group: 4, steps: 2, near: 'abcd', at: '2026-03-01T10:00Z' })
  expect(withoutQuery(state.without)).toBe('outcome,similar')
  expect(stateOf({ least: 'x', group: '-1', steps: '9', at: 'yesterday', by: 'magic' })).toMatchObject({
    ...{ least: 0, group: undefined, steps: 1, at: undefined, by: 'group' },
  })
  expect(stateOf({ block: 'in the drawer', near: 'before' }).near).toBe('in the drawer')
})

test('a principle is listed as one, though it is a value, too; other words about itself come last', () => {
  const found = byPart([
    { tags: ['self/value', 'self/constitutional'] },
    { tags: ['self/value'] },
    { tags: ['self/odd'] },
  ])
  expect(found.get('principles')).toHaveLength(1)
  expect(found.get('values')).toHaveLength(1)
  expect(found.get('others')).toHaveLength(1)
})

test('each part of who the agent is is written as the owner’s word', () => {
  const of = (key: string) =>
    writingOf(PARTS.find((part) => part.key === key) ?? (PARTS[0] as (typeof PARTS)[number]), 'x')
  expect(of('who')).toEqual({ operation: 'setup', input: { identity: 'x' } })
  expect(of('principles')).toEqual({ operation: 'setup', input: { principles: ['x'] } })
  expect(of('values')).toEqual({ operation: 'setup', input: { values: ['x'] } })
  expect(of('goals')).toEqual({
    operation: 'remember',
    input: { content: 'x', tags: ['self/goal'], sourceClass: 'user' },
  })
})

test('settings are found by any of their words, also without underscores', () => {
  const setting = (name: string, reason: string) => ({
    name,
    reason,
    isDefault: true,
    unit: '',
    range: '',
    variable: name.toUpperCase(),
  })
  const all = [
    setting('memory.inbox_threshold', 'Dreams are due from here'),
    setting('decay.standard', 'Fades slowly'),
  ]
  const names = (words: string) => findSettings(all, words).map(({ name }) => name)
  expect(names('inbox threshold')).toEqual(['memory.inbox_threshold'])
  expect(names('FADES')).toEqual(['decay.standard'])
  expect(names('')).toHaveLength(2)
  expect(names('inbox fades')).toEqual([])
  expect(bySection(all).map(([section]) => section)).toEqual(['memory', 'decay'])
})

test('values and sizes read as people write them', () => {
  expect([undefined, '', 'a', 3, true, ['x']].map(valueWords)).toEqual([
    'none',
    'empty',
    'a',
    '3',
    'true',
    '["x"]',
  ])
  expect([900, 12_000, 2_340_000, 3_000_000_000].map(sizeWords)).toEqual([
    '900 bytes',
    '12 kB',
    '2.3 MB',
    '3.00 GB',
  ])
})

test('an hour of the slider is the moment at which it is over, unless that is yet to come', () => {
  const begin = Date.parse('2026-03-01T10:00:30.500Z')
  const later = Date.parse('2026-05-01T00:00:00Z')
  const at = momentAfter(5, begin, later)
  expect(at).toBe('2026-03-01T16:01Z')
  expect(hoursUntil(at ?? '', begin)).toBe(5)
  expect(momentAfter(5, begin, begin + 5.5 * 3_600_000)).toBeUndefined()
})
