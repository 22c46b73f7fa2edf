import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { undo as run, type UndoResult } from '../../history/undo.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, someIds, wordsStay } from '../wording.ts'

/** The most items of a list in the answer. */
const LISTED = 100
/** The number of operations that a text lists. */
const SHOWN = 10

/** Takes back an operation with all that was written in its transactions; an undo can itself be undone. */
export const undo = defineScopedOperation({
  name: 'undo',
  summary: 'Take back an operation, or the last one.',
  guide: {
    when: 'Something was done by mistake, up to a whole dream or curation.',
    whenNot:
      "For one block that faded or was replaced long ago use restore(). What others did is the owner's to take back.",
    next: 'Nothing. undo() the undo by its own number to have everything back.',
    example: 'await memory.undo({ dryRun: true })',
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'CONFLICT', 'WRONG_STATUS', 'OWNER_ONLY'],
  input: z.object({
    operationId: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Its number; when left out, the last that you (for the owner: anybody) did and that can be undone',
      ),
    reason: schemas.reason.optional().describe('Why, for the log'),
    dryRun: z.boolean().default(false).describe('Only say what would be taken back'),
  }),
  output: z.object({
    undone: z
      .array(z.object({ id: z.int(), operation: z.string(), at: z.string(), summary: z.string() }))
      .readonly()
      .describe('Newest first, at most 100; all that was done in the same transactions'),
    undoneCount: z.int(),
    blockIds: z
      .array(z.string())
      .readonly()
      .describe('Blocks that are as before, or whose edges are; at most 100'),
    blockCount: z.int(),
    summary: schemas.summary,
  }),
  positionals: ['operationId'],
  run: async (engine, input, context) => {
    const { undone, blockIds, operationId } = await run(engine, context, input)
    return {
      undone: undone
        .slice(0, LISTED)
        .map(({ id, operation, at, summary }) => ({ id, operation, at, summary })),
      undoneCount: undone.length,
      blockIds: blockIds.slice(0, LISTED),
      blockCount: blockIds.length,
      ...defined({ operationId }),
      summary: summaryOf({ undone, blockIds, ...defined({ operationId }) }),
    }
  },
  render: ({ undone, undoneCount, summary }) =>
    [
      ...undone
        .slice(0, SHOWN)
        .map(({ id, at, operation, summary: what }) => `${id}  ${at.slice(0, 19)}Z  ${operation}: ${what}`),
      ...(undoneCount > SHOWN ? [`… and ${undoneCount - SHOWN} older ones`] : []),
      summary,
    ].join('\n'),
})

function summaryOf({ undone, blockIds, operationId }: UndoResult): string {
  const verb = undone.length === 1 ? 'is' : 'are'
  const what = `${count(undone.length, 'operation')} ${operationId === undefined ? 'would be' : verb} undone`
  return sentences(
    `${what}; ${count(blockIds.length, 'block')} concerned${blockIds.length > 0 ? ` (${someIds(blockIds)})` : ''}.`,
    operationId !== undefined && `undo({ operationId: ${operationId} }) takes this back.`,
    operationId !== undefined && wordsStay('elfmem erase'),
  )
}
