import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mayCover, meetingOf, SOURCE_CLASSES } from './block.ts'

const anyClass = fc.constantFrom(...SOURCE_CLASSES)
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
