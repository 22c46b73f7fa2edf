import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The real clients that tests run, at the versions whose hooks were looked at. */
const PACKAGES = {
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.332', after: 'install.cjs' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0', after: undefined },
  opencode: { name: 'opencode-ai', version: '1.18.33', after: 'postinstall.mjs' },
  codex: { name: '@openai/codex', version: '0.169.0', after: undefined },
} as const
export type RealClient = keyof typeof PACKAGES

/** Milliseconds to fetch a client in: some hundred megabytes. */
const FETCH_MS = 240_000

/** The path of a client's program, or why there is none. */
export type Fetched = { readonly path: string } | { readonly reason: string }

/**
 * Finds a client's program in the folder that ELFMEM_TEST_CLIENTS names, and fetches it there with npm if need be. Without the
 * variable it is looked for in a cache of the user and never fetched.
 */
export async function realClient(client: RealClient): Promise<Fetched> {
  const { name, version, after } = PACKAGES[client]
  const given = process.env.ELFMEM_TEST_CLIENTS
  const folder = given ?? join(homedir(), '.cache', 'elfmem-test-clients')
  const path = join(folder, 'node_modules', '.bin', client)
  if (given === undefined && !existsSync(path))
    return { reason: `${name} is not there; ELFMEM_TEST_CLIENTS names a folder to fetch it into` }
  try {
    if (!existsSync(path)) {
      mkdirSync(folder, { recursive: true })
      const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
      await run('npm', ['install', ...flags, `${name}@${version}`], { timeout: FETCH_MS })
      if (after !== undefined)
        await run(process.execPath, [after], { cwd: join(folder, 'node_modules', name), timeout: FETCH_MS })
    }
    await run(path, ['--version'], { timeout: 60_000 })
    return { path }
  } catch (error) {
    return { reason: `${name}@${version} is not to be had: ${(error as Error).message.slice(0, 200)}` }
  }
}
