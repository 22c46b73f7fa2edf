import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../../helpers/memory.ts'
import { inventMemory } from '../invented-memory.ts'
import { openHouseholdPage } from './dashboard.ts'

let made: Promise<string> | undefined

/** Makes the invented memory once for all tests of a process. */
async function make(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-invented-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'memory.db')
  const { memory } = await inventMemory(path)
  await memory.close()
  return path
}

/** A copy of the invented memory: three people, two projects, 400 facts and some weeks of use. It goes with the test. */
async function inventedFile(): Promise<string> {
  made ??= make()
  const path = join(temporaryFolder(), 'memory.db')
  copyFileSync(await made, path)
  return path
}

type Options = Parameters<typeof openHouseholdPage>[0]

/** The dashboard of the invented memory in a browser. */
export async function openInventedPage(options: Options = {}) {
  return openHouseholdPage({ ...options, path: await inventedFile() })
}

/** The words of the drawer. */
export function drawerWords(page: Page): Promise<string> {
  return page.locator('.drawer .words').first().innerText()
}

/** The toast, once it says something. */
export async function toastOf(page: Page): Promise<string> {
  const toast = page.locator('.toast span').first()
  await toast.waitFor()
  return toast.innerText()
}
