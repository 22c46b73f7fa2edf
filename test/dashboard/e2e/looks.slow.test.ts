import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/memory.ts'
import { temporaryFolder } from '../../helpers/memory.ts'
import { skipped } from './chromium.ts'
import { closeBrowser, DESK, household, type Opened, openHouseholdPage, PHONE, settle } from './dashboard.ts'

afterAll(closeBrowser)

/** The least width of WCAG 2.2, reflow: a page of 1,280 at 400 %. */
const LEAST = { width: 320, height: 640 }
/** A page of 1,440 at 200 %. */
const ZOOMED = { width: 720, height: 450 }
const SIZES = [LEAST, PHONE, ZOOMED, DESK]

const SCREENS = [
  ...['/', '/memory', '/recall', '/recall?q=ferry&k=20', '/graph', '/review', '/journal'],
  ...['/journal?view=between&from=2026-03-01&to=2026-03-16', '/identity', '/doctor', '/memory?words=zebra'],
]

const LONG = 'a-rather-long-name-of-a-project-that-somebody-made-of-a-path'

/** A household with what is hard to set: long words and names, scripts from right to left, without spaces, code. */
async function fullHousehold(): Promise<string> {
  const path = await household()
  await using owner = await openMemory(path, { as: 'owner' })
  const content = [
    'x'.repeat(600),
    '渡轮在工作日上午十点出发，周末则在上午十一点出发。'.repeat(4),
    'المعبر يفتح في الساعة الثامنة صباحا كل يوم ما عدا الجمعة (see runbook.md).',
    `\`\`\`sh\nkubectl --context staging rollout restart deployment/${LONG}/${LONG}\n\`\`\``,
    'The ferry waits for the train. '.repeat(120).slice(0, 3_900),
  ]
  const said = { tags: [`project/${LONG}/of-it`, 'harbour', 'week'], session: `${LONG}-${LONG}` } as const
  for (const each of content)
    await owner.remember({ content: each, ...said, sourceClass: 'document', source: `https://${LONG}.test` })
  await owner.dream()
  await using agent = await openMemory(path, { as: 'agent', actor: `mcp:${LONG}` })
  await agent.propose({ kind: 'value', content: 'x'.repeat(400), reason: 'y'.repeat(400) })
  return path
}

const emptyFile = () => Promise.resolve(`${temporaryFolder()}/empty.db`)

/** What a reader would stumble over: the page or a card wider than its room, and texts of one row or tile that meet. */
const FAULTS = `(() => {
  const seen = (element) => {
    const style = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' && style.clipPath === 'none'
  }
  const name = (element) => element.tagName + '.' + element.className + ' ' + (element.textContent ?? '').slice(0, 40)
  const found = []
  const main = document.querySelector('#main')
  const { scrollHeight, clientHeight } = document.documentElement
  if (scrollHeight > clientHeight) found.push('scrolls twice, by ' + (scrollHeight - clientHeight))
  for (const each of [document.documentElement, main, document.querySelector('.drawer-body')])
    if (each && each.scrollWidth > each.clientWidth) found.push('wider than its room: ' + name(each))
  const rows = '.overview-number, .card-head, .memory-row, .entry-row, .candidate, .line, .edge, .drawer-head, .tools, .notice, .choice, .facts'
  for (const row of document.querySelectorAll(rows)) {
    if (!seen(row)) continue
    const parts = [...row.children].filter(seen)
    for (const [at, one] of parts.entries())
      for (const other of parts.slice(at + 1)) {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (wide > 1 && high > 1) found.push('meet: ' + name(one) + ' / ' + name(other))
      }
  }
  for (const button of document.querySelectorAll('#main button, #main a.button, .drawer button')) {
    const box = button.getBoundingClientRect()
    if (!seen(button) || button.closest('.scrolls, .virtual-list, .map-panel')) continue
    if (box.left < -1 || box.right > innerWidth + 1) found.push('cut: ' + name(button))
  }
  return found
})()`

async function faultsOf(opened: Opened, addresses: readonly string[]): Promise<readonly string[]> {
  const { page, origin } = opened
  const found: string[] = []
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const address of addresses) {
      await page.goto(`${origin}${address}`)
      await page.waitForSelector('#main')
      await settle(page)
      const faults = (await page.evaluate(FAULTS)) as readonly string[]
      found.push(...faults.map((fault) => `${size.width} ${address}: ${fault}`))
    }
  }
  return found
}

describe.skipIf(skipped !== undefined)('the looks', () => {
  test('nothing scrolls sideways, meets or is cut, at 320, 390, 720 and 1440 wide, in a full memory', async () => {
    const opened = await openHouseholdPage({ path: await fullHousehold() })
    const { blocks } = await opened.call<{ blocks: { id: string }[] }>('ls', { limit: 8 })
    const drawers = blocks.slice(0, 5).map(({ id }) => `/memory?block=${id}`)
    expect(await faultsOf(opened, [...SCREENS, ...drawers])).toEqual([])
    expect(opened.troubles).toEqual([])
  }, 240_000)

  test('nothing scrolls sideways, meets or is cut in a memory without a block', async () => {
    const opened = await openHouseholdPage({ path: await emptyFile() })
    expect(await faultsOf(opened, SCREENS)).toEqual([])
    expect(opened.troubles).toEqual([])
  }, 240_000)

  test('each screen of a memory without a block says what to do next', async () => {
    const { page, goTo } = await openHouseholdPage({ path: await emptyFile() })
    for (const screen of ['/memory', '/graph', '/journal']) {
      await goTo(screen)
      await page.locator('#main .empty').getByRole('link').first().click()
      await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor()
    }
  })

  test('the calendar has as many whole weeks as there is room for, and says what its colours mean', async () => {
    const { page, goTo } = await openHouseholdPage()
    for (const size of SIZES) {
      await page.setViewportSize(size)
      await goTo('/')
      const cut = await page.evaluate(`(() => {
        const room = document.querySelector('.calendar-weeks').getBoundingClientRect()
        return [...document.querySelectorAll('.calendar-week')].filter((week) => {
          const { left, top } = week.getBoundingClientRect()
          return top < room.bottom && left < room.left - 0.5
        }).length
      })()`)
      expect(cut).toBe(0)
      expect(await page.locator('.calendar figcaption').innerText()).toMatch(
        /each day[\s\S]*nothing[\s\S]*\d/,
      )
    }
  })
})

