import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sizeOf } from '../lib/folder-size.ts'
import type { Contender } from './contenders.ts'
import { reasonIn } from './reason.ts'

/** Where a contender is, or why it is not there. */
export type Installed =
  | {
      readonly command: string
      readonly packages: string
      /** What the empty project grew by; absent where nothing was installed. */
      readonly bytes?: number
    }
  | { readonly command?: never; readonly reason: string }

const run = promisify(execFile)
/** Building a native part of a package may take minutes. */
const TIMEOUT_MS = 15 * 60_000

/** The folder of this bench among the user's caches. */
export function defaultCache(env: NodeJS.ProcessEnv = process.env): string {
  const caches =
    env.XDG_CACHE_HOME ??
    env.LOCALAPPDATA ??
    (process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : join(homedir(), '.cache'))
  return join(caches, 'elfmem-bench')
}

/** Installs a contender into a folder of its own in the cache, unless it is there; never throws. */
export async function install({ install: wanted }: Contender, cache: string): Promise<Installed> {
  if (wanted.from === 'nothing' || wanted.from === 'checkout')
    return { command: process.execPath, packages: '' }
  // Native parts are built for one Node.
  const runtime = wanted.from === 'npm' ? `-node${process.versions.modules}` : ''
  const packages = join(cache, `${wanted.spec.replace(/[^\w.]+/g, '-').replace(/^-|\W+$/g, '')}${runtime}`)
  const command = wanted.from === 'npm' ? process.execPath : join(packages, 'bin/python')
  const known = bytesIn(packages)
  if (known !== undefined) return { command, packages, bytes: known }
  try {
    const grow = wanted.from === 'npm' ? installNpm(packages, wanted) : installPypi(packages, wanted.spec)
    const bytes = await grow
    writeFileSync(doneIn(packages), String(bytes))
    return { command, packages, bytes }
  } catch (error) {
    return { reason: `could not be installed: ${complaint(error)}` }
  }
}

/** Packs this checkout as `npm publish` would, and installs the archive into an empty folder; throws why it cannot. */
export async function installPacked(folder: string): Promise<{ packages: string; bytes: number }> {
  try {
    const archives = join(folder, 'archive')
    mkdirSync(archives, { recursive: true })
    const checkout = fileURLToPath(new URL('../..', import.meta.url))
    await npm(['pack', '--silent', '--pack-destination', archives], checkout)
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      version: string
    }
    const packages = join(folder, 'project')
    const spec = join(archives, `elfmem-${version}.tgz`)
    return { packages, bytes: await installNpm(packages, { from: 'npm', spec }) }
  } catch (error) {
    throw new Error(`could not be packed and installed: ${complaint(error)}`)
  }
}

function complaint(error: unknown): string {
  const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
  return reasonIn(`${stderr}\n${message}`)
}

/** Holds the growth of a folder once all is installed in it. */
function doneIn(packages: string): string {
  return join(packages, '.installed')
}

function bytesIn(packages: string): number | undefined {
  if (!existsSync(doneIn(packages))) return undefined
  // A cache of an older version of this bench holds no number, and is filled anew.
  return Number(readFileSync(doneIn(packages), 'utf8')) || undefined
}

function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

type NpmPackage = Extract<Contender['install'], { from: 'npm' }>

/** Resolves with the bytes that the empty folder grew by. */
async function installNpm(folder: string, { spec, overrides = {} }: NpmPackage): Promise<number> {
  writeFileSync(join(emptied(folder), 'package.json'), JSON.stringify({ private: true, overrides }))
  const empty = sizeOf(folder)
  await npm(['install', '--no-audit', '--no-fund', '--no-save', spec], folder)
  return sizeOf(folder) - empty
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  // npm must run on this Node and find its headers, so that native parts are built for it.
  const headers = headersOf(process.execPath)
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    ...(headers === undefined ? {} : { npm_config_nodedir: headers }),
  }
  await run('npm', args, { cwd, env, timeout: TIMEOUT_MS })
}

/** The folder with the `include` of a Node: beside its `bin`, or inside the npm package named node. */
function headersOf(node: string): string | undefined {
  const root = join(dirname(node), '..')
  const places = [root, join(root, `node_modules/node-${process.platform}-${process.arch}`)]
  return places.find((place) => existsSync(join(place, 'include/node/node_version.h')))
}

/** Resolves with the bytes that the environment grew by. */
async function installPypi(folder: string, spec: string): Promise<number> {
  await run('python3', ['-m', 'venv', emptied(folder)], { timeout: TIMEOUT_MS })
  const empty = sizeOf(folder)
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', spec], { timeout: TIMEOUT_MS })
  return sizeOf(folder) - empty
}
