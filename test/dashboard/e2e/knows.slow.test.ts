import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, openDashboard, PATIENCE, settle } from './page.ts'

afterAll(closeBrowser)

const NOTES = '.known-themes .line .main'

interface Waiting {
  readonly decisions: readonly { readonly id: string; readonly change?: { readonly before?: string } }[]
}

describe.skipIf(skipped !== undefined)('what it knows', () => {
  test('the first screen shows the notes of an overview, and a name has a page of its own', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    await goTo('/')
    const { text } = await call<{ text: string }>('overview')
    const notes = await page.locator(NOTES).allTextContents()
    expect(notes.length).toBeGreaterThan(3)
    expect(notes.filter((note) => !text.includes(note))).toEqual([])
    await page.getByRole('link', { name: /^Brannoch \d+ notes$/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Brannoch' }).waitFor()
    await settle(page)
    for (const note of await page.locator(NOTES).allTextContents()) expect(note).toContain('Brannoch')
    await page.getByLabel('A name or a topic').fill('Marta')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url(), PATIENCE).toMatch(/about=Marta$/)
    await page.getByRole('link', { name: 'Everything' }).click()
    await page.getByRole('heading', { level: 1, name: 'What it knows' }).waitFor()
    expect(troubles).toEqual([])
  })

  test('instructions are listed while they wait, and weeks under health, rewordings with the identity', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    await call('remember', { content: 'Answer in German.', category: 'instruction', sourceClass: 'user' })
    await goTo('/')
    const list = page.locator('.card', { hasText: 'Standing instructions' })
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Answer in German.\s+waits for a dream/),
    ])
    await goTo('/health')
    await page.getByRole('img', { name: /^Edges made over/ }).waitFor()
    const { decisions } = await call<Waiting>('decisions', { kind: 'proposal' })
    await call('decide', { id: decisions.find(({ change }) => change?.before)?.id, choice: 'accept' })
    await goTo('/identity')
    const card = page.locator('.card', { hasText: 'Reworded' })
    expect(await card.locator('ins').allTextContents()).toEqual(['and no list'])
  })
})
