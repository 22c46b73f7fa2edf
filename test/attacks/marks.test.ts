import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { hostileText } from './texts/shapes.ts'

/** Which of the sources normalise by themselves, in how many places, and why they may. */
const NORMALISE: Readonly<Record<string, readonly [places: number, reason: string]>> = {
  'domain/text/text.ts': [2, 'in parts'],
  'domain/block/scope.ts': [1, 'nothing that is longer than a scope can be'],
  'domain/safety/secrets/prose/names.ts': [2, 'words of its own'],
  'adapters/project/identity.ts': [1, 'the name of a folder'],
  'adapters/embed/minilm/wordpiece.ts': [1, 'one character'],
}

test('no source puts the marks of a text in order but through what takes them in parts', () => {
  const sources = readdirSync(join(import.meta.dirname, '../../src'), { recursive: true, encoding: 'utf8' })
  const found = sources.flatMap((file) => {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) return []
    const text = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8')
    const places = text.match(/\.normalize\(|Intl\./g) ?? []
    return places.length === 0 ? [] : [[file, places.length]]
  })
  const allowed = Object.entries(NORMALISE).map(([file, [places]]) => [file, places])
  expect(found.sort()).toEqual(allowed.sort())
})

type Call = (memory: Memory, text: string, blockId: string) => Promise<unknown>

const CALLS: Readonly<Record<string, Call>> = {
  'remember.content': async (memory, content) => {
    await memory.remember({ content })
    await memory.remember({ content: `${content} 5` })
    await memory.dream()
  },
  'recall.query': (memory, text) => memory.recall({ query: text.slice(0, 7_000) }),
  'edit.content': (memory, content, blockId) => memory.edit({ blockId, content }),
  'setup.identity': (memory, text) => memory.setup({ identity: text.slice(0, 3_000) }),
  'learnDocument.text': (memory, text) => memory.learnDocument({ text, source: 'page' }),
  'remember.scope': (memory, text) => memory.remember({ content: 'x', scope: text.slice(0, 500) }),
}

test.each(Object.entries(CALLS))('no marks in a row are put in order together: %s', async (_, call) => {
  for (const shape of ['unsorted marks', 'half-width marks']) {
    const { memory } = await openTestMemory()
    const { blockId } = await memory.remember({ content: 'The gate opens at six' })
    await memory.dream()
    const runs: number[] = []
    const real = String.prototype.normalize
    const spy = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (
      this: string,
      form = 'NFC',
    ) {
      for (const [run] of String(this).matchAll(/[\p{M}\uff9e\uff9f]+/gu)) runs.push(run.length)
      return real.call(this, form)
    })
    await call(memory, hostileText(shape, 20_000), blockId).catch((error: { code?: string }) => {
      expect(error.code).toMatch(/^[A-Z_]+$/)
    })
    spy.mockRestore()
    expect(Math.max(0, ...runs)).toBeLessThanOrEqual(512)
    expect(runs.filter((run) => run > 30).length).toBeLessThanOrEqual(1)
  }
})
