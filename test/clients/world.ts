import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CliResult, type CliWorld, elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** A home directory and a project in which the given files lie. */
export interface World {
  readonly home: string
  readonly project: string
  run(argv: readonly string[], world?: Partial<CliWorld>): Promise<CliResult>
  /** Runs `init --yes --client`. */
  init(...argv: readonly string[]): Promise<CliResult>
  /** Runs `uninstall --yes --client`. */
  uninstall(...argv: readonly string[]): Promise<CliResult>
  /** Returns the text of a file by a path such as `project/.mcp.json`. */
  read(path: string): string
  write(path: string, text: string): void
  /** Returns the texts of all files but those of elfmem itself. */
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
    all: () => textsIn(top),
  }
}

function textsIn(top: string): Readonly<Record<string, string>> {
  const paths = (readdirSync(top, { recursive: true }) as string[]).filter(
    (path) => !path.startsWith('home/.elfmem') && statSync(join(top, path)).isFile(),
  )
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(top, path), 'utf8')]))
}
