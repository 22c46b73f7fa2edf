import * as z from 'zod'
import { count, defined, preview } from '../../block/text.ts'
import type { TokenUsage } from '../../engine/counts.ts'
import { addUsage, llmTokens, NO_USAGE } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { readEntryChanges } from '../../history/journal.ts'
import { toldOperations, unknownOperation } from '../../history/undo.ts'
import { instantOf, requireIds } from '../../intake/check-input.ts'
import { blocksById } from '../../store/blocks.ts'
import type { OperationRecord } from '../../store/database.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { alias } from '../schemas.ts'
import { loggedName, sentences, shortId, someIds } from '../wording.ts'
import { dreamRecord } from './activity.ts'

/** More ids than this say nothing in a list. */
const IDS_LISTED = 20

/** Signs of the words of the first block. */
const FIRST_LENGTH = 160

const limit = z.int().min(1).max(1_000)
const label = schemas.kept.trim().min(1).max(128)
const ends = z.array(z.string()).readonly().optional()

/** One value that an operation changed. */
const change = z.object({
  block: z.string().optional().describe('The block, by its id'),
  edge: ends.describe('The two blocks that the edge joins'),
  pair: ends.describe('The two blocks of a pair that was to be decided'),
  item: z
    .object({
      space: z.string().describe('What it belongs to'),
      namespace: z.array(z.string()).readonly().describe('Labels from the outermost to the innermost'),
      key: z.string().describe('Its name in the namespace'),
    })
    .optional()
    .describe('The named item'),
  words: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('The beginning of each block that is named, as it is now; empty if it is gone'),
  field: z.string().describe('The name of the value: words, tags, status, belief, joined by'),
  before: z.unknown().optional().describe('Absent if there was none'),
  after: z.unknown().optional().describe('Absent if there is none'),
})

const input = z.object({
  id: z.int().min(1).optional().describe('Only this one, by its number'),
  changes: z.boolean().default(false).describe('With id: what it changed, value by value'),
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
        first: z
          .string()
          .optional()
          .describe('The beginning of the words of its first block, as they are now; absent if it is gone'),
        dream: dreamRecord.optional().describe('Of the entry of a dream: what it came to'),
        undoable: z
          .boolean()
          .describe('True if undo may take it back: its undo data is kept, and it is not undone'),
        erased: z.literal(true).optional().describe('Words of it were erased, and undo cannot take it back'),
        undoneBy: z.int().optional().describe('The undo that took it back'),
        before: z.unknown().optional().describe('The state before; only if one block is asked for'),
        changes: z
          .array(change)
          .readonly()
          .optional()
          .describe('At most 200, without indexes, vectors and counts of use; absent if nothing is kept'),
        changesCut: z.literal(true).optional().describe('There are more changes'),
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
    when: 'You want to know what changed, what a block was before an edit, or what models used for it. With id and changes: what one operation changed.',
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
  input,
  output,
  positionals: ['id'],
  page: 'limit',
  run: (engine, input) => {
    if (input.changes && input.id === undefined)
      throw new ElfmemError('INVALID_INPUT', 'Changes are told of one operation.', {
        recovery: 'Pass its number as id; history() without changes lists the numbers.',
      })
    return engine.store.read(async (tx) => {
      const [blockId] = input.blockId === undefined ? [] : await requireIds(tx, [input.blockId])
      const newestFirst = await entriesOf(tx, input, blockId)
      const firstIds = newestFirst.flatMap(({ blockIds: [first] }) => first ?? [])
      const blocks = await blocksById(tx, firstIds)
      const isPage = input.id === undefined && newestFirst.length === input.limit
      const [only] = newestFirst
      const changed = input.changes && only ? await readEntryChanges(tx, only) : undefined
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
            changes: changed?.changes,
            changesCut: changed?.isCut ? (true as const) : undefined,
          }),
        }
      })
      const isMissing = input.changes && changed === undefined
      return {
        operations,
        ...defined({ cursor: isPage ? newestFirst.at(-1)?.id : undefined }),
        summary: sentences(entriesSummary(operations), isMissing && 'What it changed is not kept.'),
      }
    })
  },
  render: ({ operations, summary }) => [...operations.flatMap(entryLines), summary].join('\n'),
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

/** Signs of the words of an entry's first block, and of a value, in a line of a text. */
const WORDS_SHOWN = 60
const VALUE_SHOWN = 400

/** An entry of the log as an answer has it, and one of its changes. */
type Told = z.output<typeof output>['operations'][number]
type Change = NonNullable<Told['changes']>[number]

/** An entry in one line, and a line for each of its changes. */
function entryLines(entry: Told): string[] {
  const { id, at, actor, operation, blockIds, first, entries, tokens, undoneBy, erased, changes } = entry
  const words = first === undefined ? '' : `: "${preview(first, WORDS_SHOWN)}"`
  const notes = [
    entries !== undefined && entries > 1 && `${entries} entries`,
    tokens !== undefined && usageInWords(tokens),
    undoneBy !== undefined && `undone by ${undoneBy}`,
    erased && 'erased',
  ]
  return [
    [
      `${id}  ${at.slice(0, 19)}Z  ${actor}  ${operation}: ${entry.summary}${words}${blockIds.length > 0 ? ` (${someIds(blockIds)})` : ''}`,
      ...notes.flatMap((note) => (note ? [`[${note}]`] : [])),
    ].join('  '),
    ...(changes ?? []).map((change) => `  ${changeInWords(change)}`),
    ...(entry.changesCut ? ['  … and more'] : []),
  ]
}

/** The summary of a list of entries. */
function entriesSummary(operations: readonly Told[]): string {
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

function changeInWords({ block, edge, pair, item, words = [], field, before, after }: Change): string {
  const values = valuesInWords(field, before, after)
  if (item !== undefined) return `${[item.space, ...item.namespace, item.key].join('/')}: ${values}`
  const ids = block === undefined ? (edge ?? pair ?? []) : [block]
  // The words of a block whose words changed stand in the values.
  const isWords = block !== undefined && field === 'words'
  const named = ids.map((id, at) => (words[at] && !isWords ? `${shortId(id)} "${words[at]}"` : shortId(id)))
  return `${named.join(' and ')}: ${values}`
}

function valuesInWords(field: string, before: unknown, after: unknown): string {
  if (before === undefined) return `${field} ${valueInWords(after)}`
  if (after === undefined) return `${field} ${valueInWords(before)}, taken away`
  return `${field} ${valueInWords(before)} → ${valueInWords(after)}`
}

function valueInWords(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  if (typeof value === 'string' && /^[\w-]{1,40}$/.test(value)) return value
  if (Array.isArray(value)) return value.join(', ')
  return preview(JSON.stringify(value) ?? '', VALUE_SHOWN)
}
