import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The real clients that hooks are tested with, at the versions whose hooks were looked at. */
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
 * The program of a real client: from the folder that ELFMEM_TEST_CLIENTS names, fetched with npm where it is not there yet, else from
 * a cache of the user's, into which nothing is fetched: a test run that nobody asked for 500 MB takes none. Nothing comes into the
 * repository.
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
      const args = [
        'install',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        `${name}@${version}`,
      ]
      await run('npm', args, { timeout: FETCH_MS })
      if (after !== undefined)
        await run(process.execPath, [after], { cwd: join(folder, 'node_modules', name), timeout: FETCH_MS })
    }
    await run(path, ['--version'], { timeout: 60_000 })
    return { path }
  } catch (error) {
    return { reason: `${name}@${version} is not to be had: ${(error as Error).message.slice(0, 200)}` }
  }
}
