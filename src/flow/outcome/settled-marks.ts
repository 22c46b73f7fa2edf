import type { StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'

/** How keys of `meta` begin that hold which traces were settled. */
const SETTLED = 'settled_traces'
/** Characters of a mark: enough to tell all traces of a memory apart. */
const MARK_LENGTH = 16
/** Characters that choose the row. */
const ROW_LENGTH = 2
/** Marks in one of 256 rows: the newest 8,192 traces or so are known. */
const MARKS_MOST = 32

/** A trace that is settled once: nothing of it is kept but a hash. */
export interface SettledMark {
  readonly key: string
  readonly mark: string
}

/** The mark of a message of a conversation in a scope. */
export function markOf(
  { ids, scope = '' }: Pick<Engine, 'ids' | 'scope'>,
  { conversation, message }: { readonly conversation: string; readonly message: string },
): SettledMark {
  const mark = ids.sha256(JSON.stringify([scope, conversation, message])).slice(0, MARK_LENGTH)
  return { key: `${SETTLED} ${mark.slice(0, ROW_LENGTH)}`, mark }
}

/** True if that trace was settled before; an undo changes nothing of that. */
export async function isSettled(tx: StoreReader, { key, mark }: SettledMark): Promise<boolean> {
  return marksIn(await tx.meta(key)).includes(mark)
}

/** Notes that a trace is settled; the oldest mark of a full row goes. */
export async function noteSettled(tx: StoreWriter, { key, mark }: SettledMark): Promise<void> {
  const marks = [...marksIn(await tx.meta(key)), mark]
  await tx.saveMeta(key, marks.slice(-MARKS_MOST).join(' '))
}

function marksIn(row: string | undefined): readonly string[] {
  return row === undefined || row === '' ? [] : row.split(' ')
}
