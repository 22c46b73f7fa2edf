import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const TIMEOUT_MS = 2_000
const OUTPUT_BYTES = 1_048_576

/**
 * Options of git for a repository that somebody else may have made: no program that its configuration names is run, and nothing
 * is written.
 */
const HARMLESS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-optional-locks']

/** The files of a memory that are in a repository. */
interface InGit {
  /** git has them already. */
  readonly tracked: readonly string[]
  /** The next `git add` would take them. */
  readonly untracked: readonly string[]
}

/**
 * The files of a memory that git has or would take: its database and all that is named after it. None where there is no
 * repository above, no git, or no answer within two seconds.
 *
 * @param database path of the database
 */
export async function filesInGit(database: string): Promise<InGit> {
  const folder = dirname(database)
  if (!isInRepository(folder)) return { tracked: [], untracked: [] }
  // A pattern in which nothing but the ending stands for something else.
  const pattern = `:(glob)${basename(database).replace(/[\\*?[]/g, '\\$&')}*`
  const list = async (...which: readonly string[]) => {
    const output = await run(folder, ['ls-files', '-z', ...which, '--', pattern, `${pattern}/**`])
    return output.split('\0').filter((name) => name !== '')
  }
  return {
    tracked: await list('--cached'),
    untracked: await list('--others', '--exclude-standard'),
  }
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true
    if (dirname(at) === at) return false
  }
}

function run(cwd: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '', SystemRoot } = process.env
  const env = { PATH, HOME, GIT_TERMINAL_PROMPT: '0', ...(SystemRoot === undefined ? {} : { SystemRoot }) }
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES, windowsHide: true }
    execFile('git', [...HARMLESS, ...args], options, (error, stdout) => resolve(error ? '' : stdout))
  })
}
