import * as z from 'zod'
import { count } from '../../domain/text/count.ts'
import { redactedSentence } from '../../flow/guard/guard-input.ts'
import { type ImportResult, importMemory } from '../../flow/maintenance/import-memory.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** `memory.import`, whose name is a word of the language. */
export const importOperation = defineOperation({
  name: 'import',
  summary: "Take an export in: whole into an empty memory, else what is new; a stranger's as words.",
  guide: {
    when: 'To move a memory, or to add what another memory knows.',
    whenNot: 'To undo something: restoreBackup. For a document: learnDocument.',
    next: 'dream when blocks wait in the inbox; status says how much there is.',
    example: "await memory.import({ name: 'memory.jsonl' })",
  },
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'batch',
  idempotent: true,
  input: z.object({
    path: schemas.path
      .optional()
      .describe('A file that export wrote; on the command line - is standard input'),
    name: schemas.fileName.optional().describe('A file in the folder of exports beside the memory'),
    trusted: z
      .boolean()
      .default(false)
      .describe('It is your own: take it as it is, not only its words, and with what says who the agent is'),
  }),
  output: z.object({
    whole: z.boolean().describe('The memory was empty and is now what was exported'),
    blocksAdded: z.int(),
    blocksKnown: z.int().describe('Blocks whose ids were there; they stay as they are'),
    asInbox: z
      .boolean()
      .describe('The new blocks wait for a dream: as words alone, or for vectors of this model'),
    taken: z.record(z.string(), z.int()).describe('Records taken in, by table'),
    left: z.record(z.string(), z.int()).describe('Records left out, by table'),
    visible: schemas.visible,
    tagsDropped: z.int().describe('Tags that only a trusted import brings'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'input' },
  ownerOnly: { trusted: [true] },
  run: async (engine, input, context) => {
    const result = await importMemory(engine, context, input)
    const { whole, taken, left, known, asInbox, tagsDropped, redacted } = result
    return {
      whole,
      blocksAdded: taken.blocks ?? 0,
      blocksKnown: known,
      asInbox,
      taken,
      left,
      visible: true as const,
      tagsDropped,
      ...(redacted.length > 0 ? { redacted } : {}),
      summary: sentences(summaryOf(result, input), redactedSentence(redacted)),
    }
  },
  render: ({ summary }) => summary,
})

function summaryOf(
  { whole, taken, known, asInbox, tagsDropped }: ImportResult,
  { trusted }: { readonly trusted: boolean },
): string {
  const added = count(taken.blocks ?? 0, 'block')
  if (whole) return `The memory is what was exported: ${added}.`
  const counts = `${added} added, ${known} known already.`
  if (taken.blocks === undefined) return counts
  return sentences(
    counts,
    asInbox && 'They wait in the inbox: call dream.',
    tagsDropped > 0 && `${count(tagsDropped, 'tag')} left out that only a trusted import brings.`,
    trusted
      ? 'The log and the settings of the other memory were left out.'
      : 'Only words were taken; a trusted import into an empty memory takes your own export whole.',
  )
}
