import { expect, test } from 'vitest'
import { CHANGED } from '../../../test/fixtures/changed-statements.ts'
import { pairsOf, UNLIKE } from '../../../test/fixtures/unlike-statements.ts'
import { createLanguage, stemOf } from '../../search/language/choose.ts'
import { SlotReader } from './slot-reader.ts'

const OPTIONS = { alikeCosine: 0.8, changedCosine: 0.5 }
const reader = new SlotReader(createLanguage('auto'), stemOf)
const isLater = (newer: string, older: string, cosine: number) =>
  reader.isLater(
    { id: newer, content: newer },
    { id: older, content: older },
    { cosine, namedIn: () => [] },
    OPTIONS,
  )

test.each(pairsOf(UNLIKE))('%s: %s || %s are of two things, however like they are', (_, older, newer) => {
  expect([isLater(newer, older, 1), isLater(older, newer, 1)]).toEqual([false, false])
})

/** Least share of what changed that must be seen; what is not stays an entry of its own. */
const LEAST = 0.9

test('what changed of one thing is seen in most of the pairs', () => {
  const missed = pairsOf(CHANGED).filter(([, older, newer]) => !isLater(newer, older, 0.85))
  expect(missed.length).toBeLessThanOrEqual((1 - LEAST) * pairsOf(CHANGED).length)
})
