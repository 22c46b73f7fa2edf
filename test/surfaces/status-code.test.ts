import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

test('status ends with 0 while something only waits for you, and with 1 where something is broken', async () => {
  const home = temporaryDirectory()
  const blocks = Array.from({ length: 12 }, (_, i) => `The cupboard ${i} holds maps.`)
  const stdin = JSON.stringify(blocks.map((content) => ({ content })))
  await elfmem(['remember-many', '-'], { home, stdin })
  const waiting = await elfmem(['status'], { home })
  expect([waiting.code, waiting.out]).toEqual([0, expect.stringMatching(/^wants you: /)])
  await elfmem(['dream'], { home })
  expect((await elfmem(['status'], { home })).code).toBe(0)
  const env = { ELFMEM_EMBEDDINGS_DIMENSIONS: '64' }
  const broken = await elfmem(['status'], { home, env })
  expect([broken.code, broken.out]).toEqual([1, expect.stringMatching(/^broken: /)])
})
