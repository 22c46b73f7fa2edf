import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, openHouseholdPage, PATIENCE, settle } from './dashboard.ts'

const QUESTION = 'When does the ferry to Brannoch leave?'
const ASKED = `/recall?q=${encodeURIComponent(QUESTION)}`

afterAll(closeBrowser)

/** The last entry of the log. */
async function newest(call: <T>(name: string, input?: unknown) => Promise<T>): Promise<number> {
  const { operations } = await call<{ operations: { id: number }[] }>('history', { limit: 1 })
  return operations[0]?.id ?? 0
}

describe.skipIf(skipped !== undefined)('the lab of recall', () => {
  test('a question shows what the agent reads, and changes nothing', async () => {
    const { page, goTo, call, troubles } = await openHouseholdPage()
    const before = await newest(call)
    await goTo('/recall')
    await page.getByLabel('Question').fill(QUESTION)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.candidate')
    const { text } = await call<{ text: string }>('recall', { query: QUESTION, reinforce: false })
    expect(await page.locator('pre.frame').textContent()).toBe(text)
    expect(new URL(page.url()).searchParams.get('q')).toBe(QUESTION)
    expect(await newest(call)).toBe(before)
    expect(troubles).toEqual([])
  })

  test('the terms of a shown and of a dropped candidate sum to the score beside them', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&k=4`)
    for (const list of ['Shown to the agent', 'Not shown']) {
      const row = page.getByRole('list', { name: list }).locator('> li').first()
      await row.getByRole('button', { name: /score/ }).click()
      const told = await row.locator('.terms-table').first().locator('td:last-child').allTextContents()
      const amounts = told.map((each) => Math.round(Number(each.replace('−', '-')) * 10_000))
      const score = amounts.pop()
      expect(amounts.length).toBeGreaterThan(2)
      expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(score)
      await row.getByRole('button', { name: /score/ }).click()
    }
  })

  test('a block that did not come says why, and by one click it comes', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&k=4`)
    await page.getByLabel('Why not…').fill('nine euros breakfast')
    await page.keyboard.press('Enter')
    const answer = page.locator('.why-not-answer')
    await answer.getByText('Breakfast on the ferry').waitFor()
    expect(await answer.textContent()).toMatch(
      /Beyond the first 4\. It scores 0\.\d\d less than the last one shown/,
    )
    await answer.getByRole('button', { name: /^Ask for \d+$/ }).click()
    await page.getByRole('list', { name: 'Shown to the agent' }).getByText('Breakfast on the ferry').waitFor()
  })

  test('the answer to why not comes into view, and the focus stays in the field', async () => {
    const { page, goTo } = await openHouseholdPage({ size: { width: 1_440, height: 640 } })
    await goTo(ASKED)
    const field = page.getByPlaceholder('words or id of a block you expected')
    await field.fill('blue binder')
    // As far down as the field itself needs, and no further.
    await page.evaluate(`document.querySelector('.why-not form').scrollIntoView({ block: 'end' })`)
    await field.press('Enter')
    const score = page.locator('.why-not-answer .terms-table').first()
    await score.waitFor()
    await expect
      .poll(async () => {
        const box = await score.boundingBox()
        return (box?.y ?? 640) + (box?.height ?? 0)
      }, PATIENCE)
      .toBeLessThanOrEqual(640)
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true)
  })

  test('words that several blocks have name them, and words of none say so', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&why=ferry`)
    const answer = page.locator('.why-not-answer')
    expect(await answer.getByRole('listitem').count()).toBeGreaterThan(3)
    await answer.getByText('Dogs ride free').click()
    await answer.locator('.terms-table').first().waitFor()
    await page.getByLabel('Why not…').fill('submarine')
    await page.keyboard.press('Enter')
    await answer.getByText('No block has these words').waitFor()
    expect(await answer.textContent()).not.toContain('()')
  })

  test('words of a forgotten block find it, and one click restores it', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { words: 'nine euros breakfast' })
    await call('forget', { blockId: blocks[0]?.id })
    await goTo(`${ASKED}&why=nine+euros+breakfast`)
    const answer = page.locator('.why-not-answer')
    await answer.getByText('Breakfast on the ferry').waitFor()
    const ways = answer.locator('.ways').getByRole('button')
    expect(await ways.allTextContents()).toEqual(['Restore it', 'Open it'])
    await ways.first().click()
    await page.locator('.toast').waitFor()
    const again = await call<{ blocks: { id: string }[] }>('ls', { words: 'nine euros breakfast' })
    expect(again.blocks).toMatchObject([{ id: blocks[0]?.id, status: 'active' }])
  })

  test('a report is about this question, moves the blocks at once, and can be taken back', async () => {
    const { page, goTo, call, troubles } = await openHouseholdPage()
    await goTo(`${ASKED}&k=4`)
    const shown = page.getByRole('list', { name: 'Shown to the agent' })
    const first = await shown.locator('.candidate-said').first().locator('button').textContent()
    await page.getByRole('button', { name: 'Number 1 misled' }).click()
    await page.getByRole('button', { name: 'Number 2 helped' }).click()
    await page.getByRole('button', { name: 'Report outcome' }).click()
    await shown.getByText('was 1').waitFor()
    expect(await shown.locator('.candidate-said').first().locator('button').textContent()).not.toBe(first)
    const { operations } = await call<{ operations: { operation: string }[] }>('history', { limit: 2 })
    expect(operations.map(({ operation }) => operation).sort()).toEqual(['outcome', 'recall'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is taken back.').waitFor()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await settle(page)
    expect(await shown.locator('.candidate-said').first().locator('button').textContent()).toBe(first)
    expect(troubles).toEqual([])
  })

  test('a look at the past says so, and nothing can be reported about it', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&knownAt=2026-03-03`)
    await page.getByText('what the memory knew on 3 Mar 2026').waitFor()
    expect(await page.getByRole('button', { name: /helped/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page
      .getByRole('button', { name: /helped/ })
      .first()
      .waitFor()
  })

  test('two blocks that may belong together are joined from the lab', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    await goTo(ASKED)
    const together = page.getByRole('region', { name: 'Belong together?' })
    await together.waitFor()
    await together.getByLabel('How the first bears on the second').first().selectOption('elaborates')
    await page.locator('.toast').waitFor()
    const { operations } = await call<{ operations: { operation: string }[] }>('history', { limit: 1 })
    expect(operations[0]?.operation).toBe('connect')
  })

  test('the same question stands beside another frame, and the address keeps it', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&k=3`)
    const beside = page.getByRole('region', { name: 'Beside another frame' })
    await beside.getByLabel('Compare with the frame').selectOption('task')
    await beside.getByText('here 1').waitFor()
    expect(new URL(page.url()).searchParams.get('beside')).toBe('task')
    await beside.getByRole('button', { name: 'End the comparison' }).click()
    await beside.getByText('here 1').waitFor({ state: 'detached' })
  })

  test('back goes through the questions, and an address alone asks one', async () => {
    const { page, goTo } = await openHouseholdPage()
    await goTo(`${ASKED}&k=2`)
    await page.getByLabel('At most').fill('3')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('list', { name: 'Shown to the agent' }).locator('> li')
    await expect.poll(() => shown.count(), PATIENCE).toBe(3)
    await page.goBack()
    await expect.poll(() => shown.count(), PATIENCE).toBe(2)
    expect(await page.getByLabel('At most').inputValue()).toBe('2')
  })
})
