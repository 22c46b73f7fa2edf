import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { skipped, startChromium } from '../dashboard/e2e/chromium.ts'
import { startService } from '../service/helpers/service.ts'

const entry = new URL('../../src/client/index.ts', import.meta.url).pathname

test.skipIf(skipped !== undefined)('the client works in a browser, on a page of the service', async () => {
  const service = await startService()
  const token = service.token('ann')
  const bundle = await rolldown({ input: entry, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'elfmem' })
  await bundle.close()
  const browser = await startChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`${service.url}/health/live`)
  // The debugger evaluates this, so no policy of a page is in the way.
  const said = await page.evaluate(`(async () => {
    ${output[0].code}
    const memory = await elfmem.openMemory(location.origin, { token: ${JSON.stringify(token)} })
    const entries = memory.watch()
    const first = entries.next()
    await memory.remember({ content: 'Tea is at four' })
    const { blocks } = await memory.recall({ query: 'when is tea' })
    await memory.items('notes').put({ key: 'tea', value: 4 })
    const item = await memory.items('notes').get({ key: 'tea' })
    const refused = await memory.show({ blockId: 'ffffffff' }).catch((error) => error.code)
    await memory.close()
    await first
    return [blocks.map(({ content }) => content), item.value, refused]
  })()`)
  expect(said).toEqual([['Tea is at four'], 4, 'NOT_FOUND'])
})
