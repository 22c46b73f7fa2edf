import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, PATIENCE, PHONE, settle } from './dashboard.ts'
import { drawerWords, openInventedPage, toastOf } from './invented.ts'

afterAll(closeBrowser)

const STAGING = 'Staging of tidewater listens on port 4211, behind the proxy.'

/** The id of the block about staging. */
async function stagingId(call: <T>(name: string, input?: unknown) => Promise<T>): Promise<string> {
  const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { words: '4211' })
  return blocks[0]?.id ?? ''
}

const press = async (page: Page, ...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

describe.skipIf(skipped !== undefined)('the list and the drawer', () => {
  test('a long list has only its seen rows in the page, and its last row can be reached', async () => {
    const { page, goTo, troubles } = await openInventedPage()
    await goTo('/memory?sort=newest')
    await page.getByText('399 active').waitFor()
    expect(await page.locator('.virtual-row').count()).toBeLessThan(40)
    await page.evaluate("document.querySelector('.virtual-list').scrollTo(0, 1e6)")
    const last = page.locator('[aria-posinset="399"]')
    await last.waitFor()
    await settle(page)
    expect(await last.innerText()).toContain('Fern')
    expect(await page.locator('.virtual-row').count()).toBeLessThan(40)
    expect(troubles).toEqual([])
  })

  test('filters stand in the address, are taken away one by one, and lead on to recall where nothing fits', async () => {
    const { page, goTo } = await openInventedPage()
    await goTo('/memory')
    await page.getByLabel('Who speaks').selectOption('tool')
    await page.getByLabel('Filter by words').fill('gauge')
    await expect.poll(() => page.url(), PATIENCE).toMatch(/by=tool&words=gauge$/)
    await settle(page)
    for (const row of await page.locator('.virtual-row').allInnerTexts())
      expect(row).toMatch(/gauge[\s\S]*tool: psql/i)
    await page.getByLabel('Filter by words').fill('gauge zebra')
    await page.getByText('Nothing fits').waitFor()
    await page.getByRole('button', { name: 'by tool' }).last().click()
    await expect.poll(() => page.url(), PATIENCE).not.toContain('by=')
    await page.getByRole('link', { name: 'ask “gauge zebra”' }).click()
    expect(page.url()).toContain('/recall?q=gauge+zebra')
    await settle(page)
  })

  test('a block is found, corrected and taken back by the keyboard alone', async () => {
    const { page, goTo, call } = await openInventedPage()
    await goTo('/memory?words=4211')
    await page.locator('.virtual-row').first().waitFor()
    await press(page, 'j', 'Enter')
    await page.locator('.drawer .words').waitFor()
    await press(page, 'e')
    await page.getByRole('dialog', { name: 'Correct this block' }).waitFor()
    await press(page, 'Control+End')
    await page.keyboard.type(' Ask Mara first.')
    await page.reload()
    await page.getByRole('dialog').waitFor()
    expect(await page.getByLabel('Words', { exact: true }).inputValue()).toBe(`${STAGING} Ask Mara first.`)
    await page.getByRole('button', { name: 'Save' }).focus()
    await press(page, 'Enter')
    expect(await toastOf(page)).toBe('Corrected. The old words stay in the journal.')
    await expect.poll(() => drawerWords(page), PATIENCE).toBe(`${STAGING} Ask Mara first.`)
    await page.getByRole('button', { name: 'Undo', exact: true }).focus()
    await press(page, 'Enter')
    await expect.poll(() => drawerWords(page), PATIENCE).toBe(STAGING)
    await press(page, 'Escape')
    await page.locator('.drawer').waitFor({ state: 'detached' })
    expect(await call<object>('ls', { words: '4211 Mara' })).toMatchObject({ blocks: [] })
  })

  test('typed words are given up only by a word of their own', async () => {
    const { page, goTo, call } = await openInventedPage()
    await goTo(`/memory?block=${await stagingId(call)}`)
    await page.locator('.drawer .words').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Correct this block' })
    await press(page, 'e', 'Escape')
    await dialog.waitFor({ state: 'detached' })
    await press(page, 'e', 'Control+End')
    await page.keyboard.type(' Ask Mara first.')
    await page.mouse.click(5, 5)
    await press(page, 'Escape')
    await dialog.getByText('Leave without saving?').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep writing')
    await press(page, 'Enter')
    await page.keyboard.type(' Twice.')
    const words = page.getByLabel('Words', { exact: true })
    expect(await words.inputValue()).toBe(`${STAGING} Ask Mara first. Twice.`)
    await press(page, 'Escape', 'Tab', 'Enter')
    await dialog.waitFor({ state: 'detached' })
    await press(page, 'e')
    expect(await words.inputValue()).toBe(STAGING)
  })

  test('an edge is taken away and comes back by undo', async () => {
    const { page, goTo, call } = await openInventedPage()
    await goTo(`/memory?block=${await stagingId(call)}`)
    const edges = page.locator('.edge')
    const before = await edges.count()
    await page.getByRole('button', { name: 'Take this edge away' }).first().click()
    expect(await toastOf(page)).toBe('The two are taken apart.')
    await expect.poll(() => edges.count(), PATIENCE).toBe(before - 1)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => edges.count(), PATIENCE).toBe(before)
  })

  test('vouching shows the words in full, and only then makes them the owner’s', async () => {
    const { page, goTo, call } = await openInventedPage()
    const id = await stagingId(call)
    await goTo(`/memory?block=${id}`)
    await page.getByRole('button', { name: 'Vouch for it' }).click()
    const dialog = page.getByRole('dialog', { name: 'Vouch for these words?' })
    expect(await dialog.innerText()).toContain(STAGING)
    expect(await call<object>('show', { blockId: id })).toMatchObject({ block: { sourceClass: 'agent' } })
    await dialog.getByRole('button', { name: 'Make them my words' }).click()
    await page.locator('.drawer').getByText('owner', { exact: true }).waitFor()
  })

  test('a drawer shows the earlier words of a block, and itself as it was known on an earlier day', async () => {
    const { page, goTo, call } = await openInventedPage()
    const id = await stagingId(call)
    await goTo(`/memory?block=${id}`)
    await page.getByText('Its words before each correction').click()
    await expect.poll(() => page.locator('.drawer del').allInnerTexts(), PATIENCE).toEqual(['4210'])
    await goTo(`/memory?block=${id}&known=2026-10-15`)
    await page.getByText('As it was known on 15 Oct 2026').waitFor()
    expect(await drawerWords(page)).toBe('Staging of tidewater listens on port 4210.')
    expect(await page.getByRole('button', { name: 'Forget' }).count()).toBe(0)
  })

  test('a dashboard that only looks offers nothing that would be refused', async () => {
    const { page, goTo, call } = await openInventedPage({ flags: ['--read-only'] })
    for (const address of ['/', `/memory?block=${await stagingId(call)}`, '/journal?entry=628']) {
      await goTo(address)
      const offered = await page.getByRole('button').allInnerTexts()
      for (const words of ['Dream now', 'Tidy up…', 'Correct', 'Forget', 'Vouch for it', 'Undo…'])
        expect(offered).not.toContain(words)
    }
    await page.keyboard.press('e')
    expect(await page.getByRole('dialog', { name: 'Correct this block' }).count()).toBe(0)
    await page.locator('.side').getByText('read only').waitFor()
  })

  test('on a phone the drawer is the whole screen, and nothing is wider than the screen', async () => {
    const { page, goTo, call } = await openInventedPage({ size: PHONE, isTouched: true })
    await goTo(`/memory?block=${await stagingId(call)}`)
    expect(await page.locator('.drawer').boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
    await page.getByRole('button', { name: 'Close (Escape)' }).click()
    await page.locator('.virtual-row').first().waitFor()
    const scroll = () => page.evaluate('document.documentElement.scrollWidth')
    expect(await scroll()).toBe(390)
    await page.getByRole('button', { name: 'More' }).click()
    expect(await scroll()).toBe(390)
    await page.getByRole('dialog').getByRole('button', { name: 'Journal' }).click()
    await page.getByRole('heading', { name: 'Journal' }).waitFor()
  })
})
