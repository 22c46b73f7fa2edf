import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/engine/memory.ts'
import { temporaryFolder } from '../../helpers/memory.ts'
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

  test('a prediction past its day is settled in the review, and the doctor has its calibration', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    const expectation = { by: '2026-03-02', probability: 0.7 }
    await call('remember', { content: 'The ferry sails again.', at: '2026-03-01', expect: expectation })
    await goTo('/review?kind=prediction')
    await page.getByRole('button', { name: /It came true/ }).click()
    await page.locator('.toast').waitFor()
    await goTo('/doctor')
    const row = page.getByRole('table').getByRole('row').last()
    expect(await row.getByRole('cell').allTextContents()).toEqual(['70 %', '100 %', '1'])
  })

  test('an empty memory tells three ways to begin, and one note is a page already', async () => {
    const path = join(temporaryFolder(), 'new.db')
    await using memory = await openMemory(path, { config: {}, as: 'owner' })
    const { page, goTo } = await openDashboard(path)
    await page.getByText('Three ways to begin').waitFor()
    await memory.remember({ content: 'Tea is at four.' })
    await goTo('/')
    await expect.poll(() => page.locator(NOTES).allTextContents(), PATIENCE).toEqual(['Tea is at four.'])
  })
})
