import type { Principal } from '../../domain/safety/principal.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { AUTO } from '../engine/engine.ts'
import { lastUndoable, undoneBy } from './undone.ts'
import { isOwnOrNobodys, ownActs } from './whose.ts'

/** Blocks asked about. */
const BLOCKS = 20
/** Entries of the log of each, of which recalls may be most. */
const ENTRIES = 200

/** The entry to be taken back; `isLast` if nobody named it and it was simply the last. */
interface Asked {
  readonly entry: OperationRecord
  readonly isLast: boolean
  readonly caller: Principal
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
  const { why, first } = reasonOf(later, cause, caller)
  return new ElfmemError('CONFLICT', `Operation ${id} (${operation}) cannot be undone: ${why}.`, {
    recovery: before
      ? `${first} Or leave it as it is: undo({ operationId: ${before.id} }) takes back the one before it (${before.operation}).`
      : first,
    details: {
      ...cause.details,
      operationId: id,
      ...(later === undefined ? {} : { laterOperationId: later.id }),
      ...(before === undefined ? {} : { previousOperationId: before.id }),
    },
    cause,
  })
}

/** Returns what is in the way, and what to do first. */
function reasonOf(
  later: OperationRecord | undefined,
  { details }: ElfmemError,
  caller: Principal,
): { readonly why: string; readonly first: string } {
  if (later !== undefined)
    return {
      why: `operation ${later.id} (${later.operation}) changed the same since`,
      first: isOwnOrNobodys(caller, later)
        ? `Call undo({ operationId: ${later.id} }) first.`
        : `Operation ${later.id} was done by ${later.actor}: only the owner takes it back.`,
    }
  if (details.isFull === true)
    return {
      why: 'no operation but use filled the blocks it joined, or fewer edges are allowed now (memory.edge_degree_cap)',
      first: 'disconnect what joins the blocks of details.blockIds (show lists it), or raise the cap.',
    }
  return {
    why: 'what it changed was changed again since',
    first: 'history({ blockId }) shows what came later; undo the newest of that first.',
  }
}

async function newestLater(
  tx: StoreReader,
  { id, run }: Pick<OperationRecord, 'id' | 'run'>,
  { details }: ElfmemError,
  undone: ReadonlyMap<number | string, number>,
): Promise<OperationRecord | undefined> {
  const { changedBy, blockIds } = details
  const found: OperationRecord[] = []
  if (typeof changedBy === 'number') found.push(...(await tx.operations({ before: changedBy + 1, limit: 1 })))
  else
    for (const blockId of Array.isArray(blockIds) ? blockIds.map(String).slice(0, BLOCKS) : [])
      found.push(...(await tx.operations({ blockId, limit: ENTRIES })))
  const [newest] = found
    .filter((entry) => entry.id > id && entry.kept !== undefined && !undone.has(entry.kept))
    .filter((entry) => run === undefined || entry.run !== run)
    .sort((one, other) => other.id - one.id)
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
  { details: { changedBy, blockIds } }: ElfmemError,
  except: readonly string[],
): Promise<string | undefined> {
  const undone = await undoneBy(tx)
  const found = typeof changedBy === 'number' ? await tx.operations({ before: changedBy + 1, limit: 1 }) : []
  for (const blockId of Array.isArray(blockIds) ? blockIds.map(String).slice(0, BLOCKS) : [])
    found.push(...(await tx.operations({ blockId, actor: AUTO, limit: ENTRIES })))
  const [newest] = found
    .filter((entry) => entry.actor === AUTO && entry.id > asked.id)
    .filter(({ run, kept }) => run !== undefined && !except.includes(run) && !undone.has(kept ?? run))
    .sort((one, other) => other.id - one.id)
  return newest?.run
}
