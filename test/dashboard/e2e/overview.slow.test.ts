import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, openHouseholdPage } from './dashboard.ts'

afterAll(closeBrowser)

describe.skipIf(skipped !== undefined)('the overview', () => {
  test('where decisions wait, the first thing to do is to review them', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/')
    const first = page.locator('.overview-head .primary')
    expect(await first.allInnerTexts()).toEqual(['Review'])
    await first.click()
    await page.locator('.decision').waitFor()
  })

  test('tidying up says what it does before it does it', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    const last = () => call<{ operations: { operation: string }[] }>('history', { limit: 1 })
    await goTo('/')
    const before = await last()
    await page.getByRole('button', { name: 'Tidy up…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tidy up?' })
    expect(await dialog.innerText()).toContain('archives blocks that faded')
    await dialog.getByRole('button', { name: 'Not now' }).click()
    expect(await last()).toEqual(before)
    await page.getByRole('button', { name: 'Tidy up…' }).click()
    await dialog.getByRole('button', { name: 'Tidy up' }).click()
    await page.locator('.toast').waitFor()
  })
})
