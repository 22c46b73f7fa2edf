import { defined } from '../../domain/text/text.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { AUTO } from '../engine/engine.ts'
import { isOwnOrNobodys, ownActs, type Undoer } from './may-undo.ts'
import { cancelledSince, isErased, lastUndoable, sharedAmong, undoneBy } from './undone.ts'

/** Blocks asked about. */
const BLOCKS = 20
/** Entries of the log of each, of which recalls may be most. */
const ENTRIES = 200

/** The entry to be taken back; `isLast` if nobody named it and it was simply the last. */
interface Asked {
  readonly entry: OperationRecord
  readonly isLast: boolean
  readonly caller: Undoer
}

/**
 * The refusal to undo an operation: it names the newest later one that is in the way as far as the log tells, or says that
 * use is. Where nobody asked for this very operation it also names the one before, so that no undo is stuck.
 */
export async function laterDoing(
  tx: StoreReader,
  { entry: asked, isLast, caller }: Asked,
  cause: ElfmemError,
): Promise<ElfmemError> {
  const { id, operation } = asked
  const undone = await undoneBy(tx)
  const later = await newestLater(tx, asked, cause, undone)
  const before = isLast
    ? await lastUndoable(tx, undone, { before: asked, actor: ownActs(caller) })
    : undefined
  const isShared = later !== undefined && (await sharedAmong(tx, [later])).size > 0
  const { why, first } = reasonOf(later && { ...later, isShared }, cause, caller)
  return new ElfmemError('CONFLICT', `Operation ${id} (${operation}) cannot be undone: ${why}.`, {
    recovery: before
      ? `${first} Or leave it as it is: undo({ operationId: ${before.id} }) takes back the one before it (${before.operation}).`
      : first,
    details: {
      ...cause.details,
      operationId: id,
      ...defined({ laterOperationId: later?.id, previousOperationId: before?.id }),
    },
    cause,
  })
}

/** Returns what is in the way, and what to do first. */
function reasonOf(
  later: (OperationRecord & { readonly isShared: boolean }) | undefined,
  cause: ElfmemError,
  caller: Undoer,
): { readonly why: string; readonly first: string } {
  if (later?.isShared)
    return {
      why: `operation ${later.id} (${later.operation}), which was about other scopes as well, changed the same since`,
      first: `The owner takes that back in the whole memory first: undo({ operationId: ${later.id} }). Or forget() the block, which hides it and can be undone.`,
    }
  if (later !== undefined)
    return {
      why: `operation ${later.id} (${later.operation}) changed the same since`,
      first: isOwnOrNobodys(caller, later)
        ? `Call undo({ operationId: ${later.id} }) first.`
        : `Operation ${later.id} was done by ${later.actor}: only the owner takes it back.`,
    }
  if (factOf(cause, 'isFull') === true)
    return {
      why: 'no operation but use filled the blocks it joined, or fewer edges are allowed now (memory.edge_degree_cap)',
      first: 'disconnect() what joins the blocks of details.blockIds (show() lists it), or raise the cap.',
    }
  return {
    why: 'what it changed was changed again since',
    first: 'history({ blockId }) shows what came later; undo() the newest of that first.',
  }
}

/** The entry of the log that a refusal names, if it names one. */
async function namedBy(tx: StoreReader, cause: ElfmemError): Promise<OperationRecord[]> {
  const changedBy = factOf(cause, 'changedBy')
  return typeof changedBy === 'number' ? await tx.operations({ before: changedBy + 1, limit: 1 }) : []
}

/** Entries of the log about the blocks of a refusal, newest first. */
async function ofItsBlocks(
  tx: StoreReader,
  cause: ElfmemError,
  by: { readonly actor?: string } = {},
): Promise<OperationRecord[]> {
  const ids = factOf(cause, 'blockIds')
  const found: OperationRecord[] = []
  for (const blockId of Array.isArray(ids) ? ids.map(String).slice(0, BLOCKS) : [])
    found.push(...(await tx.operations({ blockId, ...by, limit: ENTRIES })))
  return found.sort(newestFirst)
}

const newestFirst = (one: OperationRecord, other: OperationRecord): number => other.id - one.id

async function newestLater(
  tx: StoreReader,
  { id, run }: Pick<OperationRecord, 'id' | 'run'>,
  cause: ElfmemError,
  undone: ReadonlyMap<number | string, number>,
): Promise<OperationRecord | undefined> {
  // An undo of something later changed nothing on the whole: whoever took it back would have to undo that again, without end.
  const cancelled = new Set(cancelledSince(undone, id))
  const isInWay = (entry: OperationRecord) =>
    entry.id > id &&
    entry.kept !== undefined &&
    !undone.has(entry.kept) &&
    !cancelled.has(entry.id) &&
    (run === undefined || entry.run !== run)
  const newest = (await namedBy(tx, cause)).find(isInWay) ?? (await ofItsBlocks(tx, cause)).find(isInWay)
  if (newest?.run === undefined) return newest
  // The last entry of a run stands for all of it.
  const [end] = await tx.operations({ run: newest.run, limit: 1 })
  return end ?? newest
}

