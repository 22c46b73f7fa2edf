import { resolve } from 'node:path'
import { isPostgresUrl, pathIn, serverPlace, shownUrl } from '../../../engine/address.ts'
import { ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'

/** Copies a whole memory to another place; `--memory` is about the database, on whichever side it is. */
export async function runMove({ global, values: { to } }: ParsedFlags, io: CliIo): Promise<number> {
  if (typeof to !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'elfmem move needs a place to move to.', {
      recovery: 'Run elfmem move --to postgres://host/database --memory name.',
    })
  const isToServer = isPostgresUrl(to)
  const target = isToServer ? serverPlace(to, global.memory) : { path: resolve(io.cwd, pathIn(to)) }
  const { database } = await resolveCliProject(isToServer ? { ...global, memory: undefined } : global, io)
  const { moveMemory } = await import('../../../engine/move.ts')
  const { rows, ...moved } = await moveMemory(database, target)
  const total = Object.values(rows).reduce((sum, each) => sum + each, 0)
  const said = `Moved ${moved.from} to ${moved.to}: all ${total} rows are the same there. The source stays as it is.`
  io.stdout.write(global.json ? `${jsonText({ ...moved, rows })}\n` : `${harmlessLine(said)}\n`)
  return EXIT_OK
}

/** Makes the tables of a database, or prints how. */
export async function runMigrate({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { migratePostgres, scriptOf } = await import('../../../engine/open-postgres.ts')
  const grantTo = typeof values.grant === 'string' ? values.grant : undefined
  if (values.print === true) {
    io.stdout.write(await scriptOf(grantTo))
    return EXIT_OK
  }
  const url = values.store ?? (await resolveCliProject(global, io)).database.server?.url
  if (typeof url !== 'string' || !isPostgresUrl(url))
    throw new ElfmemError('INVALID_INPUT', 'elfmem migrate needs the address of a PostgreSQL database.', {
      recovery: 'Run elfmem migrate --store postgres://owner@host/database.',
    })
  const { from, to } = await migratePostgres(url, grantTo)
  const said = from === to ? `has version ${to} already` : `has version ${to} now`
  const location = shownUrl(url)
  io.stdout.write(
    global.json ? `${jsonText({ location, from, to })}\n` : `${location}: the schema ${said}.\n`,
  )
  return EXIT_OK
}
