import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { exportMemory } from '../../flow/maintenance/export-memory.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** `memory.export`, whose name is a word of the language. */
export const exportOperation = defineOperation({
  name: 'export',
  summary: 'Write everything the memory holds as JSON Lines.',
  guide: {
    when: 'To read, search or move a memory with other tools, or to look at two of them side by side.',
    whenNot: 'To be safe from accidents: backup is quicker and checked.',
    next: 'import takes it in; into an empty memory it becomes the same memory.',
    example: "await memory.export({ name: 'memory.jsonl' })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'batch',
  idempotent: false,
  input: z.object({
    path: schemas.path.optional().describe('A new file; on the command line - is standard output'),
    name: schemas.fileName
      .optional()
      .describe('A new file in the folder of exports beside the memory; the time when left out'),
  }),
  output: z.object({
    path: z.string().optional().describe('Where it is; absent when it went to standard output'),
    bytes: z.int(),
    blocks: z.int(),
    records: z.int().describe('Lines after the first'),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'output' },
  run: async (engine, input, context) => {
    const result = await exportMemory(engine, context, input)
    const { blocks, records, path } = result
    const text = sentences(
      `${count(blocks, 'block')} and ${count(records - blocks, 'record')} about them`,
      path === undefined ? 'written.' : `are in ${path}.`,
    )
    return { ...result, summary: text }
  },
  render: ({ summary }) => summary,
})
