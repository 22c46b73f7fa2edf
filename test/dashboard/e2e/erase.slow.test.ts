import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, PATIENCE } from './dashboard.ts'
import { openInventedPage, toastOf } from './invented.ts'

afterAll(closeBrowser)

const remembered = ['The door of the shed opens with 990412.', 'Basil typed 990412 to stop the alarm.']

async function withSecrets() {
  const opened = await openInventedPage()
  const ids: string[] = []
  for (const content of remembered)
    ids.push((await opened.call<{ blockId: string }>('remember', { content })).blockId)
  return { ...opened, ids }
}

describe.skipIf(skipped !== undefined)('erasing in the page', () => {
  test('erasing one block says which others hold the same number, and takes them too if asked', async () => {
    const { page, goTo, call, ids, troubles } = await withSecrets()
    await goTo(`/memory?block=${ids[0]}`)
    await page.getByRole('button', { name: 'Erase it for ever…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 other block holds some of the same').waitFor()
    expect(await dialog.innerText()).toContain(remembered[1])
    await dialog.getByRole('button', { name: 'Take them too' }).click()
    const button = dialog.getByRole('button', { name: 'Erase 2 blocks for ever' })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel('Type erase to confirm').fill('erase')
    await button.click()
    await page.getByRole('dialog', { name: 'The words are erased' }).waitFor()
    expect(await toastOf(page)).toBe('It is erased.')
    expect(await call<object>('ls', { words: '990412' })).toMatchObject({ blocks: [] })
    expect(troubles).toEqual([])
  })

  test('erasing by words shows what would go before somebody types that it shall', async () => {
    const { page, goTo, call, ids } = await withSecrets()
    await call('edit', { blockId: ids[1], content: 'Basil stopped the alarm.' })
    await goTo('/memory?words=990412&status=inbox')
    await page.getByRole('button', { name: 'Erase words for ever…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 block and 1 earlier wording', { exact: true }).waitFor()
    await dialog.getByLabel(/^Words that stand/).fill('zebra 990412')
    await dialog.getByText('Nothing holds all of these words exactly').waitFor()
    expect(await dialog.getByRole('button', { name: /^Erase/ }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^Words that stand/).fill('990412')
    await dialog.getByText('1 block and 1 earlier wording', { exact: true }).waitFor()
    await dialog.getByLabel('Type erase to confirm').fill('erase')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The words are erased' }).waitFor()
    await expect
      .poll(() => call('ls', { words: '990412', status: 'inbox' }), PATIENCE)
      .toMatchObject({ blocks: [] })
    const kept = await call<{ block: { content: string } }>('show', { blockId: ids[1] })
    expect(kept.block.content).toBe('Basil stopped the alarm.')
  })

  test('a dashboard of one scope offers no erasing', async () => {
    const { page, goTo, call } = await openInventedPage({ flags: ['--scope', 'attic'] })
    const { blockId } = await call<{ blockId: string }>('remember', { content: 'The attic has a blue door.' })
    await goTo(`/memory?block=${blockId}`)
    await page.getByRole('button', { name: 'Correct' }).waitFor()
    expect(await page.getByRole('button', { name: /^Erase/ }).count()).toBe(0)
  })
})
