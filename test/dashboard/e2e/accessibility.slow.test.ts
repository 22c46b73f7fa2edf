import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, DESK, idOf, openDashboard, PATIENCE, PHONE } from './page.ts'

afterAll(closeBrowser)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** A theme only changes colours, so the second one is held by the rule of colours alone. */
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  dark: ['color-contrast'],
} as const
/** No screen has so many places for the keyboard. */
const STEPS_MOST = 120

interface Result {
  readonly passes: readonly unknown[]
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

const SCREENS = [
  ...['/', '/memory?words=zebra', '/recall?q=When+does+the+ferry+leave%3F&k=4&why=blue+binder', '/graph'],
  ...['/review?kind=contradiction', '/review?kind=proposal', '/journal?entry=1', '/identity', '/doctor'],
  ...['/?about=ferry', '/?about=nobody', '/health'],
  '/journal?view=between&from=2026-03-01&to=2026-03-16',
]

describe.skipIf(skipped !== undefined)('accessibility', () => {
  test.each([DESK, PHONE])(
    'no screen breaks WCAG 2.2 AA in either theme or scrolls sideways, $width wide',
    async (size) => {
      const { page, goTo, call, troubles } = await openDashboard(await filledFile(), { size })
      const block = `/memory?block=${await idOf(call, 'dogs ride')}`
      const found: string[] = []
      for (const address of [...SCREENS, block, `${block}&act=correct`]) {
        await goTo(address)
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (width > size.width) found.push(`${address}: ${width} wide`)
        // The debugger evaluates this, so the policy of the page need not allow it.
        await page.evaluate(AXE)
        for (const theme of ['light', 'dark'] as const) {
          const { passes, violations } = (await page.evaluate(
            `document.documentElement.dataset.theme = '${theme}'; axe.run({ runOnly: ${JSON.stringify(RULES[theme])} })`,
          )) as Result
          expect(passes.length).toBeGreaterThan(0)
          for (const { id, nodes } of violations)
            found.push(`${address} ${theme}: ${id} ${nodes[0]?.html.slice(0, 160)}`)
        }
      }
      expect(found).toEqual([])
      expect(troubles).toEqual([])
    },
  )

  test('a question is asked, explained, marked and reported by the keyboard alone', async () => {
    const { page, goTo } = await openDashboard(await filledFile())
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

  test('a dialog keeps the focus, Escape gives it back, and a screen chosen by name begins at its heading', async () => {
    const { page, goTo } = await openDashboard(await filledFile())
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
    await page.keyboard.press('/')
    await page.getByRole('dialog').getByRole('combobox').fill('journal')
    await page.keyboard.press('Enter')
    const focused = () => page.evaluate('document.activeElement.tagName + document.activeElement.textContent')
    await expect.poll(focused, PATIENCE).toBe('H1Journal')
  })
})

async function focusedWords(page: Page): Promise<string> {
  const words = `(() => {
    const element = document.activeElement
    return element.getAttribute('aria-label') ?? element.textContent ?? ''
  })()`
  return ((await page.evaluate(words)) as string).trim()
}

async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let step = 0; step < STEPS_MOST; step++) {
    if (wanted.test(await focusedWords(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to ${wanted}`)
}
