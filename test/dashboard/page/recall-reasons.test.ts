import { expect, test } from 'vitest'
import {
  movedWords,
  type Placed,
  reasonOf,
  shortWords,
  underWords,
  waysTo,
} from '../../../dashboard/screens/recall/rules/reasons.ts'
import { why } from '../../../src/operations/recall/why.ts'

const REASONS = why.output.shape.reason.unwrap().options
const ROOM = { entries: 5, limit: 5, query: 'When?' }
const placed = (of: Partial<Placed>): Placed => ({ id: '3f2a9c1e', ...of })

test('every reason that the library gives has words of its own', () => {
  const words = REASONS.map((reason) => reasonOf(placed({ reason }), ROOM)?.words)
  expect(new Set(words).size).toBe(REASONS.length)
  expect(words).not.toContain(undefined)
})

test('what stands in the text has no reason to be left out', () => {
  expect(reasonOf(placed({ shown: 'entry' }), ROOM)).toBeUndefined()
  expect(reasonOf(placed({ shown: 'version', reason: 'version' }), ROOM)?.words).toBe('shown under another')
  expect(waysTo(placed({ shown: 'entry' }))).toEqual([])
})

test('beyond the limit says which, by how much, and the limit that has a place', () => {
  const short = { lastShown: { id: 'b7d041aa', score: 1 }, missing: 0.21, limit: 6 }
  const beyond = placed({ reason: 'top_k', short })
  expect(reasonOf(beyond, { entries: 4, limit: 4, query: 'When?' })?.words).toBe('beyond the first 4')
  expect(reasonOf(beyond, { entries: 4, query: 'When?' })?.words).toBe('less near than the 4 shown')
  expect(reasonOf(beyond, { entries: 1, query: '' })?.words).toBe('ranked behind the one shown')
  expect(shortWords(beyond)).toBe('It scores 0.21 less than the last one shown.')
  expect(waysTo(beyond)).toEqual([{ label: 'Ask for 6', ask: { limit: 6 } }])
})

test('a budget that is too small names the tokens that would do', () => {
  const full = placed({ reason: 'token_budget', short: { tokens: 420 } })
  expect(shortWords(full)).toContain('420 tokens')
  expect(waysTo(full)).toEqual([{ label: 'Give it 420 tokens', ask: { budget: 420 } }])
})

test('what is contradicted can be said to hold as well', () => {
  const under = { id: 'b7d041aa', why: 'contradicted' } as const
  const lost = placed({ reason: 'contradicted', under, short: { confidence: 0.5, otherConfidence: 0.83 } })
  expect(underWords(lost)).toBe('contradicted by')
  expect(shortWords(lost)).toBe('Its confidence is 50 %, that of the other 83 %.')
  expect(waysTo(lost)).toEqual([{ label: 'Say that both hold', run: 'both', other: 'b7d041aa' }])
})

test('what has no vector yet is brought by a dream, and what is archived by restoring it', () => {
  const waits = placed({ reason: 'no_vector', short: { lacksVector: true, rank: 0.1, leastRank: 0.3 } })
  expect(shortWords(waits)).toBe('Its match ranks 0.10, and 0.30 is needed.')
  expect(waysTo(waits)).toMatchObject([{ run: 'dream' }])
  const archived = waysTo(placed({ reason: 'archived' })).map(({ label }) => label)
  expect(archived).toEqual(['Restore it', 'Open it'])
})

test('a row that stands before a higher score says by which rule, and before which row', () => {
  const nameOf = (id: string) => `no. ${id}`
  expect(movedWords({}, nameOf)).toBe('')
  expect(movedWords({ moved: { why: 'newer', before: '3' } }, nameOf)).toBe(
    'before no. 3: the newer word of the two',
  )
  expect(movedWords({ moved: { why: 'named', behind: '1' } }, nameOf)).toBe(
    'behind no. 1: the question names more of that',
  )
  expect(movedWords({ moved: { why: 'guaranteed' } }, nameOf)).toBe(
    'before higher scores: this frame always shows it',
  )
})
