import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, type Opened, openHouseholdPage } from './dashboard.ts'

afterAll(closeBrowser)

const DOGS = 'Dogs ride free on the ferry to Brannoch.'

/** Opens the drawer of the block with these words. */
async function openDrawer({ call, goTo, page }: Opened, words: string): Promise<string> {
  const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { words })
  const id = blocks[0]?.id ?? ''
  await goTo(`/memory?block=${id}`)
  await drawer(page).getByText(words).first().waitFor()
  return id
}

const drawer = (page: Page) => page.getByRole('complementary', { name: 'Block' })
const toastSays = (page: Page, words: string) => page.locator('.toasts').getByText(words).waitFor()

describe.skipIf(skipped !== undefined)('the memory and its drawer', () => {
  test('a block is forgotten and taken back, and restored when it was forgotten before', async () => {
    const opened = await openHouseholdPage()
    const { page, call } = opened
    const blockId = await openDrawer(opened, DOGS)
    const status = async () => (await call<{ block: { status: string } }>('show', { blockId })).block.status
    await drawer(page).getByRole('button', { name: 'Forget' }).click()
    await toastSays(page, 'Forgotten. It is archived, and restore brings it back.')
    expect(await status()).toBe('archived')
    await page.getByRole('button', { name: 'Undo' }).click()
    await toastSays(page, 'It is taken back.')
    expect(await status()).toBe('active')
    await call('forget', { blockId })
    await drawer(page).getByRole('button', { name: 'Restore' }).click()
    await toastSays(page, 'It is back')
    expect(await status()).toBe('active')
  })

  test('words are corrected and taken back, and what somebody else changes meanwhile is not lost', async () => {
    const opened = await openHouseholdPage()
    const { page, call, path } = opened
    const blockId = await openDrawer(opened, DOGS)
    await drawer(page).getByRole('button', { name: 'Correct' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Words').fill('Dogs ride free on the ferry if they are small.')
    await using other = await openMemory(path, { as: 'owner' })
    await other.edit({ blockId, cue: 'when somebody travels with a dog' })
    await dialog.getByText('Somebody changed it meanwhile').waitFor()
    expect(await dialog.getByLabel('Words').inputValue()).toContain('if they are small')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await toastSays(page, 'Corrected.')
    const { block } = await call<{ block: { content: string; cue?: string } }>('show', { blockId })
    expect(block).toMatchObject({
      content: 'Dogs ride free on the ferry if they are small.',
      cue: 'when somebody travels with a dog',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await toastSays(page, 'It is taken back.')
    expect((await call<{ block: { content: string } }>('show', { blockId })).block.content).toBe(DOGS)
  })

  test('words of another editor stand beside what is typed, and are replaced only after a question', async () => {
    const opened = await openHouseholdPage()
    const { page, call, path } = opened
    const blockId = await openDrawer(opened, DOGS)
    await drawer(page).getByRole('button', { name: 'Correct' }).click()
    const dialog = page.getByRole('dialog')
    const mine = 'Dogs ride free on the ferry if they are small.'
    const theirs = 'Dogs pay half on the ferry.'
    await dialog.getByLabel('Words', { exact: true }).fill(mine)
    await using other = await openMemory(path, { as: 'owner' })
    await other.edit({ blockId, content: theirs })
    await dialog.getByText('Somebody changed it meanwhile').waitFor()
    await dialog.getByRole('button', { name: 'Show' }).click()
    await dialog.locator('.theirs').getByText(theirs).waitFor()
    expect(await dialog.getByLabel('Words', { exact: true }).inputValue()).toBe(mine)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Save yours in the place of theirs?').waitFor()
    const words = async () => (await call<{ block: { content: string } }>('show', { blockId })).block.content
    expect(await words()).toBe(theirs)
    await dialog.getByRole('button', { name: 'Save over theirs' }).click()
    await toastSays(page, 'Corrected.')
    expect(await words()).toBe(mine)
  })
})
