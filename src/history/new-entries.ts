import { defined, preview } from '../block/text.ts'
import { readBlocks } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** An entry of the log as whoever watches gets it. */
export interface WatchedEntry
  extends Pick<
    OperationRecord,
    'id' | 'operation' | 'actor' | 'at' | 'summary' | 'session' | 'run' | 'scope'
  > {
  /** At most 20 of them. */
  readonly blockIds: readonly string[]
  readonly blockCount: number
  /** The first words of the first block that is there: data, whoever said it. */
  readonly first?: string
}

/** Says that entries were missed: whoever shows the memory loads it anew. */
export interface MissedEntries {
  readonly isStale: true
  /** The newest entry of the log; 0 in an empty one. */
  readonly id: number
}

/** The entry up to which somebody knows the log; without `says` any entry of that number will do. */
export interface LogMark {
  readonly id: number
  readonly says?: string
}

/** Entries that are caught up with; of more it is said that they were missed. */
const CAUGHT_UP = 200
const IDS = 20
const FIRST_CHARACTERS = 140

/** The newest entry of the log. */
export async function newestMark(tx: ReadTransaction): Promise<LogMark> {
  const [newest] = await tx.queries.operations({ limit: 1 })
  return newest === undefined ? { id: 0 } : markOf(newest)
}

/**
 * Reads what was logged after a mark, oldest first, and the mark to go on from. Undefined when the mark is gone, because the log was
 * trimmed or another memory was restored, or when more came after it than is caught up with. Two statements.
 */
export async function entriesAfter(
  tx: ReadTransaction,
  mark: LogMark,
): Promise<{ readonly entries: readonly WatchedEntry[]; readonly mark: LogMark } | undefined> {
  const entries = await tx.queries.operations({ after: mark.id - 1, limit: CAUGHT_UP + 2 })
  const known = mark.id === 0 ? mark : markOf(entries.shift())
  const isKnown = known.id === mark.id && (mark.says === undefined || known.says === mark.says)
  if (!isKnown || entries.length > CAUGHT_UP) return undefined
  const newest = entries.at(-1)
  const blocks = await readBlocks(
    tx,
    entries.flatMap(({ blockIds }) => blockIds.slice(0, 1)),
  )
  const words = new Map(blocks.map(({ id, content }) => [id, preview(content, FIRST_CHARACTERS)]))
  return {
    entries: entries.map((entry) => watchedOf(entry, words)),
    mark: newest === undefined ? known : markOf(newest),
  }
}

function markOf(entry: OperationRecord | undefined): LogMark {
  if (entry === undefined) return { id: -1 }
  const { id, at, operation, summary } = entry
  return { id, says: `${at} ${operation} ${summary}` }
}

function watchedOf(entry: OperationRecord, words: ReadonlyMap<string, string>): WatchedEntry {
  const { id, operation, actor, at, summary, session, run, scope, blockIds } = entry
  return {
    ...{ id, operation, actor, at, summary, ...defined({ session, run, scope }) },
    ...{ blockIds: blockIds.slice(0, IDS), blockCount: blockIds.length },
    ...defined({ first: words.get(blockIds[0] ?? '') }),
  }
}
