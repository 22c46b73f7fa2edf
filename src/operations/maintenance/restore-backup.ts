import * as z from 'zod'
import { count } from '../../block/text.ts'
import { filesOf, plainName, restoreCopy } from '../../care/files-of.ts'
import { ElfmemError } from '../../errors.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** Returns in `safety` the backup of what it replaced; throws `STORE_CORRUPT` if a damaged memory allows none. */
export const restoreBackup = defineOperation({
  name: 'restoreBackup',
  summary: 'Put the contents of a backup in the place of the memory; what is there is backed up first.',
  guide: {
    when: 'The memory is damaged, or much of it went wrong since the backup.',
    whenNot: 'To bring back one block: restore(). To add what another memory knows: import().',
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
