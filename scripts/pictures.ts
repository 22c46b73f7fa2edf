/**
 * Makes the pictures of the dashboard in docs/pictures anew, of the demo's memory, in both themes. It needs a Chromium and what
 * `npm run build` makes.
 *
 *   node scripts/pictures.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startChromium } from '../test/dashboard/e2e/chromium.ts'

const root = join(import.meta.dirname, '..')
const SIZE = { width: 1_200, height: 750 }
/** Of 100: words stay sharp, and a picture has some 40 kB. */
const QUALITY = 82
/** Nothing on the page changes for so long, in milliseconds. */
const STILL_MS = 800

const SCREENS = {
  overview: '/',
  recall: '/recall?q=which+port+does+staging+use',
  graph: '/graph',
  review: '/review',
} as const

const dashboard = spawn(process.execPath, [join(root, 'dist/bin.js'), 'dashboard', '--demo', '--no-open'])
const [link] = (await once(dashboard.stdout, 'data')) as [Buffer]
const browser = await startChromium()
try {
  const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' })
  await page.goto(String(link).trim())
  await page.getByRole('navigation').first().waitFor()
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    for (const [name, address] of Object.entries(SCREENS)) {
      await page.evaluate(
        `history.pushState(null, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      writeFileSync(join(root, 'docs/pictures', `${name}-${theme}.webp`), await stillPicture(page))
    }
  }
} finally {
  await browser.close()
  dashboard.kill('SIGINT')
  await once(dashboard, 'exit')
}

/** The page as soon as nothing on it moves. */
async function stillPicture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const take = async () =>
    (await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })).data
  let [before, now] = ['', await take()]
  while (before !== now) {
    await page.waitForTimeout(STILL_MS)
    ;[before, now] = [now, await take()]
  }
  return Buffer.from(now, 'base64')
}
