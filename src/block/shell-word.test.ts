import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWord } from './text.ts'

test('shellWord of any text is read by a shell as that one word', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0') && each.isWellFormed())
  await fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (words) => {
      const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`
      const read = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
      expect(read.split('\0').slice(0, -1)).toEqual(words)
    }),
    { numRuns: 30, examples: [[["$(echo x) `id` 'a' \\ \n;&|", '-rf', '', "''"]]] },
  )
})
