import { expect, test } from 'vitest'
import type { Block } from '../block/block.ts'
import { HEADINGS } from '../block/text.ts'
import { ServedTexts } from './echo.ts'

const TEA = { id: 'c1760a9542f2481c', content: 'Tea is at four.' } as Block
const ENTRY = `[1] ${TEA.content} (2026-05-08)`

test('part of a million characters of any shape ends before the test times out', () => {
  const served = new ServedTexts()
  served.note(`${HEADINGS.known}\n${ENTRY}`, [TEA])
  for (const shape of [ENTRY, HEADINGS.known, '[1] ', '| ', '|', '', ' (', '… ', '… [cut]']) {
    const times = Math.floor(1_000_000 / (shape.length + 1))
    const text = `${shape}\n`.repeat(times)
    expect(served.part(text)?.blocks.length ?? 0).toBe(shape === ENTRY ? times : 0)
    expect(served.part(text.replaceAll('\n', ' '))).toBeUndefined()
    served.note(text, [TEA])
  }
})
