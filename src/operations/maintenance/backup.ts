import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { backup as run } from '../../flow/maintenance/backup.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

export const backup = defineOperation({
  name: 'backup',
  summary: 'Copy the memory into a file of its own, while it is in use, and check the copy.',
  guide: {
    when: 'Before something you may regret, and once a day from a timer.',
    whenNot: 'To move a memory to another version or to read it elsewhere: export writes JSON Lines.',
    next: 'restoreBackup with the name brings it back.',
    example: 'const { name } = await memory.backup()',
  },
  needs: 'agent',
  effect: 'write',
  cost: 'batch',
  idempotent: false,
  input: z.object({
    path: schemas.path
      .optional()
      .describe(
        "A new file; without it the folder of backups beside the memory, where the newest stay, an agent's beside the others",
      ),
  }),
  output: z.object({
    path: z.string(),
    name: z.string().describe('What restoreBackup takes'),
    bytes: z.int(),
    blocks: z.int(),
    edges: z.int(),
    operations: z.int().describe('Entries of the log'),
    removed: z.array(z.string()).readonly().describe('Older backups that made room'),
    seconds: z.number(),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'path' },
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const { path, blocks, edges, removed } = result
    const text = sentences(
      `${count(blocks, 'block')} and ${count(edges, 'edge')} are in ${path}, checked.`,
      removed.length > 0 && `${count(removed.length, 'older backup')} made room.`,
    )
    return { ...result, summary: text }
  },
  render: ({ summary }) => summary,
})
