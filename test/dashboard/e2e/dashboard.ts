import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../helpers/memory.ts'
import { startChromium } from './chromium.ts'
import { fillHousehold } from './household.ts'

const root = join(import.meta.dirname, '../../..')
const QUIET = '--disable-warning=ExperimentalWarning'
/** How long a test waits for what it looks for, in milliseconds, on busy cores. */
export const PATIENCE = { timeout: 15_000 }
/** Milliseconds in which the command ends when it is asked to, on busy cores. */
const ENDS_WITHIN = 25_000
const LINK = /http:\/\/127\.0\.0\.1:\d+\/\S*#code=[\w-]+/

// A test waits for pictures, not for itself: what hangs is told soon.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 30_000 })

/** A dashboard that runs in a process of its own. */
export interface Running {
  /** The link that it printed. */
  readonly link: string
  readonly origin: string
  /** A new link, as a second start prints it. */
  readonly newLink: () => Promise<string>
  /** Ends it as Ctrl-C does. */
  readonly stop: () => Promise<void>
}

/** Starts the command on a file; it ends with the test. */
export async function startDashboard(path: string, ...flags: readonly string[]): Promise<Running> {
  const child = run(path, flags)
  const link = await linkOf(child)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    const late = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN)
    await ended
    clearTimeout(late)
    if (child.signalCode === 'SIGKILL') throw new Error('The dashboard did not end when it was asked to.')
  }
  onTestFinished(stop)
  return { link, origin: new URL(link).origin, stop, newLink: () => linkOf(run(path, flags)) }
}

function run(path: string, flags: readonly string[]): ChildProcess {
  const bin = join(root, 'src/bin.ts')
  return spawn(process.execPath, [QUIET, bin, 'dashboard', '--no-open', '--db', path, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
}

/** The link on the output; fails with what was printed instead. */
async function linkOf(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk.toString()
      const link = LINK.exec(said)?.[0]
      if (link !== undefined) resolve(link)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('exit', () => reject(new Error(`The dashboard printed no link: ${said}`)))
  })
}

/** The sizes that the page is looked at. */
export const DESK = { width: 1_440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** A browser that opened a dashboard. */
export interface Opened extends Running {
  readonly path: string
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page and its console, reports of the policy and dialogs, but for answers that say no. */
  readonly troubles: readonly string[]
  /** Goes to a screen and waits until it stands. */
  readonly goTo: (address: string) => Promise<void>
  /** Calls an operation as the page does. */
  readonly call: <T>(name: string, input?: unknown) => Promise<T>
}

interface Options {
  readonly path?: string
  readonly flags?: readonly string[]
  readonly size?: { readonly width: number; readonly height: number }
  readonly isTouched?: boolean
}

let browser: Promise<Browser> | undefined

/** Ends the browser that all tests of a file share. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** A household's memory, its dashboard, and a page that opened it by the link. All of it ends with the test. */
export async function openHouseholdPage(options: Options = {}): Promise<Opened> {
  const path = options.path ?? (await household())
  const running = await startDashboard(path, ...(options.flags ?? []))
  browser ??= startChromium()
  const context = await (await browser).newContext({
    viewport: options.size ?? DESK,
    reducedMotion: 'reduce',
    ...(options.isTouched ? { hasTouch: true, isMobile: true } : {}),
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE.timeout)
  const troubles = watchTroubles(page)
  await page.goto(running.link)
  await page.waitForSelector('#main')
  const goTo = async (address: string) => {
    await page.goto(`${running.origin}${address}`)
    await page.waitForSelector('#main h1')
    await settle(page)
  }
  return { ...running, path, page, context, troubles, goTo, call: callOf(page) }
}

/** Waits until nothing loads any more. */
export async function settle(page: Page): Promise<void> {
  const loading = page.locator('.skeleton, [aria-busy=true]')
  await expect.poll(() => loading.count(), PATIENCE).toBe(0)
}

let template: Promise<string> | undefined

/** A file with a household; it goes with the test. All are copies of one. */
export async function household(): Promise<string> {
  template ??= fillTemplate()
  const folder = temporaryFolder()
  cpSync(await template, folder, { recursive: true })
  return join(folder, 'household.db')
}

async function fillTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-household-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await fillHousehold(join(folder, 'household.db'))
  return folder
}

/** What goes wrong in a page, as it comes; that a resource was refused is an answer, which the page shows itself. */
function watchTroubles(page: Page): readonly string[] {
  const troubles: string[] = []
  page.on('pageerror', ({ message }) => troubles.push(message))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) troubles.push(message.text())
  })
  return troubles
}

function callOf(page: Page): Opened['call'] {
  return async <T>(name: string, input: unknown = {}) => {
    const script = `(async () => {
      const answer = await fetch('/api/operations/${name}', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + sessionStorage.getItem('elfmem.token'), 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify(input))},
      })
      return answer.json()
    })()`
    return (await page.evaluate(script)) as T
  }
}
