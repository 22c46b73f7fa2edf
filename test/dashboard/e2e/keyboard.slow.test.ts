import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, DESK, openHouseholdPage, PATIENCE, PHONE } from './dashboard.ts'

afterAll(closeBrowser)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What axe finds against WCAG 2.2 AA; it is put in from outside, past the policy of the page. */
async function violations(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 120))))`
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return JSON.parse(String(result.value)) as string[]
}

const STATES = [
  '/recall',
  '/recall?q=When+does+the+ferry+leave%3F&k=4&why=blue+binder',
  '/recall?frame=self',
  '/review',
  '/review?kind=contradiction',
  '/review?kind=supersession',
]

describe.skipIf(skipped !== undefined)('the lab and the review', () => {
  test.each([
    ['a desk', DESK],
    ['a phone', PHONE],
  ])('nothing is against WCAG 2.2 AA on %s, light and dark', async (_name, size) => {
    const { page, goTo, troubles } = await openHouseholdPage({ size })
    for (const theme of ['light', 'dark'])
      for (const state of STATES) {
        await goTo(state)
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
        expect([theme, state, await violations(page)]).toEqual([theme, state, []])
      }
    await goTo('/review?kind=near_duplicate')
    await page.getByRole('button', { name: /^Decide these/ }).click()
    expect(await violations(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('a question is asked, explained, marked and reported by the keyboard alone', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/recall')
    await page.getByLabel('Question').focus()
    await page.keyboard.type('When does the ferry to Brannoch leave?')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.candidate')
    await tabTo(page, /^score/)
    await page.keyboard.press('Enter')
    await page.locator('.terms-table').first().waitFor()
    await tabTo(page, /^Number 1 helped/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Report outcome/)
    await page.keyboard.press('Enter')
    await page.locator('.toast').waitFor()
  })

  test('a dialog keeps the focus inside, and Escape gives it back', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/review?kind=proposal')
    await tabTo(page, /^R?Refuse/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true)
    }
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedWords(page), PATIENCE).toMatch(/^R?Refuse/)
  })

  test('a screen that was chosen by its name begins at its heading', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/review')
    for (const [typed, heading] of [
      ['journal', 'Journal'],
      ['overview', '26 decisions wait for you'],
      ['review', 'Review'],
      ['review', 'Review'],
    ] as const) {
      await page.keyboard.press('/')
      await page.getByRole('dialog').getByRole('combobox').fill(typed)
      await page.keyboard.press('Enter')
      await expect
        .poll(
          () => page.evaluate('document.activeElement.tagName + document.activeElement.textContent'),
          PATIENCE,
        )
        .toBe(`H1${heading}`)
    }
  })

  test('on a phone a pair is read and decided without scrolling sideways, and what was done covers no choice', async () => {
    const { page, goTo } = await openHouseholdPage({ size: PHONE, isTouched: true })
    await goTo('/review?kind=contradiction')
    await page.getByRole('button', { name: /^Both hold/ }).tap()
    await page.locator('.toast').waitFor()
    await page.getByText('1 of 1').waitFor()
    const toast = await page.locator('.toast').boundingBox()
    for (const choice of await page.locator('.choice').all())
      expect((await choice.boundingBox())?.y).toBeGreaterThan((toast?.y ?? 0) + (toast?.height ?? 0))
  })
})

/** The words of what has the focus. */
async function focusedWords(page: Page): Promise<string> {
  const words = `(() => {
    const element = document.activeElement
    return element.getAttribute('aria-label') ?? element.textContent ?? ''
  })()`
  return ((await page.evaluate(words)) as string).trim()
}

/** More steps than any of these screens has places. */
const STEPS_MOST = 120

async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let step = 0; step < STEPS_MOST; step++) {
    if (wanted.test(await focusedWords(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to ${wanted}`)
}
