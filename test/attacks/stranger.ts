import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')

/** A user's machine with a directory of somebody else on it. */
export interface Machine {
  readonly home: string
  /** What was cloned. */
  readonly clone: string
  readonly env: Readonly<Record<string, string>>
}

/** A home and a clone with these files; the user has a key in the environment that no setting names. */
export function machine(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Machine {
  const [home, clone] = [temporaryDirectory(), join(temporaryDirectory(), 'clone')]
  mkdirSync(join(clone, '.git'), { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, name)), { recursive: true })
    writeFileSync(join(clone, name), text)
  }
  return { home, clone, env: { ...HASHING, AWS_SECRET_ACCESS_KEY: 'the-key-of-the-cloud', ...env } }
}

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a program in the clone, as a process of its own that must end within a minute. */
export function run(at: Machine, argv: readonly string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: at.home,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    ...at.env,
  }
  return new Promise((resolve) => {
    const options = { cwd: at.clone, env, timeout: 60_000 }
    const child = execFile(process.execPath, argv, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err }),
    )
    child.stdin?.end()
  })
}

/** Runs the command line in the clone, within this process. */
export async function here(at: Machine, ...argv: readonly string[]): Promise<Ended> {
  return elfmem(argv, { home: at.home, cwd: at.clone, env: at.env })
}

/** The same as a process of its own. */
export function cli(at: Machine, ...argv: readonly string[]): Promise<Ended> {
  return run(at, [BIN, ...argv])
}

/** A client of a server that was started in the clone. */
export async function mcp(at: Machine, ...argv: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...at.env }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'serve', ...argv],
    cwd: at.clone,
    env,
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}
