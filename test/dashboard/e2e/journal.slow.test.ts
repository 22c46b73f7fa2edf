import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, openHouseholdPage, PATIENCE, PHONE, settle } from './dashboard.ts'
import { openInventedPage, toastOf } from './invented.ts'

afterAll(closeBrowser)

interface Entries {
  readonly operations: readonly { readonly id: number; readonly operation: string }[]
}

describe.skipIf(skipped !== undefined)('the journal and the overview', () => {
  test('an entry says what it changed, shows what goes with it, and is taken back', async () => {
    const { page, goTo, call, troubles } = await openInventedPage()
    const { operations } = await call<Entries>('history', { operation: 'edit', limit: 1 })
    await goTo(`/journal?entry=${operations[0]?.id}`)
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('del').allInnerTexts()).toEqual(['4210'])
    expect(await dialog.locator('ins').allInnerTexts()).toContain('4211, behind the proxy')
    await dialog.getByRole('button', { name: 'Undo…' }).click()
    await dialog.getByText(/^This takes back \d+ operations? on/).waitFor()
    expect(await call<object>('ls', { words: '4211' })).toMatchObject({ blocks: [{}] })
    await dialog.getByRole('button', { name: /^Take back/ }).click()
    expect(await toastOf(page)).toBe('It is taken back.')
    expect(await call<object>('ls', { words: '4211' })).toMatchObject({ blocks: [] })
    await dialog.waitFor({ state: 'detached' })
    expect(troubles).toEqual([])
  })

  test('what changed between two days is told kind by kind', async () => {
    const { page, goTo } = await openInventedPage()
    await goTo('/journal?view=between&from=2026-10-15&to=2026-10-15')
    for (const kind of ['Learned', 'Corrected', 'Forgotten or faded'])
      await page.getByRole('heading', { name: kind, exact: true }).waitFor()
    await page.getByRole('button', { name: /^Staging of tidewater listens/ }).click()
    await page.locator('.drawer .words').waitFor()
    await goTo('/journal?view=between&from=2026-01-01&to=2026-01-02')
    await page.getByText('Nothing changed').waitFor()
  })

  test('a report that something misled is told as one, in the journal and between two days', async () => {
    const { page, goTo, call } = await openInventedPage()
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { limit: 2 })
    const [wrong = '', right = ''] = blocks.map(({ id }) => id)
    await call('outcome', { misled: [wrong], source: 'the lamp was off' })
    await call('outcome', { misled: [wrong], helped: [right], source: 'half of it' })
    await goTo('/journal')
    const row = (words: string) => page.locator('.entry-row', { hasText: words })
    await row('the lamp was off').locator('.entry-line', { hasText: 'reported: 1 block misled' }).waitFor()
    await row('the lamp was off').locator('.badge.bad').waitFor()
    await row('half of it').locator('.entry-line', { hasText: '1 block helped, 1 misled' }).waitFor()
    await row('half of it').locator('.badge.warn').waitFor()
    await goTo('/journal?view=between')
    await page.getByRole('button', { name: /^\d+ reported on$/ }).click()
    await expect.poll(() => page.evaluate('document.activeElement.textContent'), PATIENCE).toBe('Reported on')
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Reported on' }) })
    await card.getByText('misled').first().waitFor()
    await card.getByText('helped').first().waitFor()
  })

  test('of many changes the first ten of each kind are shown, and the rest when somebody asks', async () => {
    const { page, goTo } = await openInventedPage()
    await goTo('/journal?view=between&from=2026-01-01&to=2026-12-31')
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Learned' }) })
    await card.getByRole('button', { name: /^Show \d+ more$/ }).waitFor()
    expect(await card.locator('li').count()).toBe(10)
    await card.getByRole('button', { name: /^Show \d+ more$/ }).click()
    expect(await card.locator('li').count()).toBe(100)
  })

  test('an empty memory says how to begin, and what is typed there is remembered', async () => {
    const { page } = await openHouseholdPage({ path: `${temporaryFolder()}/empty.db`, flags: ['--new'] })
    await page.getByText('Nothing is remembered yet').waitFor()
    await page.getByLabel('What is worth keeping').fill('The key hangs behind the clock.')
    await page.getByRole('button', { name: 'Remember it' }).click()
    expect(await toastOf(page)).toBe('Remembered. Recall finds it at once.')
    await page.getByRole('heading', { name: 'All is well' }).waitFor()
  })

  test('what is typed with a secret in it is remembered without, and the toast says so', async () => {
    const { page, goTo } = await openHouseholdPage({
      path: `${temporaryFolder()}/empty.db`,
      flags: ['--new'],
    })
    await goTo('/doctor')
    await page.getByText('nothing is remembered that could be copied').waitFor()
    expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0)
    await goTo('/')
    const secret = `ghp_${'k7Qz3mX9'.repeat(4)}pL5w`
    await page.getByLabel('What is worth keeping').fill(`The robot signs in with ${secret} at the forge.`)
    await page.getByRole('button', { name: 'Remember it' }).click()
    expect(await toastOf(page)).toMatch(
      /^Remembered\. Recall finds it at once\. What looked like a secret was not kept: \S/,
    )
    await goTo('/doctor')
    await page.getByRole('button', { name: 'Back up now' }).waitFor()
  })

  test('on a phone and at twice the size each entry has its hour', async () => {
    const { page, goTo } = await openInventedPage({ size: PHONE })
    await goTo('/journal')
    const hour = page.locator('.entry-row > .number').first()
    expect(await hour.innerText()).toMatch(/^\d\d:\d\d$/)
    expect(await hour.isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const acts = await page.getByLabel('What was done').locator('option').allTextContents()
    expect(acts).toHaveLength(new Set(acts).size)
  })

  test('a dream is begun from the overview, said in one line, and taken back whole', async () => {
    const { page, goTo, call } = await openInventedPage()
    await goTo('/')
    const waiting = () => call<{ inboxCount: number }>('status').then(({ inboxCount }) => inboxCount)
    expect(await waiting()).toBe(2)
    await page.getByRole('button', { name: 'Dream now' }).click()
    await page
      .locator('.toast')
      .getByText(/2 of 2 waiting blocks are active now/)
      .waitFor()
    expect(await waiting()).toBe(0)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(waiting, PATIENCE).toBe(2)
    await settle(page)
  })
})
