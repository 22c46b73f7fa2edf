import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayCover, meetingOf, mostTrusted, SOURCE_CLASSES } from './block.ts'

const anyClass = fc.constantFrom(...SOURCE_CLASSES)
const anyDay = fc.integer({ min: 1, max: 9 }).map((day) => `2026-05-0${day}T00:00:00.000Z`)
const anyBlock = fc.record({ sourceClass: anyClass, occurredAt: anyDay, createdAt: anyDay })

test('mayCover is false of a block that is trusted less, and true of one of two in any case', () => {
  fc.assert(
    fc.property(anyBlock, anyBlock, (one, other) => {
      expect(mayCover(one, other) || mayCover(other, one)).toBe(true)
    }),
  )
})

const fact = { category: 'knowledge', tags: [] as string[] }

test('meetingOf raises a block only when the owner says the same, and never for an echo', () => {
  fc.assert(
    fc.property(anyClass, anyClass, fc.boolean(), fc.boolean(), (known, sourceClass, isEcho, insists) => {
      const met = meetingOf({ ...fact, sourceClass: known }, { sourceClass, isEcho, insists })
      const isMore = !mayCover(known, sourceClass) && !isEcho
      if (!isMore) expect(met).toBe('merge')
      else if (sourceClass === 'user') expect(met).toBe('raise')
      else expect(met).toBe(insists ? 'apart' : 'merge')
    }),
  )
})

test.each([
  ['a message', { ...fact, category: 'message', sourceClass: 'peer' as const }],
  ['a block of a peer', { ...fact, tags: ['peer/from:eve'], sourceClass: 'peer' as const }],
  [
    'a block that claims the place of another',
    { ...fact, supersedes: 'x', sourceClass: 'document' as const },
  ],
])('the owner who says the same as %s gets a block beside it', (_what, known) => {
  expect(meetingOf(known, { sourceClass: 'user' })).toBe('apart')
})

test('mostTrusted gives the first of the most trusted blocks', () => {
  fc.assert(
    fc.property(fc.array(anyClass), (classes) => {
      const blocks = classes.map((sourceClass, at) => ({ sourceClass, at }))
      const best = blocks.toSorted(
        (one, other) =>
          SOURCE_CLASSES.indexOf(one.sourceClass) - SOURCE_CLASSES.indexOf(other.sourceClass) ||
          one.at - other.at,
      )[0]
      expect(mostTrusted(blocks)).toEqual(best)
    }),
  )
})
