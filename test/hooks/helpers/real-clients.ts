import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Claude Code at the version whose hooks were looked at, and the script that completes its installation. */
const PACKAGE = '@anthropic-ai/claude-code'
const VERSION = '2.1.332'
const INSTALL = 'install.cjs'

/** Milliseconds to fetch it in: some hundred megabytes. */
const FETCH_MS = 240_000

/** The path of the program, or why there is none. */
export type Fetched = { readonly path: string } | { readonly reason: string }

/**
 * Finds Claude Code in the folder that ELFMEM_TEST_CLIENTS names, and fetches it there with npm if need be. Without the variable it
 * is looked for in a cache of the user and never fetched.
 */
export async function claudeCode(): Promise<Fetched> {
  const given = process.env.ELFMEM_TEST_CLIENTS
  const folder = given ?? join(homedir(), '.cache', 'elfmem-test-clients')
  const path = join(folder, 'node_modules', '.bin', 'claude')
  if (given === undefined && !existsSync(path))
    return { reason: `${PACKAGE} is not there; ELFMEM_TEST_CLIENTS names a folder to fetch it into` }
  try {
    if (!existsSync(path)) {
      mkdirSync(folder, { recursive: true })
      const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
      await run('npm', ['install', ...flags, `${PACKAGE}@${VERSION}`], { timeout: FETCH_MS })
      const cwd = join(folder, 'node_modules', PACKAGE)
      await run(process.execPath, [INSTALL], { cwd, timeout: FETCH_MS })
    }
    await run(path, ['--version'], { timeout: 60_000 })
    return { path }
  } catch (error) {
    return { reason: `${PACKAGE}@${VERSION} is not to be had: ${(error as Error).message.slice(0, 200)}` }
  }
}
