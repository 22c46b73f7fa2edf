import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemFiles } from '../../../adapters/project/files.ts'
import { standingOf } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore } from '../../../adapters/project/trust/trust-store.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import type { CliIo, GlobalOptions } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { pageFor, setOnPage } from '../screen/style.ts'

/** The user's own memory, which every directory without a project uses, if a project could begin with a copy of it. */
export function ownMemory(database: string, { home }: CliIo): string | undefined {
  const own = join(home, '.elfmem', 'agent.db')
  const isThere = (path: string) => (attempt(() => statSync(path).size) ?? 0) > 0
  return own !== database && isThere(own) && !isThere(database) ? own : undefined
}

/**
 * True if the project's memory is to begin as a copy of the user's own: by the flag, or by a yes at a terminal.
 *
 * @throws `INVALID_INPUT` for the flag where there is nothing to copy, or nowhere to copy it to
 */
export async function wantsTakeOver(
  own: string | undefined,
  { global, isGiven }: { readonly global: GlobalOptions; readonly isGiven: boolean },
  io: CliIo,
): Promise<boolean> {
  if (isGiven && own === undefined)
    throw new ElfmemError(
      'INVALID_INPUT',
      'There is no memory of your own to take over, or one here already.',
      { recovery: 'Leave out --take-over.' },
    )
  if (isGiven || own === undefined || io.ask === undefined || global.json || global.quiet) return isGiven
  const question = `You have a memory of your own, ${own}. Begin this one as a copy of it? (yes/no)`
  const said = await io.ask(setOnPage(question, pageFor(io.stderr, io)))
  return said.trim().toLowerCase() === 'yes'
}

/** Copies the user's own memory, if there is one, into a trusted project, and trusts the copy. True if it did. */
export async function takeOver(
  own: string | undefined,
  database: string,
  { global, io }: { readonly global: GlobalOptions; readonly io: CliIo },
): Promise<boolean> {
  if (own === undefined) return false
  const project = await resolveCliProject({ ...global, db: own, config: undefined }, io)
  const { openLifetime } = await import('../../../engine/open-memory.ts')
  const { backup } = await import('../../../operations/maintenance/backup.ts')
  const memory = await openLifetime({ ...project, surface: 'cli' }, { sessionMode: 'resume', as: 'owner' })
  try {
    await memory.call(backup, { path: database })
  } finally {
    await memory.close()
  }
  const { readMemoryId } = await import('../../../engine/open-engine.ts')
  const uid = process.getuid?.()
  const trustStore = openTrustStore(io.home, uid)
  const standing = standingOf(dirname(database), { files: systemFiles, uid, trustStore })
  const memoryId = await readMemoryId(database)
  if (standing.state === 'trusted' && memoryId !== undefined)
    trustStore.save({ ...standing.entry, memory: memoryId })
  return true
}

/** Returns the sentences about the user's own memory beside a new one. */
export function noteOnOwn(own: string | undefined, isCopied: boolean): readonly string[] {
  if (own === undefined) return []
  return isCopied
    ? [`This memory is a copy of your own, ${own}, which stays.`]
    : [`You have another memory, ${own}. \`elfmem init --take-over\` begins this one as a copy of it.`]
}
