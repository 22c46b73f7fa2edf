import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Page } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** A browser without a graphics card. */
export interface Browser {
  readonly pid: number
  /** Opens a page that has kept nothing of those before; they are closed. */
  readonly newPage: () => Promise<Page>
  readonly close: () => Promise<void>
}

/** The browser of the machine: `ELFMEM_CHROMIUM`, else the first on the path; none is downloaded. */
export function findChromium(): string | undefined {
  const given = process.env.ELFMEM_CHROMIUM
  if (given !== undefined && given !== '') return given
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path))
}

/** Starts a browser of 1440×900 pixels that wants no motion, so that a flight of the camera does not count as a frame. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu']
  const server = await chromium.launchServer({ executablePath, args })
  const browser = await chromium.connect(server.wsEndpoint())
  return {
    pid: server.process().pid ?? 0,
    newPage: async () => {
      for (const context of browser.contexts()) await context.close()
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      page.setDefaultTimeout(180_000)
      return page
    },
    close: async () => {
      await browser.close()
      await server.close()
    },
  }
}
