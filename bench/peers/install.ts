import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sizeOf } from '../lib/files.ts'
import type { Contender, Package } from './contenders.ts'
import { reasonIn } from './process.ts'

/** The place of a contender, and the bytes that an empty project grew by. */
export interface Installed {
  readonly command: string
  readonly packages: string
  readonly bytes: number
}

const run = promisify(execFile)
/** Building a native part of a package may take minutes. */
const TIMEOUT_MS = 15 * 60_000

/** Installs a contender into a folder of its own in the cache, unless it is there; throws why it cannot. */
export async function install({ install: wanted }: Contender, cache: string): Promise<Installed> {
  if (wanted === undefined) return { command: process.execPath, packages: '', bytes: 0 }
  // Native parts are built for one Node.
  const runtime = wanted.from === 'npm' ? `-node${process.versions.modules}` : ''
  const packages = join(cache, `${wanted.spec.replace(/[^\w.]+/g, '-').replace(/^-|\W+$/g, '')}${runtime}`)
  const command = wanted.from === 'npm' ? process.execPath : join(packages, 'bin/python')
  const done = join(packages, '.installed')
  if (!existsSync(done)) writeFileSync(done, String(await installInto(packages, wanted)))
  return { command, packages, bytes: Number(readFileSync(done, 'utf8')) }
}

/** Packs this checkout as `npm publish` would, and installs the archive into an empty folder; throws why it cannot. */
export async function installPacked(folder: string): Promise<{ packages: string; bytes: number }> {
  const archives = join(folder, 'archive')
  mkdirSync(archives, { recursive: true })
  const checkout = fileURLToPath(new URL('../..', import.meta.url))
  await npm(['pack', '--silent', '--pack-destination', archives], checkout)
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const packages = join(folder, 'project')
  const spec = join(archives, `elfmem-${version}.tgz`)
  return { packages, bytes: await installInto(packages, { from: 'npm', spec }) }
}

/** Empties a folder, installs a package in it, and resolves with the bytes that the empty project grew by. */
async function installInto(folder: string, wanted: Package): Promise<number> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    if (wanted.from === 'npm') {
      const { spec, overrides = {} } = wanted
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
      const empty = sizeOf(folder)
      await npm(['install', '--no-audit', '--no-fund', '--no-save', spec], folder)
      return sizeOf(folder) - empty
    }
    const options = { timeout: TIMEOUT_MS }
    await run('python3', ['-m', 'venv', folder], options)
    const empty = sizeOf(folder)
    await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', wanted.spec], options)
    return sizeOf(folder) - empty
  } catch (error) {
    const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
    throw new Error(`could not be installed: ${reasonIn(`${stderr}\n${message}`)}`)
  }
}

/** Runs npm on this Node and with its headers, so that native parts are built for it. */
async function npm(args: readonly string[], cwd: string): Promise<void> {
  const root = join(dirname(process.execPath), '..')
  const headers = [root, join(root, `node_modules/node-${process.platform}-${process.arch}`)]
  const found = headers.find((place) => existsSync(join(place, 'include/node/node_version.h')))
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    ...(found === undefined ? {} : { npm_config_nodedir: found }),
  }
  await run('npm', args, { cwd, env, timeout: TIMEOUT_MS })
}
