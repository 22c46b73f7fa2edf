import * as z from 'zod'
import { count } from '../../block/text.ts'
import { atNow, filesOf, plainName } from '../../care/files-of.ts'
import { refreshTerms } from '../../engine/embedding.ts'
import { type CallContext, type Engine, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { BackupFile, StoreFiles } from '../../store/database.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** Returns in `safety` the backup of what it replaced; throws `STORE_CORRUPT` if a damaged memory allows none. */
export const restoreBackup = defineOperation({
  name: 'restoreBackup',
  summary: 'Put the contents of a backup in the place of the memory; what is there is backed up first.',
  guide: {
    when: 'The memory is damaged, or much of it went wrong since the backup.',
    whenNot: 'To bring back one block use restore(). To add what another memory knows use import().',
    next: 'doctor(). restoreBackup() with the name in safety takes it back.',
    example: "await memory.restoreBackup({ name: '2026-03-01T12-00-00-000Z-001.db' })",
  },
  tools: 'all',
  dashboard: 'never',
  needs: 'owner',
  effect: 'destroy',
  isLasting: true,
  makesMemory: true,
  cost: 'batch',
  idempotent: false,
  refuses: ['NOT_FOUND', 'OUT_OF_SCOPE'],
  input: z.object({
    name: schemas.fileName.optional().describe('One of the backups beside the memory, as backup named it'),
    path: schemas.path.optional().describe('A backup anywhere else'),
  }),
  output: z.object({
    name: z.string(),
    blocks: z.int(),
    edges: z.int(),
    operations: z.int().describe('Entries of the log'),
    safety: z.string().describe('The name of the backup of what was there before'),
    summary: schemas.summary,
  }),
  positionals: ['name'],
  local: { path: 'path' },
  run: async (engine, { name, path }, context) => {
    const files = filesOf(engine)
    if ((name === undefined) === (path === undefined))
      throw new ElfmemError('INVALID_INPUT', 'Say which backup: by its name or by its path.', {
        recovery: `The memory's own backups: ${(await files.backups()).slice(0, 3).join(', ') || 'none yet'}.`,
      })
    const wanted = path === undefined ? { name: plainName(name ?? '') } : { path }
    const { from, safety, isLogged } = await restoreCopy(engine, context, wanted)
    const { blocks, edges, operations } = from
    const text = sentences(
      `The memory is what ${from.name} holds: ${count(blocks, 'block')}, ${count(edges, 'edge')}.`,
      `What it was before is ${safety}.`,
      `restoreBackup({ name: '${safety}' }) takes this back.`,
      !isLogged && 'No entry of this could be written to its log.',
    )
    return {
      ...{ name: from.name, blocks, edges, operations, safety },
      summary: text,
    }
  },
})

/**
 * Puts a backup in the place of the memory and keeps what is there as another one. Everybody who has the memory open goes
 * on with the contents of the backup. `isLogged` is false if the log could not be written.
 */
async function restoreCopy(
  engine: Engine,
  context: CallContext,
  wanted: { readonly name: string } | { readonly path: string },
) {
  const files = filesOf(engine)
  const { from, before } = await files.restore(wanted, () => keepSafe(engine, files))
  // The session and the model were those of what is gone.
  engine.session.backTo(undefined)
  engine.vectorModel.current = undefined
  const logged = await ifDone(() =>
    mutate(
      engine,
      context,
      ({ log }) =>
        log({
          operation: 'restore_backup',
          blockIds: [],
          summary: `restored ${from.name}; before it: ${before.name}`,
          // `undo` names it.
          before: { safety: before.name },
        }),
      { undoable: false },
    ),
  )
  // If it fails, the next one who opens the memory does it.
  await ifDone(() => refreshTerms(engine))
  return { from, safety: before.name, isLogged: logged !== undefined }
}

/** The memory is replaced: a failure of the store is no failure of the call any more. */
async function ifDone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return undefined
  }
}

/** A damaged memory cannot be copied and is not written over either: somebody may yet read what is left of it. */
async function keepSafe(engine: Engine, files: StoreFiles): Promise<BackupFile> {
  try {
    return await files.backup({ at: atNow(engine), of: 'owner' })
  } catch (cause) {
    if (!ElfmemError.is(cause) || cause.code !== 'STORE_CORRUPT') throw cause
    throw new ElfmemError('STORE_CORRUPT', 'The memory is damaged, so it cannot be backed up first.', {
      recovery:
        'Close it, move its file away, open it with --new, or { anew: true }, and call restoreBackup() again.',
      details: cause.details,
      cause,
    })
  }
}
