import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import { expand } from '../../../adapters/project/project.ts'
import { resolveProject } from '../../../adapters/project/resolve.ts'
import { settingsInForce } from '../../../adapters/project/settings/settings-in-force.ts'
import { ensureGitignore } from '../../../adapters/project/trust/own-folder.ts'
import { configHash, PROJECT_DATABASE, standingOf, unfit } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore, type TrustedProject } from '../../../adapters/project/trust/trust-store.ts'
import { ElfmemError } from '../../../errors.ts'
import { harmless } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText, printWarnings } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'

/** Says that a project's memory and config may be used, takes it back, or lists of which it was said. */
export async function runTrust(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const [path] = flags.positionals
  const tell = (data: object, text: string, warnings: readonly string[] = []) => {
    if (!global.quiet) printWarnings(warnings, io)
    const said = global.json ? jsonText(data) : setOnPage(harmless(text), pageFor(io.stdout, io))
    io.stdout.write(`${said}\n`)
  }
  if (values.list === true) return list(io, tell)
  const elfmem = folderOf(path, io)
  return values.remove === true ? remove(elfmem, io, tell) : await trust(elfmem, io, tell)
}

type Tell = (data: object, text: string, warnings?: readonly string[]) => void

function worldOf({ home }: CliIo) {
  const uid = process.getuid?.()
  return { uid, trustStore: openTrustStore(home, uid), files: systemFiles }
}

function list(io: CliIo, tell: Tell): number {
  const { trustStore, ...world } = worldOf(io)
  const projects = trustStore.list().map((project) => ({ ...project, state: stateOf(project, world) }))
  const lines = projects.map(
    ({ path, state, trustedAt }) => `${path}  ${state}, since ${trustedAt.slice(0, 10)}`,
  )
  tell({ projects }, lines.join('\n') || 'No project is trusted; elfmem trust trusts the one you are in.')
  return EXIT_OK
}

function stateOf(
  { path, config }: TrustedProject,
  { uid, files }: Omit<ReturnType<typeof worldOf>, 'trustStore'>,
) {
  if (files.facts(path, 'follow') === undefined) return 'gone'
  return configHash(path, { uid, files }) === config ? 'there' : 'another config'
}

function remove(elfmem: string, io: CliIo, tell: Tell): number {
  const { trustStore, files } = worldOf(io)
  const path = join(files.realPath(dirname(elfmem)), basename(elfmem))
  const removed = trustStore.remove(path) || trustStore.remove(elfmem)
  tell({ path, removed }, removed ? `${path} is no longer trusted.` : `${path} was not trusted.`)
  return removed ? EXIT_OK : EXIT_REFUSED
}

async function trust(elfmem: string, io: CliIo, tell: Tell): Promise<number> {
  const { trustStore, ...world } = worldOf(io)
  const standing = standingOf(elfmem, { ...world, trustStore })
  if (standing.state === 'unfit') throw unfit(elfmem, standing)
  const { path } = standing
  const database = join(elfmem, PROJECT_DATABASE)
  const { readMemoryId } = await import('../../../engine/open-engine.ts')
  const memory = existsSync(database) ? await readMemoryId(database) : undefined
  const known = standing.state === 'trusted' && standing.entry.memory === memory
  const config = configHash(elfmem, world)
  const project = {
    path,
    ...(config === undefined ? {} : { config }),
    ...(memory === undefined ? {} : { memory }),
    trustedAt: new Date().toISOString(),
  }
  ensureGitignore(elfmem)
  if (!known) trustStore.save(project)
  const { sets, warnings } = await configFacts(elfmem, io)
  const said = known ? 'was trusted already' : 'is trusted from now on'
  tell(
    { ...project, database, already: known, sets, warnings },
    [
      `${path} ${said}; its memory is ${database}.`,
      ...(sets.length > 0 ? [`Its config sets ${sets.join(', ')}.`] : []),
    ].join(' '),
    warnings,
  )
  return EXIT_OK
}

/** Returns the settings that the project's config sets, each with its value, and warnings of what it may not set. */
async function configFacts(elfmem: string, { home }: CliIo) {
  const { settings, sourceOf, warnings } = await resolveProject({ cwd: dirname(elfmem), env: {}, home })
  const path = join(elfmem, 'config.yaml')
  const sets = settingsInForce(settings, sourceOf)
    .filter(({ source }) => source === path)
    .map(({ name, value }) => `${name}: ${JSON.stringify(value)}`)
  return { sets, warnings }
}

/** The `.elfmem` that a path means: itself, that in it, or without one that of the project around. */
function folderOf(given: string | undefined, { cwd, home }: CliIo): string {
  const uid = process.getuid?.()
  const found = given === undefined ? discoverRoot({ cwd, home, files: systemFiles, uid }) : undefined
  const root = given === undefined ? found?.hasMemory && found.root : resolve(cwd, expand(given, home))
  const elfmem = root && (basename(root) === '.elfmem' ? root : join(root, '.elfmem'))
  const foreign = found?.foreign[0]
  if (!elfmem || (given === undefined && foreign !== undefined))
    throw new ElfmemError(
      'NOT_FOUND',
      foreign ? `${foreign} belongs to another user.` : 'There is no .elfmem upwards of here.',
      { recovery: 'Name the directory of a project that has one, or make one with `elfmem init`.' },
    )
  if (dirname(elfmem) === home)
    throw new ElfmemError('INVALID_INPUT', `${elfmem} is your own folder, which needs no trust.`, {
      recovery: 'Name the directory of a project.',
    })
  return elfmem
}
