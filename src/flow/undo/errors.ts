import { ElfmemError } from '../../errors.ts'
import type { OperationRecord } from '../../ports/store/transaction.ts'
import { isErased } from './undone.ts'

const DROPPED = 'what it changed was dropped to keep the file small (memory.keep_undo_bytes)'

/** Why nothing is kept of some operations, as far as they can be named. */
const REASONS: Readonly<Record<string, string>> = {
  recall: 'being recalled only keeps blocks fresh and joins what keeps coming together',
  reembed: 'its own rollback brings the vectors of before back',
  doctor: 'it only looked',
}

export function unknownOperation(operationId: number): ElfmemError {
  return new ElfmemError('NOT_FOUND', `The log of this memory has no operation ${operationId}.`, {
    recovery: 'history shows the numbers; the oldest entries leave the log (memory.keep_operations).',
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

/** @param droppedUpTo the newest entry whose changes were dropped to save room */
export function notKept(entry: OperationRecord, droppedUpTo: number): ElfmemError {
  const { id, operation } = entry
  const reason =
    (isErased(entry) ? 'it is erased, as words of what it changed were' : undefined) ??
    REASONS[operation] ??
    (id <= droppedUpTo ? DROPPED : undefined) ??
    'it changed nothing, was done together with what is of another scope, or before elfmem kept what is needed'
  return new ElfmemError('WRONG_STATUS', `Operation ${id} (${operation}) cannot be undone: ${reason}.`, {
    recovery: 'history({ lastN: 50 }) shows which operations can be undone.',
    details: { operationId: id },
  })
}

/** @param actor whose operations were looked for; anybody's when undefined */
export function nothingToUndo(actor: string | undefined): ElfmemError {
  const none = actor === undefined ? 'the log has no operation' : `the log has no operation of ${actor}`
  return new ElfmemError('NOT_FOUND', `There is nothing to undo: ${none} that can be.`, {
    recovery: 'history shows what was done; an undo itself is undone by its number.',
  })
}

export function madeAnew({ id, operation }: OperationRecord, reembedded: number): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone: all vectors were made anew since (operation ${reembedded}).`,
    {
      recovery: 'history({ blockId }) shows what the block was; edit writes it.',
      details: { operationId: id, laterOperationId: reembedded },
    },
  )
}
