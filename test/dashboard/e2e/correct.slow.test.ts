import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/engine/memory.ts'
import { skipped } from './chromium.ts'
import { DOGS, filledFile } from './filled.ts'
import { closeBrowser, idOf, openDashboard, PATIENCE, settle, undoInToast } from './page.ts'

afterAll(closeBrowser)

interface Shown {
  readonly block: { readonly content: string; readonly status: string }
}

const CORRECTED = 'Dogs ride free on the ferry if they are small.'

describe.skipIf(skipped !== undefined)('from the first screen to a corrected block', () => {
  test('a block is found, corrected, taken back, forgotten and restored', async () => {
    const { page, call, troubles } = await openDashboard(await filledFile())
    expect(page.url()).not.toContain('code')
    expect(await page.context().cookies()).toEqual([])
    await page.getByRole('link', { name: 'Memory' }).first().click()
    await page.getByLabel('Filter by words').fill('dogs ride')
    await expect.poll(() => page.url(), PATIENCE).toMatch(/words=dogs/)
    await page.locator('.virtual-row', { hasText: DOGS }).click()
    const drawer = page.getByRole('complementary', { name: 'Block' })
    await drawer.locator('.words').getByText(DOGS).waitFor()
    const blockId = await idOf(call, 'dogs ride')
    const block = async () => (await call<Shown>('show', { blockId })).block

    await drawer.getByRole('button', { name: 'Correct' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Words', { exact: true }).fill(CORRECTED)
    await page.reload()
    expect(await dialog.getByLabel('Words', { exact: true }).inputValue()).toBe(CORRECTED)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await drawer.locator('.words').getByText(CORRECTED).first().waitFor()
    expect((await block()).content).toBe(CORRECTED)
    await undoInToast(page)
    expect((await block()).content).toBe(DOGS)

    await drawer.getByRole('button', { name: 'Forget' }).click()
    await drawer.getByRole('button', { name: 'Restore' }).waitFor()
    expect((await block()).status).toBe('archived')
    await drawer.getByRole('button', { name: 'Restore' }).click()
    await drawer.getByRole('button', { name: 'Forget' }).waitFor()
    expect((await block()).status).toBe('active')
    expect(troubles).toEqual([])
  })

  test('the journal shows what an edit changed and takes it back', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    const blockId = await idOf(call, 'dogs ride')
    await call('edit', { blockId, content: DOGS.replace('free', 'for two euros') })
    const { operations } = await call<{ operations: { id: number }[] }>('history', { limit: 1 })
    await goTo(`/journal?entry=${operations[0]?.id}`)
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('del').allInnerTexts()).toEqual(['free'])
    expect(await dialog.locator('ins').allInnerTexts()).toEqual(['for two euros'])
    await dialog.getByRole('button', { name: 'Undo…' }).click()
    await dialog.getByRole('button', { name: /^Take back/ }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await call<Shown>('show', { blockId })).block.content).toBe(DOGS)
    expect(troubles).toEqual([])
  })

  test('words of another process are kept beside what is typed, and shown before they are replaced', async () => {
    const path = await filledFile()
    const { page, goTo, call } = await openDashboard(path)
    const blockId = await idOf(call, 'dogs ride')
    await goTo(`/memory?block=${blockId}&act=correct`)
    const dialog = page.getByRole('dialog')
    const field = dialog.getByLabel('Words', { exact: true })
    await field.fill(CORRECTED)
    await using other = await openMemory(path, { as: 'owner' })
    await other.edit({ blockId, content: 'Dogs pay half on the ferry.' })
    await dialog.getByRole('button', { name: 'Show' }).click()
    await dialog.locator('.theirs').getByText('Dogs pay half').waitFor()
    expect(await field.inputValue()).toBe(CORRECTED)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save over theirs' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await call<Shown>('show', { blockId })).block.content).toBe(CORRECTED)
  })

  test('a read-only dashboard offers no change on any screen, and a visit changes nothing', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile(), { flags: ['--read-only'] })
    const blockId = await idOf(call, 'dogs ride')
    const before = await call('history', { limit: 1 })
    for (const address of [
      '/',
      `/memory?block=${blockId}`,
      '/recall?q=ferry',
      '/graph',
      '/review',
      '/journal',
    ]) {
      await goTo(address)
      const offered = await page.getByRole('button').allInnerTexts()
      for (const act of ['Dream now', 'Correct', 'Forget', 'Undo…', 'Report outcome', 'Keep the first'])
        expect(offered).not.toContain(act)
    }
    expect(await call('history', { limit: 1 })).toEqual(before)
    expect(troubles).toEqual([])
  })

  test('when the command ends the page says so, keeps what it shows and names an act that failed', async () => {
    const { page, goTo, call, stop } = await openDashboard(await filledFile())
    await goTo(`/memory?block=${await idOf(call, 'dogs ride')}`)
    await stop()
    await page.locator('.bar code').getByText('elfmem dashboard --db').waitFor()
    await page.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('button', { name: /^Try again: Forget/ }).waitFor()
    expect(await page.locator('.drawer .words').first().innerText()).toBe(DOGS)
    await page.getByRole('link', { name: 'Journal' }).first().click()
    await page.locator('#main').getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await settle(page)
  })
})
