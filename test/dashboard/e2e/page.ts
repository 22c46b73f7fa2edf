import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { startChromium } from './chromium.ts'

const BIN = join(import.meta.dirname, '../../../src/bin.ts')
const LINK = /http:\/\/127\.0\.0\.1:\d+\/\S*#code=[\w-]+/
const ENDS_WITHIN_MS = 25_000

/** How long a test polls, in milliseconds. */
export const PATIENCE = { timeout: 15_000 }
export const DESK = { width: 1_440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** A page of the dashboard that was opened by its link. */
export interface Opened {
  readonly page: Page
  readonly origin: string
  /** Errors and warnings of the console, and dialogs. Answers that refuse something do not count. */
  readonly troubles: readonly string[]
  /** Goes to an address and waits until the screen is loaded. */
  readonly goTo: (address: string) => Promise<void>
  /** Calls an operation with the token of the page. */
  readonly call: <T>(name: string, input?: unknown) => Promise<T>
  /** Ends the command as Ctrl-C does. */
  readonly stop: () => Promise<void>
}

interface Options {
  readonly flags?: readonly string[]
  readonly size?: { readonly width: number; readonly height: number }
}

let browser: Promise<Browser> | undefined

/** Ends the browser that all tests of a file share. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** Starts `elfmem dashboard` on a file and opens its link in a browser. All of it ends with the test. */
export async function openDashboard(path: string, options: Options = {}): Promise<Opened> {
  const { flags = [], size = DESK } = options
  const { link, stop } = await startCommand(path, flags)
  browser ??= startChromium()
  const context = await (await browser).newContext({ viewport: size, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE.timeout)
  const troubles = troublesOf(page)
  await page.goto(link)
  await page.waitForSelector('#main h1')
  const { origin } = new URL(link)
  const goTo = async (address: string) => {
    await page.goto(`${origin}${address}`)
    await page.waitForSelector('#main h1')
    await settle(page)
  }
  return { page, origin, troubles, goTo, call: callOf(page), stop }
}

/** Waits until nothing loads any more. */
export async function settle(page: Page): Promise<void> {
  const loading = page.locator('.skeleton, [aria-busy=true]')
  await expect.poll(() => loading.count(), PATIENCE).toBe(0)
}

/** The id of the first block that has these words. */
export async function idOf(call: Opened['call'], words: string): Promise<string> {
  const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { words })
  if (blocks[0] === undefined) throw new Error(`No block has the words ${words}.`)
  return blocks[0].id
}

/** Clicks Undo in the toast, and waits until that is done. */
export async function undoInToast(page: Page): Promise<void> {
  await page.locator('.toast').getByRole('button', { name: 'Undo', exact: true }).click()
  await page.locator('.toast').getByText('It is taken back.').waitFor()
}

async function startCommand(path: string, flags: readonly string[]) {
  const argv = [
    '--disable-warning=ExperimentalWarning',
    BIN,
    'dashboard',
    '--no-open',
    '--db',
    path,
    ...flags,
  ]
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    const late = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
    await ended
    clearTimeout(late)
    if (child.signalCode === 'SIGKILL') throw new Error('The dashboard did not end when it was asked to.')
  }
  onTestFinished(stop)
  return { link: await linkOf(child), stop }
}

function linkOf(child: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString()
      const link = LINK.exec(printed)?.[0]
      if (link !== undefined) resolve(link)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('exit', () => reject(new Error(`The dashboard printed no link: ${printed}`)))
  })
}

function troublesOf(page: Page): readonly string[] {
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
