import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/engine/memory.ts'
import { temporaryFolder } from '../../helpers/memory.ts'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, openDashboard, PATIENCE, settle } from './page.ts'

afterAll(closeBrowser)

interface Decisions {
  readonly decisions: readonly { readonly id: string; readonly change?: { readonly before?: string } }[]
}

interface Known {
  readonly themes: readonly {
    readonly blocks: readonly { readonly id: string; readonly content: string }[]
  }[]
}

describe.skipIf(skipped !== undefined)('what it knows', () => {
  test('the first screen shows the notes of an overview and writes nothing; a note opens', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    const newest = async () => JSON.stringify(await call('history', { limit: 1 }))
    const before = await newest()
    await goTo('/')
    const { themes } = await call<Known>('overview')
    const contents = themes.flatMap(({ blocks }) => blocks.map(({ content }) => content))
    expect(contents.length).toBeGreaterThan(3)
    expect((await page.locator('.known-themes .line .main').allTextContents()).toSorted()).toEqual(
      contents.toSorted(),
    )
    expect(await newest()).toBe(before)
    await page.locator('.known-themes .line').first().click()
    await page.getByRole('complementary', { name: 'Block' }).waitFor()
    expect(troubles).toEqual([])
  })

  test('a name is asked for by the field or the list, has a page, and leads back to everything', async () => {
    const { page, goTo } = await openDashboard(await filledFile())
    await goTo('/')
    await page.getByLabel('A name or a topic').fill('Brannoch')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Brannoch' }).waitFor()
    await settle(page)
    for (const note of await page.locator('.known-themes .line .main').allTextContents())
      expect(note).toContain('Brannoch')
    expect(new URL(page.url()).searchParams.get('about')).toBe('Brannoch')
    await page.getByRole('link', { name: 'Everything' }).click()
    await page.getByRole('heading', { level: 1, name: 'What it knows' }).waitFor()
    await page.getByRole('link', { name: /^Brannoch \d+ notes$/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Brannoch' }).waitFor()
  })

  test('standing instructions are listed while they wait, and the weeks of the graph under health', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    const content = 'Always answer in German.'
    await call('remember', { content, category: 'instruction', sourceClass: 'user' })
    await goTo('/')
    const list = page.locator('.card', { hasText: 'Standing instructions' })
    await list.getByText(content).waitFor()
    expect(await list.getByText('waits for a dream').count()).toBe(1)
    await goTo('/health')
    await page.getByRole('img', { name: /^Edges made over/ }).waitFor()
  })

  test('a prediction past its day is settled in the review, and the doctor has its calibration', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    const expectation = { by: '2026-03-02', probability: 0.7 }
    await call('remember', { content: 'The ferry sails again.', at: '2026-03-01', expect: expectation })
    await goTo('/review?kind=prediction')
    await page.getByRole('button', { name: /It came true/ }).click()
    await page.locator('.toast').waitFor()
    await goTo('/doctor')
    const row = page.getByRole('table').getByRole('row').last()
    expect(await row.getByRole('cell').allTextContents()).toEqual(['70 %', '100 %', '1'])
    expect(troubles).toEqual([])
  })

  test('an accepted rewording shows the words before and after with who the agent is', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    const { decisions } = await call<Decisions>('decisions', { kind: 'proposal' })
    const { id } = decisions.find(({ change }) => change?.before !== undefined) ?? {}
    await call('decide', { id, choice: 'accept' })
    await goTo('/identity')
    const card = page.locator('.card', { hasText: 'Reworded' })
    expect(await card.locator('ins').allTextContents()).toEqual(['and no list'])
  })

  test('an empty memory tells three ways to begin, and one note is a page already', async () => {
    const path = join(temporaryFolder(), 'new.db')
    await using memory = await openMemory(path, { config: {}, as: 'owner' })
    const { page, goTo } = await openDashboard(path)
    await page.getByText('Three ways to begin').waitFor()
    await memory.remember({ content: 'Tea is at four.' })
    await goTo('/')
    await expect.poll(() => page.locator('.known-themes .line').count(), PATIENCE).toBe(1)
  })
})