/**
 * The newest dream at rest since an entry that changed blocks a refusal is about: nobody asked for it, so it is taken back
 * with what it stands in the way of. Undefined if there is none.
 *
 * @param except runs that are taken back already
 */
export async function restInTheWay(
  tx: StoreReader,
  asked: Pick<OperationRecord, 'id'>,
  cause: ElfmemError,
  except: readonly string[],
): Promise<string | undefined> {
  const undone = await undoneBy(tx)
  const found = [...(await namedBy(tx, cause)), ...(await ofItsBlocks(tx, cause, { actor: AUTO }))]
  const newest = found
    .toSorted(newestFirst)
    .find(
      ({ id, actor, run, kept }) =>
        actor === AUTO &&
        id > asked.id &&
        run !== undefined &&
        !except.includes(run) &&
        !undone.has(kept ?? run),
    )
  return newest?.run
}

const DROPPED = 'what it changed was dropped to keep the file small (memory.keep_undo_bytes)'

/** Why nothing is kept of some operations, as far as they can be named. */
const REASONS: Readonly<Record<string, string>> = {
  recall: 'being recalled only keeps blocks fresh and joins what keeps coming together',
  reembed: 'its own rollback brings the vectors of before back',
  doctor: 'it only looked',
}

/** The error `NOT_FOUND` for a number that no entry of the log has. */
export function unknownOperation(operationId: number): ElfmemError {
  return new ElfmemError('NOT_FOUND', `The log of this memory has no operation ${operationId}.`, {
    recovery: 'history() shows the numbers; the oldest entries leave the log (memory.keep_operations).',
    details: { operationId },
  })
}

/** @param isOwn whether the caller may take back the undo that did it */
export function alreadyUndone({ id, operation }: OperationRecord, by: number, isOwn: boolean): ElfmemError {
  return new ElfmemError('WRONG_STATUS', `Operation ${id} (${operation}) is undone already.`, {
    recovery: isOwn
      ? `To do it again call undo({ operationId: ${by} }), which takes that undo back.`
      : `Operation ${by} took it back, which only the owner takes back in turn.`,
    details: { operationId: id, undoneBy: by },
  })
}

/**
 * The refusal of a view to take back what was about other scopes as well. Who sees the whole memory takes all of it back.
 *
 * @param whole how they do it
 */
export function togetherWithOthers({
  id,
  operation,
}: Pick<OperationRecord, 'id' | 'operation'>): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone from one scope: it was done together with what is of other scopes.`,
    {
      recovery: `The owner takes all of it back in the whole memory: undo({ operationId: ${id} }). forget() hides a single block instead.`,
      details: { operationId: id },
    },
  )
}

/** @param droppedUpTo the newest entry whose changes were dropped to save room */
export function notKept(entry: OperationRecord, droppedUpTo: number): ElfmemError {
  const { id, operation } = entry
  const reason =
    (isErased(entry) ? 'it is erased, as words of what it changed were' : undefined) ??
    REASONS[operation] ??
    (id <= droppedUpTo ? DROPPED : undefined) ??
    'it changed nothing, was done together with what is of another scope, or before elfmem kept what is needed'
  return new ElfmemError('WRONG_STATUS', `Operation ${id} (${operation}) cannot be undone: ${reason}.`, {
    recovery: 'history({ limit: 50 }) shows which operations can be undone.',
    details: { operationId: id },
  })
}

/** @param actor whose operations were looked for; anybody's when undefined */
export function nothingToUndo(actor: string | undefined): ElfmemError {
  const none = actor === undefined ? 'the log has no operation' : `the log has no operation of ${actor}`
  return new ElfmemError('NOT_FOUND', `There is nothing to undo: ${none} that can be.`, {
    recovery: 'history() shows what was done; an undo itself is undone by its number.',
  })
}

/** The error `WRONG_STATUS` for an operation whose vectors are of a model that was replaced since. */
export function madeAnew({ id, operation }: OperationRecord, reembedded: number): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone: all vectors were made anew since (operation ${reembedded}).`,
    {
      recovery: 'history({ blockId }) shows what the block was; edit() writes it.',
      details: { operationId: id, laterOperationId: reembedded },
    },
  )
}
