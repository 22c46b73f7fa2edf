import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Contender } from './contenders.ts'
import { reasonIn } from './reason.ts'

/** Where a contender is, or why it is not there. */
export type Installed =
  | { readonly command: string; readonly packages: string }
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
  if (wanted.from === 'nothing') return { command: process.execPath, packages: '' }
  // Native parts are built for one Node.
  const runtime = wanted.from === 'npm' ? `-node${process.versions.modules}` : ''
  const packages = join(cache, `${wanted.spec.replace(/[^\w.]+/g, '-').replace(/^-|\W+$/g, '')}${runtime}`)
  const command = wanted.from === 'npm' ? process.execPath : join(packages, 'bin/python')
  const done = join(packages, '.installed')
  if (existsSync(done)) return { command, packages }
  try {
    rmSync(packages, { recursive: true, force: true })
    mkdirSync(packages, { recursive: true })
    await (wanted.from === 'npm' ? installNpm(packages, wanted) : installPypi(packages, wanted.spec))
    writeFileSync(done, '')
    return { command, packages }
  } catch (error) {
    const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string }
    return { reason: `could not be installed: ${reasonIn(`${stderr}\n${message}`)}` }
  }
}

type NpmPackage = Extract<Contender['install'], { from: 'npm' }>

async function installNpm(folder: string, { spec, overrides = {} }: NpmPackage): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
  // npm must run on this Node and find its headers, so that native parts are built for it.
  const headers = headersOf(process.execPath)
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    ...(headers === undefined ? {} : { npm_config_nodedir: headers }),
  }
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', spec], {
    cwd: folder,
    env,
    timeout: TIMEOUT_MS,
  })
}

/** The folder with the `include` of a Node: beside its `bin`, or inside the npm package named node. */
function headersOf(node: string): string | undefined {
  const root = join(dirname(node), '..')
  const places = [root, join(root, `node_modules/node-${process.platform}-${process.arch}`)]
  return places.find((place) => existsSync(join(place, 'include/node/node_version.h')))
}

async function installPypi(folder: string, spec: string): Promise<void> {
  await run('python3', ['-m', 'venv', folder], { timeout: TIMEOUT_MS })
  await run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', spec], { timeout: TIMEOUT_MS })
}
