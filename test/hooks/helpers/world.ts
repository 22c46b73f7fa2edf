import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type TestContext } from 'vitest'
import { projectIdentity } from '../../../src/adapters/project/identity.ts'
import { elfmem, HASHING, temporaryDirectory } from '../../surfaces/helpers/cli.ts'
import { realClient } from './real-clients.ts'

/** The repository. */
export const ROOT = join(import.meta.dirname, '../../..')
const BIN = join(ROOT, 'src/bin.ts')
export const PORT = 'Staging of the shop answers on port 4210.'
export const ASKED = 'Which port does staging answer on? Run the check against it.'

/** A project in a home of its own, with a memory of it. */
export interface World {
  readonly home: string
  readonly cwd: string
  readonly scope: string
  /** The plugin, which starts the server of this repository. */
  readonly plugin: string
  readonly run: (...argv: readonly string[]) => Promise<string>
}

/** Makes a world whose project knows the port. */
export async function world(): Promise<World> {
  const home = realpathSync(temporaryDirectory())
  const cwd = join(home, 'shop')
  mkdirSync(cwd)
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd })
  git('init', '-q')
  git('config', 'user.name', 'test')
  git('config', 'user.email', 'test@example.invalid')
  const plugin = join(home, 'plugin')
  cpSync(join(ROOT, 'plugin'), plugin, { recursive: true })
  const variables = { ...HASHING, HOME: home, ELFMEM_HOOKS_BUDGET_MS: '9000' }
  const server = { command: process.execPath, args: [BIN, 'serve', '--hooks', '--no-socket'], env: variables }
  for (const file of ['.mcp.json', '.claude-plugin/plugin.json']) {
    const manifest = JSON.parse(readFileSync(join(plugin, file), 'utf8'))
    writeFileSync(join(plugin, file), JSON.stringify({ ...manifest, mcpServers: { elfmem: server } }))
  }
  // A busy machine starts a server from source more slowly than a client waits.
  const hooks = join(plugin, 'hooks/hooks.json')
  writeFileSync(hooks, readFileSync(hooks, 'utf8').replaceAll('"timeout": 3', '"timeout": 30'))
  const { scope } = projectIdentity({ cwd, home })
  const run = async (...argv: readonly string[]) =>
    (await elfmem([...argv, '--scope', scope], { home, cwd, env: HASHING })).out
  await run('remember', PORT)
  await run('dream')
  return { home, cwd, scope, plugin, run }
}

/** The program of Claude Code; the test is skipped where it is not to be had. */
export async function fetched({ skip, annotate }: TestContext): Promise<string> {
  const found = await realClient('claude')
  if ('path' in found) return found.path
  await annotate(found.reason)
  return skip(found.reason)
}

/** Runs a client in the project until it ends well; returns what it printed. */
export async function ran(
  command: string,
  args: readonly string[],
  { home, cwd }: World,
  more: Record<string, string>,
) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part))
  const [code] = await once(child, 'close')
  const text = Buffer.concat(said).toString()
  expect(code, text).toBe(0)
  return text
}

/** The entries of what was learned without a report, the newest last. */
export async function learned({
  run,
}: World): Promise<readonly { readonly reason: string; readonly block_ids: readonly string[] }[]> {
  return JSON.parse(await run('history', '--operation', 'settle', '--json')).operations
}
