import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { Measures } from './budgets.ts'
import { atRest, processorMs } from './processor.ts'
import type { Served } from './served.ts'

/** A page of a dashboard that is open. */
export interface Opened {
  readonly served: Served
  readonly page: Page
  /** The processes whose time counts. */
  readonly pids: readonly number[]
}

const TIMES = 5
const MOVES = 60

/** As much of a page's own scope as the functions that run there use. */
interface InPage {
  readonly document: {
    querySelector(selector: string): InPageElement | null
  }
  readonly MutationObserver: new (
    seen: () => void,
  ) => { observe(on: object, what: object): void; disconnect(): void }
  readonly sessionStorage: { getItem(key: string): string | null }
  readonly PointerEvent: new (name: string, values: Readonly<Record<string, unknown>>) => object
  requestAnimationFrame(then: (time: number) => void): void
}

interface InPageElement {
  dispatchEvent(event: object): boolean
}

/** Opens the page by its link, in a browser that rests: Overview is complete once nothing loads any more. */
export async function measureOverview({ page, served, pids }: Opened): Promise<number> {
  await atRest(pids)
  const before = processorMs(pids)
  await page.goto(served.link, { waitUntil: 'commit' })
  await shows(page, 'main h1')
  return processorMs(pids) - before
}

/** The data of the graph: kilobytes when compressed, and what they cost the server. */
export async function measureGraphData({ page, served }: Opened): Promise<Measures> {
  const ask = await caller(page, served)
  const input = { columns: true, limit: 1_000_000, textLength: 64 }
  const graphBytes = gzipSync(await ask('graph', input)).length / 1_000
  const before = processorMs([served.pid])
  for (let i = 0; i < TIMES; i++) await ask('graph', input)
  return { graphBytes, graphData: (processorMs([served.pid]) - before) / TIMES }
}

/** The map: first picture, settled, and a frame of a drag with a real pointer. */
export async function measureMap(
  { page, served, pids }: Opened,
  search = '',
): Promise<{ readonly first: number; readonly settled: number; readonly drag: number }> {
  await page.goto(`${served.origin}/doctor`)
  await shows(page, 'main h1')
  await atRest(pids)
  const before = processorMs(pids)
  // Within the page, so that what is measured is the screen and not the start of another page.
  await page.click('a[href="/graph"]')
  await shows(page, '.map[data-drawn]')
  const first = processorMs(pids) - before
  await shows(page, '.map[data-settled]')
  const settled = processorMs(pids) - before
  if (search !== '') {
    await page.goto(`${served.origin}/graph${search}`)
    await shows(page, '.map[data-settled]')
  }
  return { first, settled, drag: await dragged(page, pids) }
}

async function dragged(page: Page, pids: readonly number[]): Promise<number> {
  await page.waitForTimeout(1_000)
  await page.mouse.move(800, 430)
  await page.mouse.down()
  // The first move finds out how long a whole picture takes.
  await page.mouse.move(803, 432)
  const before = processorMs(pids)
  // In the page, so that a driver's messages count for no frame.
  await page.evaluate(dragging, MOVES)
  const spent = processorMs(pids) - before
  await page.mouse.up()
  return spent / MOVES
}

async function caller(
  page: Page,
  { origin }: Served,
): Promise<(name: string, input: object) => Promise<string>> {
  const token = await page.evaluate(() =>
    (globalThis as unknown as InPage).sessionStorage.getItem('elfmem.token'),
  )
  return async (name, input) => {
    const answer = await fetch(`${origin}/api/operations/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`)
    return text
  }
}

/** Waits until something is there and nothing on the screen loads any more. In the page, for a driver that asks again and again costs. */
async function shows(page: Page, selector: string): Promise<void> {
  await page.evaluate(showing, selector)
}

/** Runs in the page: resolves with the frame after something came. */
async function showing(selector: string): Promise<void> {
  const { document, MutationObserver, requestAnimationFrame } = globalThis as unknown as InPage
  const isThere = () =>
    document.querySelector(selector) !== null &&
    document.querySelector('main .skeleton, main [aria-busy=true]') === null
  await new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => {
      if (!isThere()) return
      observer.disconnect()
      resolve()
    })
    const attributeFilter = ['aria-busy', 'data-drawn', 'data-settled']
    observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter })
    if (isThere()) resolve()
  })
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
}

/** Runs in the page while the button of the mouse is down: moves it once a frame. */
async function dragging(moves: number): Promise<void> {
  const { document, PointerEvent, requestAnimationFrame } = globalThis as unknown as InPage
  const canvas = document.querySelector('.map-canvas')
  for (let i = 0; i < moves; i++) {
    const place = { clientX: 803 + 90 * Math.sin(i / 6), clientY: 432 + 40 * Math.sin(i / 9) }
    canvas?.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, pointerType: 'mouse', ...place }))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}
