import type { Ends } from '../../domain/graph/edge.ts'
import { count } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { type CallContext, callerOf, type Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { droppedUpTo } from '../engine/upkeep.ts'
import { markReports } from '../outcome/outcome.ts'
import { evictForReturned } from './degree-cap.ts'
import { isOwnOrNobodys, mustBeOwnAct, ownActs, type Undoer, withinTrust } from './may-undo.ts'
import {
  alreadyUndone,
  laterDoing,
  madeAnew,
  nothingToUndo,
  notKept,
  restInTheWay,
  togetherWithOthers,
  unknownOperation,
} from './refusals.ts'
import { type TakenBackCopy, takeBackCopy } from './undo-copy.ts'
import {
  cancelledSince,
  isCutOff,
  isErased,
  lastUndoable,
  RUNS,
  sharedAmong,
  UNDO,
  type UndoInput,
  undoneBy,
} from './undone.ts'

/** The operations taken back and what that touched; in a dry run what it would touch. */
export interface UndoResult {
  /** Log entries taken back, newest first: all of their transactions. */
  readonly undone: readonly OperationRecord[]
  /** Blocks that are, or whose edges and pairs are, as they were before. */
  readonly blockIds: readonly string[]
  /** Evicted edges that use had made: at archived blocks, or where edges came back. */
  readonly edgesDropped: readonly Ends[]
  /** The entry of this undo, which can be undone in turn; absent in a dry run. */
  readonly operationId?: number
  /** The backup whose contents the whole memory is, if a restore was taken back. */
  readonly copy?: TakenBackCopy['copy']
}

/** The entries taken back together, newest first: one transaction, or all of a dream or curation. */
interface Unit {
  readonly asked: OperationRecord
  /** Taken back before, and by which entry. */
  readonly undone: ReadonlyMap<number | string, number>
  readonly entries: readonly OperationRecord[]
  /** The dream or curation all of which this is. */
  readonly run?: string | undefined
  /** Dreams at rest since, which go with it. */
  readonly dreams: readonly string[]
}

/** Entries of one run, which are as many as it had transactions and some more. */
const RUN_MAX = 100_000
/** Entries of a transaction looked at at a time. */
const PAGE = 200

/**
 * Brings back what an operation changed, as long as nothing else changed the same since: one transaction,
 * logged and undone like any other. Being recalled and used in between is no obstacle and is not taken back,
 * but edges that use made are evicted for edges that come back. Nor is what the memory did by itself: dreams at rest
 * that changed the same are taken back with it, and what they took in waits again. A restore is taken back by restoring
 * what it had replaced.
 */
export async function undo(engine: Engine, context: CallContext, input: UndoInput): Promise<UndoResult> {
  const copy = await takeBackCopy(engine, context, input)
  if (copy !== undefined) return { ...copy, blockIds: [], edgesDropped: [] }
  const dreams: string[] = []
  for (;;) {
    const done = await undoWith(engine, context, input, dreams)
    if (typeof done !== 'string') return done
    dreams.push(done)
  }
}

/** Takes back what was asked for and dreams at rest since; returns another such dream when that one is in the way. */
async function undoWith(
  engine: Engine,
  context: CallContext,
  input: UndoInput,
  dreams: readonly string[],
): Promise<UndoResult | string> {
  let asked: OperationRecord | undefined
  const caller: Undoer = {
    ...callerOf(engine, context),
    asOwner: (operationId) => context.asOwner?.({ operationId }),
  }
  try {
    return await mutate(engine, context, async (mutation) => {
      const unit = await unitOf(mutation.tx, caller, input.operationId, dreams)
      await refuseShared(mutation.tx, unit)
      asked = unit.asked
      const { reverted, ...done } = await withinTrust(engine, mutation.tx, { ...unit, caller }, () =>
        takeBack(engine, mutation, unit),
      )
      if (input.dryRun) throw new Preview({ undone: unit.entries, ...done })
      const operationId = await mutation.log({
        operation: UNDO,
        blockIds: done.blockIds,
        summary: `took back ${toldOf(unit)}`,
        ...(input.reason ? { reason: input.reason } : {}),
        before: {
          undoes: keptOf(unit),
          ...(unit.run === undefined ? {} : { run: unit.run }),
          ...(dreams.length === 0 ? {} : { runs: dreams }),
        },
      })
      return { undone: unit.entries, ...done, operationId }
    })
  } catch (error) {
    if (error instanceof Preview) return error.result
    if (asked === undefined || !ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
    const [entry, isLast] = [asked, input.operationId === undefined]
    const dream = await engine.store.read((tx) => restInTheWay(tx, entry, error, dreams))
    if (dream !== undefined) return dream
    throw await engine.store.read((tx) => laterDoing(tx, { entry, isLast, caller }, error))
  }
}

/** Lets the transaction of a dry run fail. */
class Preview extends Error {
  readonly result: UndoResult

  constructor(result: UndoResult) {
    super('This was a dry run.')
    this.result = result
  }
}

async function unitOf(
  tx: StoreReader,
  caller: Undoer,
  operationId: number | undefined,
  dreams: readonly string[],
): Promise<Unit> {
  const undone = await undoneBy(tx)
  const asked =
    operationId === undefined
      ? await lastUndoable(tx, undone, { actor: ownActs(caller) })
      : await entryOf(tx, caller, operationId, undone)
  if (asked === undefined) throw nothingToUndo(ownActs(caller))
  const isWhole = asked.run !== undefined && (operationId === undefined || RUNS.includes(asked.operation))
  const all =
    isWhole && asked.run !== undefined
      ? await tx.operations({ run: asked.run, limit: RUN_MAX })
      : await transactionOf(tx, asked)
  for (const run of dreams) all.push(...(await tx.operations({ run, limit: RUN_MAX })))
  // Half of a dream is not to be taken back.
  const lost = all.find((entry) => entry.kept === undefined && isErased(entry))
  if (lost !== undefined) throw notKept({ ...asked, before: lost.before }, 0)
  if (isWhole && isCutOff(all)) throw notKept(asked, asked.id)
  const entries = all
    .filter(({ kept }) => kept !== undefined && !undone.has(kept))
    .sort((one, other) => other.id - one.id)
  if (entries.length === 0) throw notKept(asked, await droppedUpTo(tx))
  mustBeOwnAct(caller, asked, all)
  return { asked, undone, entries, run: isWhole ? asked.run : undefined, dreams }
}

async function entryOf(
  tx: StoreReader,
  caller: Undoer,
  operationId: number,
  undone: ReadonlyMap<number | string, number>,
): Promise<OperationRecord> {
  const [entry] = await tx.operations({ before: operationId + 1, limit: 1 })
  if (entry?.id !== operationId) throw unknownOperation(operationId)
  const isRun = RUNS.includes(entry.operation)
  const of = isRun ? (entry.run ?? entry.kept) : entry.kept
  if (of === undefined || (isRun && isErased(entry))) throw notKept(entry, await droppedUpTo(tx))
  const by = undone.get(of)
  if (by === undefined) return entry
  const [undoing] = await tx.operations({ before: by + 1, limit: 1 })
  throw alreadyUndone(entry, by, undoing !== undefined && isOwnOrNobodys(caller, undoing))
}

/** All entries a transaction logged; they follow each other. */
async function transactionOf(tx: StoreReader, { kept }: OperationRecord): Promise<OperationRecord[]> {
  if (kept === undefined) return []
  const entries: OperationRecord[] = []
  for (let before = kept + 1; ; ) {
    const page = await tx.operations({ before, limit: PAGE })
    const own = page.filter((entry) => entry.kept === kept)
    entries.push(...own)
    before = own.at(-1)?.id ?? 0
    if (own.length < PAGE) return entries
  }
}

/** A view takes back what was all its own, and says who takes back the rest. */
async function refuseShared(tx: StoreReader, { asked, entries }: Unit): Promise<void> {
  if ((await sharedAmong(tx, entries)).size > 0) throw togetherWithOthers(asked)
}

function keptOf({ entries }: Unit): number[] {
  return [...new Set(entries.flatMap(({ kept }) => kept ?? []))]
}

async function takeBack(
  engine: Engine,
  { tx }: Mutation,
  unit: Unit,
): Promise<Pick<UndoResult, 'blockIds' | 'edgesDropped'> & { readonly reverted: readonly Reverted[] }> {
  const reverted: Reverted[] = []
  for (const kept of keptOf(unit).sort((one, other) => other - one)) {
    const done = await tx.revert(kept, cancelledFor(unit, kept))
    if (done === undefined) throw notKept(unit.asked, await droppedUpTo(tx))
    reverted.push(done)
  }
  const [newest] = await tx.operations({ operation: 'reembed', limit: 1 })
  const oldest = unit.entries.at(-1)?.id ?? 0
  if (newest !== undefined && newest.id > oldest && reverted.some(({ vectorsBack }) => vectorsBack))
    throw madeAnew(unit.asked, newest.id)
  const blockIds = [...new Set(reverted.flatMap((each) => each.blockIds))]
  const back = reverted.flatMap(({ edgesBack }) => edgesBack)
  const first = Math.min(...keptOf(unit))
  const later = { after: first, except: cancelledFor(unit, first) }
  const evicted = await evictForReturned(engine, tx, { blockIds, back, later })
  await markReports(tx, engine.ids.random())
  const edgesDropped = [...reverted.flatMap((each) => each.edgesDropped), ...evicted]
  return { blockIds, edgesDropped, reverted }
}

/** Transactions that count as none when it is asked who changed what one of the unit's left. */
function cancelledFor(unit: Unit, kept: number): number[] {
  return [...keptOf(unit), ...cancelledSince(unit.undone, kept)]
}

function toldOf({ asked, entries, run, dreams }: Unit): string {
  const own =
    run === undefined
      ? entries.filter(({ kept }) => kept === asked.kept)
      : entries.filter((entry) => entry.run === run)
  const transactions = new Set(own.map(({ kept }) => kept)).size
  const all = transactions === 1 ? '' : ` and all of its run, ${transactions} transactions`
  const since = dreams.length === 0 ? '' : `, and ${count(dreams.length, 'dream')} at rest since`
  return `${asked.operation} (operation ${asked.id})${all}${since}`
}
