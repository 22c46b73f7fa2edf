import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { restoreBackup as run } from '../../flow/maintenance/restore-backup.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

export const restoreBackup = defineOperation({
  name: 'restoreBackup',
  summary: 'Put the contents of a backup in the place of the memory; what is there is backed up first.',
  guide: {
    when: 'The memory is damaged, or much of it went wrong since the backup.',
    whenNot: 'To bring back one block: restore. To add what another memory knows: import.',
    next: 'doctor; restoreBackup with the name in safety undoes it.',
    example: "await memory.restoreBackup({ name: '2026-03-01T12-00-00-000Z-001.db' })",
  },
  needs: 'owner',
  effect: 'destroy',
  cost: 'batch',
  idempotent: false,
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
  run: async (engine, input, context) => {
    const { from, safety } = await run(engine, context, input)
    const { name, blocks, edges, operations } = from
    const text = sentences(
      `The memory is what ${name} holds: ${count(blocks, 'block')}, ${count(edges, 'edge')}.`,
      `What it was before is ${safety.name}.`,
    )
    return { name, blocks, edges, operations, safety: safety.name, summary: text }
  },
  render: ({ summary }) => summary,
})
