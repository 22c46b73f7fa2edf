import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, household, openHouseholdPage, PATIENCE, settle } from './dashboard.ts'

afterAll(closeBrowser)

const counted = (page: Page) => page.locator('.segmented').getByRole('button').first().textContent()
/** The number of decisions in the title of the tab. */
const titled = (page: Page, waiting: number) =>
  expect.poll(() => page.title(), PATIENCE).toBe(`(${waiting}) Review · elfmem`)
const words = (page: Page) => page.locator('.decision .words').allTextContents()

describe.skipIf(skipped !== undefined)('the review', () => {
  test('a pair stands side by side, and the words that differ are marked on both sides', async () => {
    const { page, goTo, troubles } = await openHouseholdPage()
    await goTo('/review?kind=contradiction')
    expect(await page.locator('.decision mark').allTextContents()).toEqual(['nine', 'eleven'])
    expect(await page.locator('.decision').getByText('shown meanwhile', { exact: true }).count()).toBe(1)
    expect(await page.title()).toMatch(/^\(26\) Review/)
    expect(troubles).toEqual([])
  })

  test.each([
    ['1', 'The weekly digest goes out on Mondays at eleven.'],
    ['2', 'The weekly digest goes out on Mondays at nine.'],
    ['m', 'The weekly digest goes out on Mondays at nine.'],
  ])('the key %s decides a pair, and the toast takes it back', async (key, archived) => {
    const { page, goTo, call } = await openHouseholdPage()
    await goTo('/review?kind=contradiction')
    const before = await words(page)
    await page.keyboard.press(key)
    await page.locator('.toast').waitFor()
    await titled(page, 25)
    expect(await words(page)).not.toEqual(before)
    const gone = await call<{ blocks: { content: string }[] }>('ls', { status: 'archived' })
    expect(gone.blocks.map(({ content }) => content)).toEqual([archived])
    await page.getByRole('button', { name: 'Undo' }).click()
    await titled(page, 26)
    expect((await call<{ blocks: unknown[] }>('ls', { status: 'archived' })).blocks).toEqual([])
  })

  test('J and K leave one for later, and nothing is decided by it', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/review')
    const first = await words(page)
    await page.keyboard.press('j')
    await page.getByText('2 of 26').waitFor()
    expect(await words(page)).not.toEqual(first)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.getByText('4 of 26').waitFor()
    for (let step = 0; step < 5; step++) await page.keyboard.press('k')
    await page.getByText('1 of 26').waitFor()
    expect(await words(page)).toEqual(first)
    expect(await counted(page)).toBe('Decisions 26')
  })

  test('another tab shows the first card of its kind, ready to be decided', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/review')
    const chip = page.locator('.decision-head .chip')
    const tab = (name: RegExp) => page.locator('.segmented').getByRole('button', { name })
    for (const [name, kind] of [
      [/^Near duplicate/, 'Near duplicate'],
      [/^Contradiction/, 'Contradiction'],
      [/^Proposal/, 'Proposal'],
    ] as const) {
      await tab(name).click()
      await expect.poll(() => chip.textContent(), PATIENCE).toBe(kind)
      expect(await page.locator('.meanwhile').count()).toBe(0)
      expect(await page.locator('.choice').first().isEnabled()).toBe(true)
      expect(await page.locator('.decision-steps').textContent()).toMatch(/^1 of /)
    }
    await tab(/^Decisions/).click()
    await page.getByText('1 of 26').waitFor()
    expect(await page.locator('.meanwhile').count()).toBe(0)
  })

  test('what changes who the agent is asks once more, with the words in full and a button that says it', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    await goTo('/review?kind=proposal')
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog', { name: 'Make it a principle?' })
    expect(await dialog.textContent()).toContain('I say what I do not know before I say what I guess.')
    expect(await dialog.textContent()).toContain('Proposed by library:osprey')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const accepted = async () =>
      (await call<{ decisions: unknown[] }>('decisions', { state: 'accepted' })).decisions
    expect(await accepted()).toHaveLength(0)
    await page.keyboard.press('a')
    await dialog.getByRole('button', { name: 'Make it a principle' }).click()
    await page.locator('.toast').waitFor()
    expect(await accepted()).toHaveLength(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await titled(page, 26)
    expect(await accepted()).toHaveLength(0)
  })

  test('a proposal is accepted in other words, or refused with a reason that the agent can read', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    await goTo('/review?kind=proposal')
    await page.keyboard.press('r')
    await page.getByLabel(/^Why, if you like/).fill('Not as a rule.')
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
    await page.locator('.decision').getByText('As it would be').waitFor()
    const refused = await call<{ decisions: { answer?: string }[] }>('decisions', { state: 'refused' })
    expect(refused.decisions.map(({ answer }) => answer)).toEqual(['Not as a rule.'])
    await page.keyboard.press('c')
    await page.getByLabel('The words, as they are to stand').fill('Ruben prefers short answers.')
    await page.getByRole('dialog').getByRole('button', { name: 'Accept with changes' }).click()
    await titled(page, 24)
    const found = await call<{ blocks: { content: string }[] }>('ls', { words: 'Ruben prefers' })
    expect(found.blocks.map(({ content }) => content)).toEqual(['Ruben prefers short answers.'])
  })

  test('outdated ground, waiting words and unnamed pairs each have their choices', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    await goTo('/review?kind=outdated')
    await page.keyboard.press('h')
    await page.getByText('Nothing of this kind').waitFor()
    await goTo('/review?kind=unnamed')
    const unnamed = async () => (await call<{ counts: { unnamed: number } }>('decisions', {})).counts.unnamed
    const before = await unnamed()
    await page.keyboard.press('n')
    await page.locator('.toast').waitFor()
    expect(await unnamed()).toBe(before - 1)
    await goTo('/review?kind=waiting')
    await page.keyboard.press('d')
    await page.getByText('Nothing of this kind').waitFor()
    expect((await call<{ blocks: unknown[] }>('ls', { status: 'inbox' })).blocks).toEqual([])
  })

  test('several alike are listed first, decided together, and taken back together', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo('/review?kind=near_duplicate')
    await page.getByRole('button', { name: /^Decide these \d+ of document: board at once/ }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('checkbox').count()).toBe(21)
    expect(await dialog.getByRole('button', { name: 'Choose what to do' }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^Both hold/).check()
    const boxes = await dialog.getByRole('checkbox').all()
    // Each differs in a word.
    expect(await Promise.all(boxes.map((box) => box.isChecked()))).not.toContain(true)
    await dialog.getByRole('button', { name: 'Tick all' }).click()
    await dialog.getByRole('checkbox').last().uncheck()
    await dialog.getByRole('button', { name: 'Both hold, for 20' }).click()
    await page.getByText('20 decisions made.').waitFor()
    await titled(page, 6)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is taken back.').waitFor()
    await titled(page, 26)
    await goTo('/journal')
    await page.getByText('20 decisions alike: both').waitFor()
    expect(await page.locator('.entry-row', { hasText: 'decisions alike' }).count()).toBe(1)
    await page.getByText('20 decisions alike: both').click()
    await page.getByText('It was taken back by entry').waitFor()
  })

  test('of several decided together one is taken back by itself in the journal', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    const input = { kind: 'near_duplicate', limit: 3 }
    const { decisions } = await call<{ decisions: { id: string; mark: string }[] }>('decisions', input)
    const counts = async () => (await call<{ counts: { near_duplicate: number } }>('decisions', {})).counts
    const { near_duplicate: before } = await counts()
    const [first, ...also] = decisions.map(({ id, mark }) => ({ id, mark }))
    await call('decide', { ...first, also, choice: 'both' })
    await goTo('/journal')
    await page.getByText('3 decisions alike: both').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Each of them, to be taken back by itself').waitFor()
    await dialog
      .getByRole('button', { name: /^decided about a pair/ })
      .first()
      .click()
    await expect.poll(() => page.url(), PATIENCE).toContain('entry=')
    await dialog.getByRole('button', { name: 'Undo…' }).click()
    await dialog.getByRole('button', { name: 'Take back 1 operation' }).click()
    await page.getByText('It is taken back.').waitFor()
    expect((await counts()).near_duplicate).toBe(before - 2)
  })

  test('those alike are found among all that wait, not only among those of the loaded pages', async () => {
    const path = await household()
    await using owner = await openMemory(path, { as: 'owner' })
    const rooms = Array.from({ length: 40 }, (_, at) => `The notice board says that room ${at} is closed`)
    for (const end of ['until further notice.', 'until further notice now.']) {
      const told = { sourceClass: 'document', source: 'board' } as const
      await owner.rememberMany({ blocks: rooms.map((room) => ({ content: `${room} ${end}`, ...told })) })
      await owner.dream()
    }
    const { page, goTo, call } = await openHouseholdPage({ path })
    const asked = { kind: 'near_duplicate', limit: 100 }
    const { counts } = await call<{ counts: Record<string, number> }>('decisions', asked)
    expect(counts.near_duplicate).toBeGreaterThan(60)
    await goTo('/review?kind=near_duplicate')
    const same = page.getByRole('button', { name: /^Decide these \d+ of document: board at once/ })
    const loaded = 50
    const told = async () => Number(/these (\d+)/.exec(await same.innerText())?.[1])
    await expect.poll(told, PATIENCE).toBeGreaterThan(loaded)
    const all = await told()
    await same.click()
    expect(await page.getByRole('dialog').getByRole('checkbox').count()).toBe(all)
  })

  test('a decision that another process settles stays in sight, says so, and takes no key', async () => {
    const { page, goTo, path } = await openHouseholdPage()
    await goTo('/review?kind=contradiction')
    const before = await words(page)
    await using other = await openMemory(path, { as: 'owner' })
    const { decisions } = await other.decisions({ kind: 'contradiction' })
    await other.decide({ id: decisions[0]?.id ?? '', choice: 'both' })
    await page.getByText('It was settled meanwhile').waitFor()
    expect(await words(page)).toEqual(before)
    await page.keyboard.press('1')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('1 of 1').waitFor()
    expect(await words(page)).not.toEqual(before)
    expect((await other.decisions({ kind: 'contradiction' })).decisions).toHaveLength(1)
  })

  test('words that another process changes are not decided about before they are shown', async () => {
    const { page, goTo, path } = await openHouseholdPage()
    await goTo('/review?kind=contradiction')
    await using other = await openMemory(path, { as: 'owner' })
    const [found] = (await other.decisions({ kind: 'contradiction' })).decisions
    await other.edit({ blockId: found?.first?.id ?? '', content: 'The weekly digest goes out on Sundays.' })
    await page.getByText('Its words were changed meanwhile').waitFor()
    expect((await words(page)).join()).not.toContain('Sundays')
    expect(await page.getByRole('button', { name: /Keep the first/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show' }).click()
    expect((await words(page)).join()).toContain('Sundays')
    await page.keyboard.press('b')
    await page.locator('.toast').waitFor()
    await settle(page)
    expect((await other.decisions({ kind: 'contradiction' })).decisions).toHaveLength(1)
  })

  test('opened to read only, nothing offers to decide and no key does', async () => {
    const { page, goTo, troubles } = await openHouseholdPage({ flags: ['--read-only'] })
    await goTo('/review?kind=contradiction')
    await page.getByText('Opened to read only.').waitFor()
    expect(await page.locator('.choice').count()).toBe(0)
    await page.keyboard.press('1')
    await page.keyboard.press('b')
    expect(await counted(page)).toBe('Decisions 26')
    expect(troubles).toEqual([])
  })
})
