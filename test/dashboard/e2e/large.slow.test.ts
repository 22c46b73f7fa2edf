import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/memory.ts'
import { temporaryFolder } from '../../helpers/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, openHouseholdPage, PATIENCE, settle } from './dashboard.ts'

afterAll(closeBrowser)

const BLOCKS = 100_000
const BATCH = 10_000
/** To fill the memory takes a while on busy cores, in milliseconds. */
const FILLED_MS = 600_000
/** More rows than these in a page would make it slow, however long the list is. */
const ROWS_MOST = 60

async function manyBlocks(): Promise<string> {
  const path = join(temporaryFolder(), 'many.db')
  await using memory = await openMemory(path, {
    embedder: createHashingEmbedder(),
    config: { memory: { autoDream: 'off' } },
  })
  for (let from = 0; from < BLOCKS; from += BATCH)
    await memory.rememberMany({
      blocks: Array.from({ length: BATCH }, (_, i) => ({
        content: `Crate ${from + i} lies in hall ${i % 97}.`,
      })),
    })
  return path
}

describe.skipIf(skipped !== undefined)('a page of very much, and a browser of little', () => {
  test('a list of 100,000 blocks has a screenful of rows in the page, to its end and back', {
    timeout: FILLED_MS,
  }, async () => {
    const { page, goTo, troubles } = await openHouseholdPage({
      path: await manyBlocks(),
      flags: ['--read-only'],
    })
    await goTo('/memory?status=inbox')
    const rows = page.locator(`[role=option][aria-setsize="${BLOCKS}"]`)
    await rows.first().waitFor()
    expect(await rows.count()).toBeLessThanOrEqual(ROWS_MOST)
    const list = page.getByRole('listbox')
    for (const end of ['Number.MAX_SAFE_INTEGER', '0', '2_000_000'] as const) {
      await list.evaluate(`(list) => { list.scrollTop = ${end} }`)
      await settle(page)
      await expect.poll(() => rows.filter({ hasText: 'Crate' }).count(), PATIENCE).toBeGreaterThan(5)
      expect(await rows.count()).toBeLessThanOrEqual(ROWS_MOST)
    }
    expect(troubles).toEqual([])
  })

  test('the graph is drawn where a browser has no WebGL', async () => {
    const { page, goTo, troubles } = await openHouseholdPage()
    await page.addInitScript(`
      const get = HTMLCanvasElement.prototype.getContext
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return /webgl|webgpu/.test(kind) ? null : get.call(this, kind, ...more)
      }`)
    await goTo('/graph')
    const drawn = () =>
      page.evaluate(`(() => {
        const { width, height } = document.querySelector('canvas')
        // The browser warns of a canvas that is read again and again, so a copy is.
        const copy = Object.assign(document.createElement('canvas'), { width, height })
        const context = copy.getContext('2d', { willReadFrequently: true })
        context.drawImage(document.querySelector('canvas'), 0, 0)
        const { data } = context.getImageData(0, 0, width, height)
        const colours = new Set()
        for (let at = 0; at < data.length; at += 4) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2])
        return colours.size
      })()`)
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(10)
    expect(troubles).toEqual([])
  })
})
