import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedMeanwhile, clashing, draftOf, editOf, merged } from '../../../dashboard/block/draft.ts'
import { earlierWords } from '../../../dashboard/block/versions.ts'
import { listWindow, scrollFor } from '../../../dashboard/parts/window.ts'
import { filtersOf, setFilters } from '../../../dashboard/screens/memory/asked.ts'

test('only the seen rows of a long list are in the page, and every seen row is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 7_000_000 }),
      fc.integer({ min: 0, max: 1_200 }),
      fc.integer({ min: 0, max: 100_000 }),
      (top, height, total) => {
        const row = 66
        const { first, last } = listWindow({ top, height, row }, total)
        expect(last - first).toBeLessThanOrEqual(40)
        expect(first).toBeGreaterThanOrEqual(0)
        expect(last).toBeLessThanOrEqual(total)
        for (let seen = Math.floor(top / row); seen * row < top + height && seen < total; seen++)
          expect(seen >= first && seen < last).toBe(true)
      },
    ),
  )
})

test('a list scrolls only to a row that is not seen, and then to its middle', () => {
  const view = { top: 660, height: 330, row: 66 }
  expect(scrollFor(view, 12)).toBeUndefined()
  expect(scrollFor(view, 100)).toBe(6600 - 132)
  expect(scrollFor(view, 0)).toBe(0)
})

test('an address asks for what it says, and what is no value of a filter asks for nothing', () => {
  expect(filtersOf({})).toEqual({ status: 'active', sort: 'used' })
  expect(filtersOf({ by: 'peer', sort: 'doubted', which: 'isolated', words: '  quay ' })).toEqual({
    ...{ status: 'active', sort: 'doubted', sourceClass: 'peer', isolated: true, words: 'quay' },
  })
  expect(
    filtersOf({ by: 'nobody', sort: 'sideways', status: 'gone', tier: 'x', which: 'x', words: ' ' }),
  ).toEqual({
    ...{ status: 'active', sort: 'used' },
  })
})

test('each filter that is set is told, so that it can be taken away', () => {
  const told = setFilters({ by: 'user', tag: 'runbook', which: 'undecided', block: 'abcd', sort: 'fading' })
  expect(told).toEqual([
    { key: 'by', words: 'by owner' },
    { key: 'tag', words: '#runbook' },
    { key: 'which', words: 'to be decided' },
  ])
})

const block = {
  ...{ content: 'Port 4210.', cue: 'staging', tags: ['a', 'b'], validUntil: '2026-11-03T00:00:00Z' },
  untilBy: 'superseded',
}

test('a correction changes only what was typed anew', () => {
  const draft = draftOf(block)
  expect(editOf(block, draft)).toBeUndefined()
  expect(editOf(block, { ...draft, content: 'Port 4211.' })).toEqual({ content: 'Port 4211.' })
  expect(editOf(block, { ...draft, tags: '#a, , c' })).toEqual({ tags: ['a', 'c'] })
  expect(editOf(block, { ...draft, cue: '' })).toEqual({ cue: '' })
})

test('a date that another block set is not shown as the block’s own', () => {
  expect(draftOf(block).until).toBe('')
  const own = { ...block, untilBy: 'given' }
  expect(draftOf(own).until).toBe('2026-11-03')
  expect(editOf(own, { ...draftOf(own), until: '' })).toEqual({ validUntil: '' })
})

test('earlier words are told newest first, without those of corrections that were taken back', () => {
  const entries = [
    { at: '1', before: { content: 'one' } },
    { at: '2', before: { tags: [] } },
    { at: '3', before: { content: 'never' }, undoneBy: 9 },
    { at: '4', before: { content: 'two' } },
  ]
  expect(earlierWords(entries, 'three')).toEqual([
    { at: '4', before: 'two', after: 'three' },
    { at: '1', before: 'one', after: 'two' },
  ])
})

test('of two corrections at once each part stays, and only the same part written twice is a clash', () => {
  const before = { content: 'Port 4210.', cue: '', tags: 'a', from: '', until: '' }
  const now = { ...before, content: 'Port 4211.', tags: 'a, b' }
  const typed = { ...before, content: 'Port 4212.', cue: 'when staging fails' }
  expect(changedMeanwhile({ before, now })).toEqual(['content', 'tags'])
  expect(clashing({ before, now }, typed)).toEqual(['content'])
  expect(clashing({ before, now }, { ...typed, content: now.content })).toEqual([])
  expect(merged({ before, now }, typed)).toEqual({ ...typed, tags: 'a, b' })
})
