import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { type CallContext, callerOf, type Engine, mayDo } from '../engine/engine.ts'
import { ownerOnly } from '../guard/caller.ts'
import { filesOf } from '../maintenance/files-of.ts'
import { keptOfRestore, RESTORE_BACKUP, restoreCopy } from '../maintenance/restore-copy.ts'
import { lastUndoable, type UndoInput, undoneBy } from './undone.ts'

/** A restore that was taken back, or in a dry run would be. */
export interface TakenBackCopy {
  readonly undone: readonly OperationRecord[]
  readonly copy: { readonly name: string; readonly blocks?: number }
  readonly operationId?: number
}

/** Operations that change the whole memory and keep nothing by which it could be taken back. */
const LASTING: readonly string[] = ['import', 'erase']

/** Kept with the entry of an import that took nothing in, so that there is nothing to take back. */
export const TOOK_NOTHING: Readonly<Record<string, unknown>> = { nothing: true }

function isEmpty({ before }: Pick<OperationRecord, 'before'>): boolean {
  return (before as typeof TOOK_NOTHING | undefined)?.nothing === true
}

/** The entry of a restore that is to be taken back, and the newest that can be undone before it. */
interface Meant {
  readonly entry: OperationRecord
  readonly before: OperationRecord | undefined
}

/**
 * Takes back a restore by restoring what it had replaced, if that is what an undo means; else returns undefined. Throws
 * `CONFLICT` if something was done since, which would be lost, and `WRONG_STATUS` if what was done last cannot be taken
 * back: an older operation is never undone in its place.
 */
export async function takeBackCopy(
  engine: Engine,
  context: CallContext,
  input: UndoInput,
): Promise<TakenBackCopy | undefined> {
  // Its file is not a scope's, and the log of a scope does not show it.
  if (engine.scope !== undefined) return undefined
  const meant = await engine.store.read((tx) =>
    input.operationId === undefined ? lastMeant(engine, context, tx) : namedMeant(tx, input.operationId),
  )
  if (meant === undefined) return undefined
  const { entry } = meant
  const kept = keptOfRestore(entry)
  if (kept === undefined) throw lasting(meant)
  const caller = callerOf(engine, context)
  if (!mayDo(caller, 'owner'))
    throw ownerOnly(caller, {
      what: `Operation ${entry.id} (${entry.operation}) replaced the whole memory and is taken back by the owner alone`,
      call: context.asOwner?.({ operationId: entry.id }),
      details: { operationId: entry.id },
    })
  if (!(await filesOf(engine).backups()).includes(kept.safety)) throw gone(meant, kept.safety)
  if (input.dryRun) return { undone: [entry], copy: { name: kept.safety } }
  const { reason } = input
  const done = await restoreCopy(engine, context, { from: { name: kept.safety }, takesBack: entry, reason })
  return {
    undone: [entry],
    copy: { name: kept.safety, blocks: done.from.blocks },
    ...(done.operationId === undefined ? {} : { operationId: done.operationId }),
  }
}

/** The newest change of the whole memory, if nothing that can be undone came after it. Others than the owner undo their own. */
async function lastMeant(engine: Engine, context: CallContext, tx: StoreReader): Promise<Meant | undefined> {
  const caller = callerOf(engine, context)
  const actor = mayDo(caller, 'owner') ? undefined : caller.actor
  const before = await lastUndoable(tx, await undoneBy(tx), { actor })
  for (let at: number | undefined; ; ) {
    const entry = await newestWhole(tx, {
      ...(actor === undefined ? {} : { actor }),
      ...(at === undefined ? {} : { before: at }),
    })
    if (entry === undefined || entry.id < (before?.id ?? 0)) return undefined
    // An undo without a number takes no undo back, and there is nothing to take back of what changed nothing.
    if (keptOfRestore(entry)?.tookBack !== true && !isEmpty(entry)) return { entry, before }
    at = entry.id
  }
}

async function newestWhole(
  tx: StoreReader,
  of: { readonly actor?: string; readonly before?: number },
): Promise<OperationRecord | undefined> {
  const newest: OperationRecord[] = []
  for (const operation of [RESTORE_BACKUP, ...LASTING])
    newest.push(...(await tx.operations({ operation, ...of, limit: 1 })))
  return newest.sort((one, other) => other.id - one.id)[0]
}

async function namedMeant(tx: StoreReader, operationId: number): Promise<Meant | undefined> {
  const [entry] = await tx.operations({ before: operationId + 1, limit: 1 })
  const kept = entry && keptOfRestore(entry)
  if (kept === undefined || entry?.id !== operationId) return undefined
  const last = await lastUndoable(tx, await undoneBy(tx), { actor: undefined })
  if (last === undefined || last.id < entry.id) return { entry, before: last }
  throw new ElfmemError(
    'CONFLICT',
    `Operation ${entry.id} (${entry.operation}) cannot be undone: operation ${last.id} (${last.operation}) was done since and would be lost.`,
    {
      recovery: `Call undo({ operationId: ${last.id} }) first. Or call restoreBackup({ name: '${kept.safety}' }), which keeps what is there as a backup.`,
      details: { operationId: entry.id, laterOperationId: last.id },
    },
  )
}

function lasting({ entry: { id, operation }, before }: Meant): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `What was done last cannot be undone: operation ${id} (${operation}) keeps nothing of before.`,
    { recovery: olderOne(before) || 'history shows what was done.', details: { operationId: id } },
  )
}

function gone({ entry: { id, operation }, before }: Meant, safety: string): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone: the backup ${safety} of what was there before it is gone.`,
    {
      recovery: `${olderOne(before)}The newest backups alone are kept (store.keep_backups).`,
      details: { operationId: id },
    },
  )
}

function olderOne(before: OperationRecord | undefined): string {
  return before === undefined
    ? ''
    : `undo({ operationId: ${before.id} }) takes back the one before it (${before.operation}). `
}
