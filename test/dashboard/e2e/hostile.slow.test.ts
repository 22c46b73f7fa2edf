import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, household, openHouseholdPage, PHONE, settle } from './dashboard.ts'

afterAll(closeBrowser)

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const LINKED = '[press](javascript:alert(3)) ![seen](http://evil.example/pixel.png)'
/** Written backwards by whoever does not show the sign. */
const TURNED = 'pay \u202e001 ot\u202c euros'
const LONG = 'x'.repeat(3_000)

/** A household to which somebody hostile spoke: words in every field that a stranger can fill. */
async function hostileHousehold(): Promise<string> {
  const path = await household()
  await using agent = await openMemory(path, { as: 'agent', actor: 'mcp<b>evil</b>' })
  for (const content of [`${MARKUP} ferry`, `${LINKED} ferry`, `${TURNED} ferry`, `${LONG} ferry`])
    await agent.remember({
      ...{ content, sourceClass: 'document', source: `${MARKUP.slice(0, 30)} \u202egpj` },
      ...{ tags: ['<i>tag</i>'], cue: '<u>cue</u> \u2066turned', session: '<s>session</s>' },
    })
  await agent.propose({ kind: 'value', content: `${MARKUP} ${TURNED}`, reason: `${LINKED} ${TURNED}` })
  await using owner = await openMemory(path, { as: 'owner' })
  await owner.dream()
  const { blocks } = await owner.ls({ words: 'alert ferry' })
  const { blocks: others } = await owner.ls({ words: 'Marta takes' })
  const [a, b] = [blocks[0]?.id ?? '', others[0]?.id ?? '']
  await owner.connect({ source: a, target: b, relation: 'contradicts', note: MARKUP })
  return path
}

const SCREENS = [
  '/recall?q=ferry&k=50',
  `/recall?q=${encodeURIComponent(MARKUP)}&why=${encodeURIComponent(MARKUP)}`,
  '/review',
  '/review?kind=proposal',
  '/review?kind=contradiction',
  '/memory',
  '/journal',
]

describe.skipIf(skipped !== undefined)('words of somebody hostile', () => {
  test('nothing of them runs, loads or becomes a link, on any screen', async () => {
    const { page, goTo, troubles, origin } = await openHouseholdPage({ path: await hostileHousehold() })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    for (const screen of SCREENS) {
      await page.goto(`${origin}${screen}`)
      await page.waitForSelector('#main')
      await settle(page)
      expect(
        await page.locator('#main img, #main script, #main b b, #main a[href^="javascript"]').count(),
      ).toBe(0)
    }
    await goTo('/review?kind=proposal')
    await page.getByText('1 of 3').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.getByText('3 of 3').waitFor()
    await page.keyboard.press('a')
    expect(await page.getByRole('dialog').textContent()).toContain(MARKUP)
    expect(asked.filter((url) => !url.startsWith(origin))).toEqual([])
    expect(troubles).toEqual([])
  })

  test('signs that turn the reading direction are written out, and nothing breaks a phone', async () => {
    const opened = await openHouseholdPage({ path: await hostileHousehold(), size: PHONE, isTouched: true })
    const { page, goTo, troubles } = opened
    await goTo('/recall?q=ferry+euros&k=50')
    expect(await page.locator('#main').textContent()).toContain('‹U+202E›')
    for (const screen of SCREENS.slice(0, 5)) {
      await page.goto(`${opened.origin}${screen}`)
      await page.waitForSelector('#main h1')
      await settle(page)
      expect(await page.locator('#main').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      expect(
        await page.evaluate(`(() => {
        const main = document.querySelector('#main')
        return main.scrollWidth - main.clientWidth
      })()`),
      ).toBeLessThanOrEqual(0)
    }
    expect(troubles).toEqual([])
  })
})
