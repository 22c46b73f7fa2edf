import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/engine/memory.ts'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, type Opened, openDashboard, PATIENCE, undoInToast } from './page.ts'

afterAll(closeBrowser)

interface Decisions {
  readonly counts: Readonly<Record<string, number>>
  readonly decisions: readonly { readonly answer?: string }[]
}

const decisions = (call: Opened['call'], input: object = {}) => call<Decisions>('decisions', input)
const waiting = async (call: Opened['call'], kind: string) => (await decisions(call)).counts[kind]
const words = (page: Page) => page.locator('.decision .words').allTextContents()

describe.skipIf(skipped !== undefined)('a review', () => {
  test('the first screen leads to it, and keys leave a decision for later', async () => {
    const { page, goTo } = await openDashboard(await filledFile())
    await goTo('/')
    await page.getByRole('link', { name: /decisions wait for you/ }).click()
    await page.locator('.decision').waitFor()
    const first = await words(page)
    await page.keyboard.press('j')
    await page.getByText(/^2 of \d+$/).waitFor()
    expect(await words(page)).not.toEqual(first)
    await page.keyboard.press('k')
    await page.getByText(/^1 of \d+$/).waitFor()
    expect(await words(page)).toEqual(first)
  })

  test('a pair stands side by side with the words that differ, a key decides it and undo opens it again', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    await goTo('/review?kind=contradiction')
    expect(await page.locator('.decision mark').allTextContents()).toEqual(['nine', 'eleven'])
    const before = await words(page)
    await page.keyboard.press('1')
    await page.locator('.toast').waitFor()
    expect(await waiting(call, 'contradiction')).toBe(0)
    const { blocks } = await call<{ blocks: { content: string }[] }>('ls', { status: 'archived' })
    expect(blocks.map(({ content }) => content)).toEqual(before.slice(1))
    await undoInToast(page)
    await expect.poll(() => waiting(call, 'contradiction'), PATIENCE).toBe(1)
    expect(await call('ls', { status: 'archived' })).toMatchObject({ blocks: [] })
    expect(troubles).toEqual([])
  })

  test('what changes who the agent is asks once more, and a refusal keeps its reason', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    await goTo('/review?kind=proposal')
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('I say what I do not know before I say what I guess.').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await waiting(call, 'proposal')).toBe(2)
    await page.keyboard.press('a')
    await dialog.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect.poll(() => waiting(call, 'proposal'), PATIENCE).toBe(1)
    await page.getByText('1 of 1').waitFor()
    await page.keyboard.press('r')
    await dialog.getByRole('textbox').fill('Not as a rule.')
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await expect.poll(() => waiting(call, 'proposal'), PATIENCE).toBe(0)
    const refused = await decisions(call, { state: 'refused' })
    expect(refused.decisions.map(({ answer }) => answer)).toEqual(['Not as a rule.'])
  })

  test('a decision that another process changes or settles cannot be made unseen', async () => {
    const path = await filledFile()
    const { page, goTo } = await openDashboard(path)
    await goTo('/review?kind=contradiction')
    await using other = await openMemory(path, { as: 'owner' })
    const [found] = (await other.decisions({ kind: 'contradiction' })).decisions
    await other.edit({ blockId: found?.first?.id ?? '', content: 'The weekly digest goes out on Sundays.' })
    await page.locator('.meanwhile').waitFor()
    expect(await page.getByRole('button', { name: /Keep the first/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show' }).click()
    expect((await words(page)).join()).toContain('Sundays')
    const [again] = (await other.decisions({ kind: 'contradiction' })).decisions
    await other.decide({ id: again?.id ?? '', choice: 'both' })
    await page.locator('.meanwhile').waitFor()
    await page.keyboard.press('1')
    const { blocks } = await other.ls({ status: 'archived' })
    expect(blocks).toEqual([])
  })
})
