import * as z from 'zod'
import type { TokenUsage } from '../../domain/advice/usage.ts'
import { count, defined } from '../../domain/text/text.ts'
import { addUsage, llmTokens, NO_USAGE } from '../../flow/engine/usage.ts'
import { instantOf } from '../../flow/guard/check-input.ts'
import { requireIds } from '../../flow/guard/resolve-ids.ts'
import { told, undoneBy } from '../../flow/undo/undone.ts'
import { alias } from '../aliases.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { loggedName, sentences, someIds } from '../wording.ts'
import { dreamRecord } from './activity.ts'

/** More ids than this say nothing in a list. */
const IDS_LISTED = 20

const limit = z.int().min(1).max(1_000)

/** Returns entries of the log, oldest first; the numbers of the entries are those that `undo` takes. */
export const history = defineScopedOperation({
  name: 'history',
  summary: 'Show what was done to the memory, and by whom.',
  guide: {
    when: 'You want to know what changed, what a block was before an edit, or what models used for it.',
    whenNot: 'What is remembered: recall() or ls().',
    next: 'undo() with the number of an operation, to take it back.',
    example: 'const { operations } = await memory.history({ limit: 20 })',
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input: z.object({
    limit: limit.default(10).describe('The last so many operations'),
    lastN: alias('limit', limit),
    blockId: schemas.blockId.optional().describe('Only what touched this block'),
    actor: z
      .string()
      .trim()
      .min(1)
      .max(128)
      .optional()
      .describe('Only what this one asked for, for example cli'),
    since: schemas.at.optional().describe('Not before this date or date-time'),
    until: schemas.at.optional().describe('Before this date or date-time'),
    cursor: z.int().min(1).optional().describe('The cursor of the answer before, for what is older'),
    operation: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .optional()
      .describe('Only this operation, for example outcome'),
  }),
  output: z.object({
    operations: z
      .array(
        z.object({
          id: z.int(),
          operation: z.string(),
          at: z.string(),
          hours: z.number(),
          actor: schemas.actor,
          session: z.string().optional(),
          blockIds: z.array(z.string()).readonly().describe('At most 20 of them'),
          blockCount: z.int(),
          summary: z.string(),
          reason: z.string().optional(),
          scope: z.string().optional().describe('The scope of all it was about, if it was one'),
          tokens: schemas.tokenUsage.optional().describe('The usage of models for it'),
          run: z.string().optional().describe('The dream or curation it was part of'),
          dream: dreamRecord.optional().describe('Of the entry of a dream: what it came to'),
          undoable: z
            .boolean()
            .describe('True if undo may take it back: its undo data is kept, and it is not undone'),
          erased: z
            .literal(true)
            .optional()
            .describe('Words of it were erased, and undo cannot take it back'),
          undoneBy: z.int().optional().describe('The undo that took it back'),
          before: z.unknown().optional().describe('The state before; only if one block is asked for'),
        }),
      )
      .readonly()
      .describe('Oldest first'),
    cursor: z.int().optional().describe('Pass it for what is older; absent when this was all'),
    summary: schemas.summary,
  }),
  positionals: ['limit'],
  page: 'limit',
  run: (engine, input) =>
    engine.store.read(async (tx) => {
      const { limit: most, actor, operation, since, until } = input
      const [blockId] = input.blockId === undefined ? [] : await requireIds(tx, [input.blockId])
      const given = {
        blockId,
        operation: operation && loggedName(operation),
        actor,
        since: since && instantOf(since),
        until: until && instantOf(until),
        before: input.cursor,
      }
      const newestFirst = await tx.operations({ ...defined(given), limit: most })
      const undone = await undoneBy(tx)
      const cursor = newestFirst.length < most ? undefined : newestFirst.at(-1)?.id
      const operations = newestFirst.reverse().map((entry) => {
        const { before, blockIds, kept: _kept, result: dream, ...record } = told(entry, undone)
        return {
          ...record,
          blockIds: blockIds.slice(0, IDS_LISTED),
          blockCount: blockIds.length,
          ...defined({ dream }),
          ...(blockId === undefined ? {} : defined({ before })),
        }
      })
      return { operations, ...defined({ cursor }), summary: summaryOf(operations) }
    }),
  render: ({ operations, summary }) =>
    [
      ...operations.map(
        ({ id, at, actor, operation, blockIds, tokens, undoneBy, erased, summary: what }) =>
          `${id}  ${at.slice(0, 19)}Z  ${actor}  ${operation}: ${what}${blockIds.length > 0 ? ` (${someIds(blockIds)})` : ''}${tokens ? `  [${usageInWords(tokens)}]` : ''}${undoneBy === undefined ? '' : `  [undone by ${undoneBy}]`}${erased ? '  [erased]' : ''}`,
      ),
      summary,
    ].join('\n'),
})

interface Told {
  readonly operation: string
  readonly at: string
  readonly tokens?: TokenUsage | undefined
}

function summaryOf(operations: readonly Told[]): string {
  const last = operations.at(-1)
  if (last === undefined) return 'No operation is logged that fits.'
  const used = operations.reduce((sum, { tokens }) => addUsage(sum, tokens ?? NO_USAGE), NO_USAGE)
  return sentences(
    `${count(operations.length, 'operation')}; the last was ${last.operation} at ${last.at}.`,
    used.llmCalls > 0 && `Models used ${llmTokens(used)} tokens for them (${usageInWords(used)}).`,
  )
}

function usageInWords({ llmCalls, llmInputTokens, llmOutputTokens }: TokenUsage): string {
  return `${count(llmCalls, 'call')}, ${llmInputTokens} in, ${llmOutputTokens} out`
}
