import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Names that distributions give it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser of this machine: `ELFMEM_CHROMIUM`, else one on the path; none is downloaded. */
const chromiumPath: string | undefined = findChromium()

/** Tells why browser tests are skipped; undefined where they run. In CI they run and fail without a browser. */
export const skipped: string | undefined =
  chromiumPath === undefined && process.env.CI === undefined
    ? 'no Chromium is here: set ELFMEM_CHROMIUM, or put chromium on the path'
    : undefined

/** Starts the browser of this machine. */
export async function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium: set ELFMEM_CHROMIUM.')
  // Chromium has no sandbox for root, as in a container.
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return chromium.launch({ executablePath: chromiumPath, args })
}

function findChromium(): string | undefined {
  const said = process.env.ELFMEM_CHROMIUM
  if (said !== undefined && said !== '') return said
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((each) => existsSync(each))
}