describe.skipIf(skipped !== undefined)('large numbers and long names', () => {
  test('a million keeps to its tile, and the name of a scope to the side bar', async () => {
    const scope = `project/${LONG}`
    const path = await emptyFile()
    {
      await using memory = await openMemory(path, { as: 'owner', scope })
      await memory.remember({ content: 'The ferry leaves at ten.' })
    }
    const { page, goTo } = await openHouseholdPage({ path, flags: ['--scope', scope] })
    await page.route('**/api/operations/status', async (route) => {
      const answer = await route.fetch()
      const many = { activeCount: 1_000_000, inboxCount: 1_234_567, decisionsWaiting: 1_000_000 }
      const json = (await answer.json()) as { readonly graph: object }
      await route.fulfill({
        response: answer,
        json: { ...json, ...many, graph: { ...json.graph, edges: 12_345_678 } },
      })
    })
    for (const size of [...SIZES, { width: 800, height: 640 }]) {
      await page.setViewportSize(size)
      await goTo('/')
      await page.locator('.overview-number', { hasText: '12,345,678' }).waitFor()
      const wide = await page.evaluate(`[...document.querySelectorAll('.overview-number, .side')]
        .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)`)
      expect(wide, String(size.width)).toEqual([])
    }
  })
})

const FAILURE = {
  error: 'STORE_ERROR',
  message: 'The file of the memory is damaged.',
  recovery: 'Stop what uses it, then go back to a backup.',
}

/** Lets calls of the page fail as the server says it, until they may answer again. */
async function failing(page: Page, names = '**'): Promise<() => Promise<void>> {
  const route = `**/api/operations/${names}`
  await page.route(route, (each) =>
    each.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify(FAILURE) }),
  )
  return () => page.unroute(route)
}

describe.skipIf(skipped !== undefined)('what fails', () => {
  test('each screen says what went wrong and what helps, and comes back with another try', async () => {
    const { page, origin, call } = await openHouseholdPage({ size: PHONE })
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { limit: 1 })
    for (const screen of [
      ...SCREENS.filter((each) => each !== '/recall'),
      `/memory?block=${blocks[0]?.id}`,
    ]) {
      const mend = await failing(page)
      await page.goto(`${origin}${screen}`)
      const alert = page.getByRole('alert').filter({ hasText: FAILURE.message }).last()
      await alert.waitFor()
      expect(await alert.innerText(), screen).toContain(FAILURE.recovery)
      await mend()
      await settle(page)
      for (let left = await page.getByRole('alert').count(); left > 0; left--)
        await page.getByRole('alert').last().getByRole('button', { name: 'Try again' }).dispatchEvent('click')
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    }
  }, 180_000)

  test('a change that fails says so until it is closed, and another try makes it', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { limit: 1 })
    const mend = await failing(page, 'forget')
    await goTo(`/memory?block=${blocks[0]?.id}`)
    await page.getByRole('button', { name: 'Forget' }).click()
    const toast = page.locator('.toast')
    await toast.getByText(`${FAILURE.message} ${FAILURE.recovery}`).waitFor()
    await mend()
    await toast.getByRole('button', { name: 'Try again' }).click()
    await toast.getByText('Forgotten.').waitFor()
    expect(await call('show', { blockId: blocks[0]?.id })).toMatchObject({ block: { status: 'archived' } })
  })

  test('a change that another process keeps waiting says that it is not done yet, then what came of it', async () => {
    const { page, goTo, call } = await openHouseholdPage()
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { limit: 1 })
    const { promise: gone, resolve: go } = Promise.withResolvers<void>()
    await page.route('**/api/operations/forget', async (route) => {
      await gone
      await route.continue()
    })
    await goTo(`/memory?block=${blocks[0]?.id}`)
    await page.getByRole('button', { name: 'Forget' }).click()
    const toast = page.locator('.toast')
    await toast.getByText('It is not done yet.').waitFor()
    go()
    await toast.getByText('Forgotten.').waitFor()
    await toast.getByRole('button', { name: 'Undo' }).waitFor()
  })

  test('what somebody cancels is no error, and can be begun again', async () => {
    const { page, goTo } = await openHouseholdPage()
    await page.route('**/api/operations/dream', () => new Promise(() => undefined))
    await goTo('/')
    await page.getByRole('button', { name: 'Dream now' }).click()
    await page.getByText('Dreaming…').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    const toast = page.locator('.toast')
    await toast.getByText('It was cancelled.').waitFor()
    expect(await toast.getAttribute('class')).toBe('toast')
    await page.getByRole('button', { name: 'Dream now' }).waitFor()
  })
})
