import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const entry = new URL('../../src/client/index.ts', import.meta.url).pathname

test('the client is one small file for a browser, and imports nothing of Node, of a schema or of a record', async () => {
  const outside: string[] = []
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    external: (id) => {
      const isOutside = !/^[./\0]/.test(id)
      if (isOutside) outside.push(id)
      return isOutside
    },
  })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  expect(outside).toEqual([])
  const [chunk] = output
  expect(output).toHaveLength(1)
  const inside = chunk.moduleIds
    .map((id) => id.replace(/^.*\/src\//, ''))
    .filter((id) => !id.startsWith('client/'))
  expect(inside.sort()).toEqual([
    'block/text.ts',
    'errors.ts',
    'operations/call-context.ts',
    'operations/items/bound-items.ts',
  ])
  expect(chunk.code).not.toMatch(/\bprocess\b|\bBuffer\b|\brequire\b|\bsetImmediate\b/)
  expect(gzipSync(chunk.code).length).toBeLessThan(10_000)
})
