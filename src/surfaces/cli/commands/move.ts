import { resolve } from 'node:path'
import { isPostgresUrl } from '../../../engine/address.ts'
import { ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'

/** Copies a whole memory to another place. */
export async function runMove({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  if (global.as !== undefined && global.as !== 'owner')
    throw new ElfmemError('OWNER_ONLY', 'Only the owner moves a memory.', {
      recovery: 'Run it without --as.',
      details: { needs: 'owner', is: global.as },
    })
  const { to, from } = values
  if (typeof to !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'elfmem move needs a place to move to.', {
      recovery: 'Run elfmem move --to postgres://host/database --memory name.',
    })
  const { moveMemory } = await import('../../../engine/move.ts')
  const source =
    typeof from === 'string'
      ? placeFrom(from, global.memory, io)
      : (await resolveCliProject({ ...global, ...(isPostgresUrl(to) && { memory: undefined }) }, io)).database
  const { rows, ...moved } = await moveMemory(source, placeFrom(to, global.memory, io))
  const total = Object.values(rows).reduce((sum, each) => sum + each, 0)
  const said = `Moved ${moved.from} to ${moved.to}: all ${total} rows are the same there. The source stays as it is.`
  io.stdout.write(global.json ? `${jsonText({ ...moved, rows })}\n` : `${harmlessLine(said)}\n`)
  return EXIT_OK
}

/** Returns a place that a flag names; `--memory` is about the database, on whichever side it is. */
function placeFrom(given: string, memory: string | undefined, { cwd }: CliIo) {
  return isPostgresUrl(given) ? { url: given, memory } : { path: resolve(cwd, given) }
}

/** Makes the tables of a database, or prints how. */
export async function runMigrate({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const grantTo = typeof values.grant === 'string' ? values.grant : undefined
  if (values.print === true) {
    const { scriptOf } = await import('../../../engine/open-postgres.ts')
    io.stdout.write(await scriptOf(grantTo))
    return EXIT_OK
  }
  const url =
    typeof values.store === 'string'
      ? values.store
      : (await resolveCliProject(global, io)).database.server?.url
  if (url === undefined || !isPostgresUrl(url))
    throw new ElfmemError('INVALID_INPUT', 'elfmem migrate needs the address of a PostgreSQL database.', {
      recovery: 'Run elfmem migrate --store postgres://owner@host/database.',
    })
  const { migratePostgres } = await import('../../../engine/open-postgres.ts')
  const { from, to, location } = await migratePostgres(url, grantTo)
  const said =
    from === to ? `has version ${to} already` : `has version ${to} now; it was ${from === 0 ? 'none' : from}`
  io.stdout.write(
    global.json ? `${jsonText({ location, from, to })}\n` : `${location}: the schema ${said}.\n`,
  )
  return EXIT_OK
}
