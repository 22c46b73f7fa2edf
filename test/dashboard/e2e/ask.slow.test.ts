import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, idOf, type Opened, openDashboard, undoInToast } from './page.ts'

afterAll(closeBrowser)

const QUESTION = 'When does the ferry to Brannoch leave?'
const ASKED = `/recall?q=${encodeURIComponent(QUESTION)}`

interface Shown {
  readonly block: { readonly confidence: number }
}

/** The newest operations of the journal, by name. */
async function newest(call: Opened['call'], limit: number): Promise<readonly string[]> {
  const { operations } = await call<{ operations: { id: number; operation: string }[] }>('history', { limit })
  return operations.map(({ id, operation }) => `${id} ${operation}`)
}

describe.skipIf(skipped !== undefined)('from a question to its reasons', () => {
  test('a question shows what the agent reads, each score as the sum of its terms, and writes nothing', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    const before = await newest(call, 1)
    await goTo('/recall?k=4')
    await page.getByLabel('Question').fill(QUESTION)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.candidate')
    const { text } = await call<{ text: string }>('recall', { query: QUESTION, topK: 4, reinforce: false })
    expect(await page.locator('pre.frame').textContent()).toBe(text)
    expect(new URL(page.url()).searchParams.get('q')).toBe(QUESTION)
    for (const list of ['Shown to the agent', 'Not shown']) {
      const row = page.getByRole('list', { name: list }).locator('> li').first()
      await row.getByRole('button', { name: /score/ }).click()
      const cells = await row.locator('.terms-table').first().locator('td:last-child').allTextContents()
      const amounts = cells.map((cell) => Math.round(Number(cell.replace('−', '-')) * 10_000))
      const score = amounts.pop()
      expect(amounts.length).toBeGreaterThan(2)
      expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(score)
    }
    expect(await newest(call, 1)).toEqual(before)
    expect(troubles).toEqual([])
  })

  test('why a block did not come is answered, and its button brings or restores it', async () => {
    const { page, goTo, call } = await openDashboard(await filledFile())
    await goTo(`${ASKED}&k=4`)
    await page.getByLabel('Why not…').fill('nine euros breakfast')
    await page.keyboard.press('Enter')
    const answer = page.locator('.why-not-answer')
    await answer.getByText('Breakfast on the ferry').waitFor()
    await answer.getByRole('button', { name: /^Ask for \d+$/ }).click()
    await page.getByRole('list', { name: 'Shown to the agent' }).getByText('Breakfast on the ferry').waitFor()
    const blockId = await idOf(call, 'nine euros breakfast')
    await call('forget', { blockId })
    await goTo(`${ASKED}&why=nine+euros+breakfast`)
    await answer.getByRole('button', { name: 'Restore it' }).click()
    await page.locator('.toast').waitFor()
    expect(await call('show', { blockId })).toMatchObject({ block: { status: 'active' } })
  })

  test('a report counts for the blocks of the answer, undo takes it back, and the past takes none', async () => {
    const { page, goTo, call, troubles } = await openDashboard(await filledFile())
    await goTo(`${ASKED}&k=4`)
    const { blocks } = await call<{ blocks: { id: string }[] }>('recall', {
      ...{ query: QUESTION, topK: 4, reinforce: false },
    })
    const beliefs = async () => {
      const shown = blocks.slice(0, 2).map(({ id }) => call<Shown>('show', { blockId: id }))
      return (await Promise.all(shown)).map(({ block }) => block.confidence)
    }
    const before = await beliefs()
    await page.getByRole('button', { name: 'Number 1 misled' }).click()
    await page.getByRole('button', { name: 'Number 2 helped' }).click()
    await page.getByRole('button', { name: 'Report outcome' }).click()
    await page.locator('.toast').getByRole('button', { name: 'Undo', exact: true }).waitFor()
    const [first = 0, second = 0] = await beliefs()
    expect(first).toBeLessThan(before[0] ?? 0)
    expect(second).toBeGreaterThan(before[1] ?? 1)
    expect((await newest(call, 2)).join()).toContain('outcome')
    await undoInToast(page)
    expect(await beliefs()).toEqual(before)
    await goTo(`${ASKED}&knownAt=2026-03-03`)
    expect(await page.getByRole('button', { name: /helped/ }).count()).toBe(0)
    expect(troubles).toEqual([])
  })
})
