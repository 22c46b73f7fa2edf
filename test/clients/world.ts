import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type CliResult,
  type CliWorld,
  elfmem,
  NODE_OPTIONS,
  temporaryDirectory,
} from '../surfaces/helpers/cli.ts'

/** A user with a home and a project, in each of which lie the given files. */
export interface World {
  readonly home: string
  readonly project: string
  run(argv: readonly string[], world?: Partial<CliWorld>): Promise<CliResult>
  /** `init --client`, agreed to. */
  init(...argv: readonly string[]): Promise<CliResult>
  /** `uninstall --client`, agreed to. */
  uninstall(...argv: readonly string[]): Promise<CliResult>
  /** Bytes of a file by a path such as `project/.mcp.json`. */
  read(path: string): string
  write(path: string, text: string): void
  /** All files and folders but those of elfmem itself, with bytes and modes. */
  all(): Readonly<Record<string, string>>
}

export function world(files: Readonly<Record<string, string>> = {}): World {
  const top = temporaryDirectory()
  const [home, project] = [join(top, 'home'), join(top, 'project')]
  for (const folder of [home, join(project, '.git')]) mkdirSync(folder, { recursive: true })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    writeFileSync(join(top, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const run: World['run'] = (argv, more = {}) => elfmem(argv, { home, cwd: project, ...more })
  return {
    home,
    project,
    run,
    init: (...argv) => run(['init', '--yes', '--client', ...argv]),
    uninstall: (...argv) => run(['uninstall', '--yes', '--client', ...argv]),
    read: (path) => readFileSync(join(top, path), 'utf8'),
    write,
    all: () => allIn(top),
  }
}

function allIn(top: string): Readonly<Record<string, string>> {
  const paths = (readdirSync(top, { recursive: true }) as string[]).filter(
    (path) => !path.startsWith('home/.elfmem'),
  )
  return Object.fromEntries(
    paths.sort().map((path) => {
      const found = statSync(join(top, path))
      const mode = (found.mode & 0o777).toString(8)
      return [path, found.isFile() ? `${mode} ${readFileSync(join(top, path), 'latin1')}` : 'folder']
    }),
  )
}

const BIN = join(import.meta.dirname, '../../src/bin.ts')
const DIE_AT = pathToFileURL(join(import.meta.dirname, 'children/die-at.mjs')).href

/** Runs a command line as a process that dies before its n-th step, or not at all. */
export function asProcess(
  at: World,
  argv: readonly string[],
  dieAt?: number,
): Promise<{ code: number | null; killed: boolean }> {
  const hook = dieAt === undefined ? [] : [`--import=${DIE_AT}`]
  const env = { PATH: process.env.PATH ?? '', HOME: at.home, ...NODE_OPTIONS, DIE_AT: String(dieAt ?? '') }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...hook, '--no-warnings', BIN, ...argv],
      { cwd: at.project, env },
      () => resolve({ code: child.exitCode, killed: child.signalCode === 'SIGKILL' }),
    )
    child.stdin?.end()
  })
}
