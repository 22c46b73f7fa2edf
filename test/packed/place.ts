import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** What packing reads. */
const PACKED_FROM = [
  'src',
  'dashboard',
  'kernel',
  'model',
  'docs',
  'scripts',
  'plugin',
  '.claude-plugin',
] as const

/** The other runtimes and bundlers. Only the long run fetches them, because nobody needs them to work on elfmem. */
const TOOLS = {
  bun: '1.4.5',
  deno: '2.9.6',
  esbuild: '0.28.2',
  pnpm: '12.21.0',
} as const

/** The Node of the repository and the oldest that is supported. */
export const NODES = [process.execPath, join(root, 'node_modules/node-22/bin/node')]

/** The programs of other runtimes, installers and bundlers. */
export type Tools = Readonly<Record<keyof typeof TOOLS, string>>

/** Runs a program to its end; throws with what it printed unless it ended well. */
export async function runIn(
  cwd: string,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  // Programs get a home of their own, but the registry of the user.
  const home = join(cwd, '..', 'home')
  mkdirSync(home, { recursive: true })
  const own = { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), DENO_DIR: join(home, 'deno'), NO_COLOR: '1' }
  const { stdout, stderr } = await run(program, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NODE_PATH: '', NODE_ENV: undefined, VITEST: '', ...own, ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout + stderr
}

/** Packs this checkout from a copy, since packing builds and others use what is built here; returns the tarball. */
export async function packCheckout(folder: string): Promise<string> {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  for (const name of PACKED_FROM) cpSync(join(root, name), join(copy, name), { recursive: true })
  for (const name of readdirSync(root))
    if (/\.(?:json|md)$|^(?:LICENSE|NOTICE)$/.test(name)) cpSync(join(root, name), join(copy, name))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await runIn(copy, ['npm', 'pack', '--pack-destination', folder])
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  return join(folder, tarball)
}

/** Fetches the tools into a folder of their own. */
export async function installTools(folder: string): Promise<Tools> {
  const tools = join(folder, 'tools')
  emptyProject(tools)
  const wanted = Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`)
  await runIn(tools, ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted])
  const modules = join(tools, 'node_modules')
  // Their scripts put the program of this machine in its place.
  for (const script of ['bun/install.js', 'deno/install.cjs', 'pnpm/install.js'])
    await runIn(join(modules, script, '..'), [process.execPath, join(modules, script)])
  const programs = Object.keys(TOOLS).map((name) => [name, join(modules, '.bin', name)])
  return Object.fromEntries(programs) as Tools
}

/** A project with nothing in it. */
export function emptyProject(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  return folder
}

/** The quick start of README as JavaScript, which every runtime takes. */
export function quickStart(): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  return code
}
