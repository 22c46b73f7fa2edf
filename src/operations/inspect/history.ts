import * as z from 'zod'
import { count, defined, preview } from '../../block/text.ts'
import { llmTokens } from '../../engine/engine.ts'
import { toldOperations, unknownOperation } from '../../history/undo.ts'
import { instantOf, requireIds } from '../../intake/check-input.ts'
import { blocksById } from '../../store/blocks.ts'
import type { OperationRecord } from '../../store/database.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { alias } from '../schemas.ts'
import { loggedName, someIds } from '../wording.ts'
import { dreamRecord } from './activity.ts'

/** More ids than this say nothing in a list. */
const IDS_LISTED = 20

/** Signs of the words of the first block. */
const FIRST_LENGTH = 160

const limit = z.int().min(1).max(1_000)
const label = schemas.kept.trim().min(1).max(128)

const input = z.object({
  id: z.int().min(1).optional().describe('Only this one, by its number'),
  runs: z
    .boolean()
    .default(false)
    .describe('A dream, curation, import or batch as one, with the number of its entries'),
  run: label.optional().describe('Only what this run did'),
  limit: limit.default(10).describe('The last so many operations'),
  lastN: alias('limit', limit.optional()),
  blockId: schemas.blockId.optional().describe('Only what touched this block'),
  actor: label.optional().describe('Only what this one asked for, for example cli'),
  until: schemas.at.optional().describe('Before this date or date-time'),
  cursor: z.int().min(1).optional().describe('The cursor of the answer before, for what is older'),
  operation: label.optional().describe('Only this operation, for example outcome'),
})

const output = z.object({
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
        run: z.string().optional().describe('The dream, curation, import or batch it was part of'),
        entries: z.int().optional().describe('With runs: how many entries its run has'),
        first: z.string().optional().describe('The beginning of the words of its first block'),
        dream: dreamRecord.optional().describe('Of the entry of a dream: what it came to'),
        undoable: z.boolean().describe('True if undo may take it back'),
        erased: z.literal(true).optional().describe('Words of it were erased, and undo cannot take it back'),
        undoneBy: z.int().optional().describe('The undo that took it back'),
        before: z.unknown().optional().describe('The state before; only if one block is asked for'),
      }),
    )
    .readonly()
    .describe('Oldest first'),
  cursor: z.int().optional().describe('Pass it for what is older; absent when this was all'),
  summary: schemas.summary,
})

/** Returns entries of the log, oldest first; the numbers of the entries are those that `undo` takes. */
export const history = defineScopedOperation({
  name: 'history',
  summary: 'Show what was done to the memory, and by whom.',
  guide: {
    when: 'You want to know what changed, what a block was before an edit, or what models used for it.',
    whenNot: 'For what is remembered use recall() or ls().',
    next: 'undo() with the number of an operation, to take it back.',
    example: 'const { operations } = await memory.history({ limit: 20 })',
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID'],
  input,
  output,
  positionals: ['id'],
  page: 'limit',
  run: (engine, input) =>
    engine.store.read(async (tx) => {
      const [blockId] = input.blockId === undefined ? [] : await requireIds(tx, [input.blockId])
      const newestFirst = await entriesOf(tx, input, blockId)
      const firstIds = newestFirst.flatMap(({ blockIds: [first] }) => first ?? [])
      const blocks = await blocksById(tx, firstIds)
      const isPage = input.id === undefined && newestFirst.length === input.limit
      const oldestFirst = await toldOperations(tx, newestFirst.toReversed())
      const operations = oldestFirst.map(({ before, blockIds, kept: _kept, result: dream, ...record }) => {
        const words = blocks.get(blockIds[0] ?? '')?.content
        return {
          ...record,
          blockIds: blockIds.slice(0, IDS_LISTED),
          blockCount: blockIds.length,
          ...defined({
            dream,
            first: words === undefined ? undefined : preview(words, FIRST_LENGTH),
            before: blockId === undefined ? undefined : before,
          }),
        }
      })
      const last = operations.at(-1)
      return {
        operations,
        ...defined({ cursor: isPage ? newestFirst.at(-1)?.id : undefined }),
        summary:
          last === undefined
            ? 'No operation is logged that fits.'
            : `${count(operations.length, 'operation')}; the last was ${last.operation} at ${last.at}.`,
      }
    }),
  render: ({ operations, summary }) => [...operations.map(entryLine), summary].join('\n'),
})

/** Returns the entries that are asked for, newest first. */
async function entriesOf(
  tx: ReadTransaction,
  asked: z.output<typeof input>,
  blockId: string | undefined,
): Promise<OperationRecord[]> {
  const { id, limit: most, actor, operation, run, runs, until, cursor: before } = asked
  if (id !== undefined) {
    const [entry] = await tx.queries.operations({ before: id + 1, limit: 1 })
    if (entry?.id !== id) throw unknownOperation(id)
    return [entry]
  }
  const given = {
    ...{ blockId, actor, run, before },
    operation: operation && loggedName(operation),
    until: until && instantOf(until),
    runs: runs ? (true as const) : undefined,
  }
  return tx.queries.operations({ ...defined(given), limit: most })
}

/** The most characters of the words of an entry's first block in a line. */
const WORDS_SHOWN = 60

type Told = z.output<typeof output>['operations'][number]

/** Returns an entry as one line. */
function entryLine({ id, at, actor, operation, blockIds, first, entries = 1, ...entry }: Told): string {
  const words = first === undefined ? '' : `: "${preview(first, WORDS_SHOWN)}"`
  return [
    `${id}  ${at.slice(0, 19)}Z  ${actor}  ${operation}: ${entry.summary}${words}`,
    blockIds.length > 0 && ` (${someIds(blockIds)})`,
    entries > 1 && `  [${entries} entries]`,
    entry.tokens && `  [${llmTokens(entry.tokens)} tokens]`,
    entry.undoneBy && `  [undone by ${entry.undoneBy}]`,
    entry.erased && '  [erased]',
  ]
    .filter(Boolean)
    .join('')
}
