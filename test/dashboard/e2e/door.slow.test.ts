import { request } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, household, openHouseholdPage, PATIENCE, settle, startDashboard } from './dashboard.ts'

afterAll(closeBrowser)

const LOCKED = 'This dashboard is locked'

/** The status of a request with this head. */
function statusOf(origin: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${origin}${path}`,
      { headers, method: path === '/' ? 'GET' : 'POST' },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      },
    )
    asked.on('error', reject)
    asked.end(path === '/' ? undefined : '{}')
  })
}

describe.skipIf(skipped !== undefined)('the door of the page', () => {
  test('a link works once, leaves no code in the address and no cookie', async () => {
    const { page, context, link } = await openHouseholdPage()
    expect(page.url()).not.toContain('code')
    expect(await context.cookies()).toEqual([])
    expect(await page.evaluate('localStorage.length')).toBe(0)
    const stranger = await context.browser()?.newContext()
    const other = await stranger?.newPage()
    await other?.goto(link)
    await other?.getByText(LOCKED).waitFor()
    expect(other?.url()).not.toContain('code')
    await stranger?.close()
  })

  test('a second tab of the same browser gets the token from the first', async () => {
    const { context, origin } = await openHouseholdPage()
    const second = await context.newPage()
    await second.goto(`${origin}/review`)
    await second.locator('.decision').waitFor({ timeout: PATIENCE.timeout })
  })

  test('a tab of a browser that never had the link stays locked', async () => {
    const { context, origin } = await openHouseholdPage()
    const stranger = await context.browser()?.newContext()
    const page = await stranger?.newPage()
    await page?.goto(`${origin}/memory`)
    await page?.getByText(LOCKED).waitFor()
    expect(await page?.textContent('body')).not.toContain('ferry')
    await stranger?.close()
  })

  test('a second start opens the dashboard that runs, with a link of its own', async () => {
    const { link, newLink, origin } = await openHouseholdPage()
    const again = await newLink()
    expect(new URL(again).origin).toBe(origin)
    expect(again).not.toBe(link)
  })

  test('when the command ends the page says so and stays readable, and a new start locks it', async () => {
    const { page, goTo, stop, path, origin } = await openHouseholdPage()
    await goTo('/review?kind=contradiction')
    await stop()
    await page.getByText('The dashboard’s command has ended').waitFor()
    expect(await page.locator('.bar code').textContent()).toMatch(/^elfmem dashboard --db \S+household\.db$/)
    await page.getByText('The weekly digest goes out on Mondays at').first().waitFor()
    const next = await startDashboard(path)
    expect(next.origin).toBe(origin)
    await page.getByText(LOCKED).waitFor({ timeout: 30_000 })
    await page.goto(next.link)
    await page.waitForSelector('#main')
  })

  test('words that are typed stay in view through a new start, and are saved once a new link is opened', async () => {
    const { page, context, goTo, stop, path } = await openHouseholdPage()
    await goTo('/review?kind=proposal')
    await page.getByRole('button', { name: /Refuse/ }).click()
    await page.keyboard.type('It is too general.')
    await stop()
    await page.getByText('The dashboard’s command has ended').waitFor()
    const next = await startDashboard(path)
    const locked = page.getByText(LOCKED)
    await locked.waitFor({ timeout: 30_000 })
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('textbox').inputValue()).toBe('It is too general.')
    const other = await context.newPage()
    await other.goto(next.link)
    await locked.waitFor({ state: 'detached', timeout: 30_000 })
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('1 of 1').waitFor()
  })

  test('without its command a screen that was never opened says so, and a failed act is named', async () => {
    const { page, goTo, stop, troubles } = await openHouseholdPage()
    await goTo('/memory?words=office+opens')
    await page.locator('.virtual-row').first().click()
    await page.getByRole('button', { name: 'Forget' }).waitFor()
    await stop()
    await page.getByRole('button', { name: 'Forget' }).click()
    const again = 'Try again: Forget “The harbour office opens at eight.”'
    await page.getByRole('button', { name: again }).waitFor()
    await page.getByRole('link', { name: 'Journal' }).first().click()
    const failure = page.locator('#main').getByRole('alert')
    await failure.getByText('did not load').waitFor()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await failure.getByText('did not load').waitFor()
    expect(troubles).toEqual([])
  })

  test('a forged Host, a foreign page and a missing token are turned away', async () => {
    const { origin, link } = await startDashboard(await household())
    expect(link).toContain('code=')
    const own = new URL(origin).host
    const operation = '/api/operations/status'
    const json = { 'content-type': 'application/json' }
    expect(await statusOf(origin, '/', { host: 'evil.example' })).toBe(421)
    expect(await statusOf(origin, operation, { ...json, host: 'localhost.evil.example' })).toBe(421)
    expect(await statusOf(origin, operation, { ...json, host: own, origin: 'http://evil.example' })).toBe(403)
    expect(await statusOf(origin, operation, { ...json, host: own, 'sec-fetch-site': 'cross-site' })).toBe(
      403,
    )
    expect(await statusOf(origin, operation, { ...json, host: own })).toBe(401)
  })

  test('what another process remembers is told in the page within moments', async () => {
    const { page, path } = await openHouseholdPage()
    await using other = await openMemory(path, { as: 'owner', actor: 'neighbour' })
    await page.locator('.dot.live').first().waitFor()
    await other.remember({ content: 'The lighthouse keeper has a parrot.' })
    await page.locator('.side-foot').getByText('neighbour').waitFor({ timeout: 5_000 })
  })

  test('visiting every screen changes nothing', async () => {
    const { goTo, call, page, troubles } = await openHouseholdPage()
    const last = () => call<{ operations: { id: number }[] }>('history', { limit: 1 })
    const before = await last()
    for (const screen of [
      '/memory',
      '/recall?q=ferry',
      '/graph',
      '/review',
      '/journal',
      '/identity',
      '/doctor',
    ]) {
      await page.goto(new URL(screen, page.url()).href)
      await page.waitForSelector('#main')
      await settle(page)
    }
    await goTo('/review')
    expect((await last()).operations).toEqual(before.operations)
    expect(troubles).toEqual([])
  })
})
