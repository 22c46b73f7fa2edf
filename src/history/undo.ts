import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { defined } from '../block/text.ts'
import { type CallContext, callerOf, type Engine, mayDo, type Principal } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { droppedUpTo, logBegins } from '../engine/upkeep.ts'
import { ElfmemError, factOf } from '../errors.ts'
import { isAbove, ownerOnly } from '../intake/caller.ts'
import { markReports } from '../outcome/outcome.ts'
import { blocksById } from '../store/blocks.ts'
import type { OperationRecord } from '../store/database.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { revert } from './revert.ts'
import {
  isErased,
  isOwnOrNobodys,
  keepsNothing,
  lastDone,
  notKept,
  RUNS,
  refusal,
  UNDO,
  undoneBy,
  unknownOperation,
} from './undone.ts'

/** The operation that is to be taken back, and if it is only to be looked at. */
interface UndoInput {
  /** The number of an entry of the log; absent: what was done last. */
  readonly operationId?: number | undefined
  /** For the log. */
  readonly reason?: string | undefined
  /** Says what would come back and changes nothing. */
  readonly dryRun: boolean
}

/** The operations taken back and what that touched; in a dry run what it would touch. */
export interface UndoResult {
  /** Log entries taken back, newest first: all of their transactions. */
  readonly undone: readonly OperationRecord[]
  /** Blocks that are, or whose edges and pairs are, as they were before. */
  readonly blockIds: readonly string[]
  /** The entry of this undo, which can be undone in turn; absent in a dry run. */
  readonly operationId?: number
}

/** The entries taken back together, newest first: one transaction, or all of a run. */
interface Unit {
  readonly asked: OperationRecord
  /** Transactions and runs that are taken back by now, and by which entry. */
  readonly undone: ReadonlyMap<number | string, number>
  readonly entries: readonly OperationRecord[]
  /** The transactions, newest first. */
  readonly kept: readonly number[]
  /** The run, if all of it is taken back. */
  readonly run?: string | undefined
}

/** Entries of one run, which are as many as it had transactions and some more. */
const RUN_MAX = 100_000
/** Entries of a transaction looked at at a time. */
const PAGE = 200

/**
 * Brings back what an operation changed, if nothing else changed the same since: one transaction, logged and undone like
 * any other. Counts of use stay. Refuses with `CONFLICT` and names the operation in the way.
 */
export async function undo(engine: Engine, context: CallContext, input: UndoInput): Promise<UndoResult> {
  try {
    return await mutate(engine, context, async ({ tx, log }) => {
      const unit = await unitOf(engine, context, tx, input.operationId)
      const blockIds = await takeBack(engine, context, tx, unit)
      const done = { undone: unit.entries, blockIds }
      if (input.dryRun) throw new Preview(done)
      const operationId = await log({
        ...{ operation: UNDO, blockIds, summary: `took back ${toldOf(unit)}` },
        ...(input.reason ? { reason: input.reason } : {}),
        before: { undoes: unit.kept, ...defined({ run: unit.run }) },
      })
      return { ...done, operationId }
    })
  } catch (error) {
    if (error instanceof Preview) return error.result
    throw error
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
  engine: Engine,
  context: CallContext,
  tx: ReadTransaction,
  operationId: number | undefined,
): Promise<Unit> {
  const caller = callerOf(engine, context)
  const [undone, dropped] = [await undoneBy(tx), await droppedUpTo(tx)]
  const asked =
    operationId === undefined
      ? await lastDone(tx, undone, caller)
      : await entryOf(tx, operationId, { undone, dropped })
  const run = operationId === undefined || RUNS.includes(asked.operation) ? asked.run : undefined
  const all =
    run === undefined ? await transactionOf(tx, asked) : await tx.queries.operations({ run, limit: RUN_MAX })
  if (run !== undefined && (await isCutOff(engine, tx, all, dropped))) throw notKept(asked, asked.id)
  const entries = all
    .filter(({ kept }) => kept !== undefined && !undone.has(kept))
    .sort((one, other) => other.id - one.id)
  if (entries.length === 0) throw notKept(asked, dropped)
  const others = all.find((entry) => !isOwnOrNobodys(caller, entry))
  if (others !== undefined)
    throw ownersAct(engine, context, asked, `was done by ${others.actor}`, {
      otherwise: 'Without a number undo() takes back what you did last.',
    })
  const kept = [...new Set(entries.flatMap((entry) => entry.kept ?? []))].sort((one, other) => other - one)
  return { asked, undone, entries, kept, run }
}

/** True if words of a run were erased, or the log has dropped its oldest entries or what an undo needs of them. */
async function isCutOff(
  engine: Engine,
  tx: ReadTransaction,
  entries: readonly OperationRecord[],
  dropped: number,
): Promise<boolean> {
  const first = entries.at(-1)?.id ?? 0
  if (first <= dropped || entries.some(isErased)) return true
  if ((await logBegins(engine, tx)) === undefined) return false
  return (await tx.queries.operations({ isKept: true, before: first, limit: 1 })).length === 0
}

async function entryOf(
  tx: ReadTransaction,
  operationId: number,
  { undone, dropped }: { readonly undone: ReadonlyMap<number | string, number>; readonly dropped: number },
): Promise<OperationRecord> {
  const [entry] = await tx.queries.operations({ before: operationId + 1, limit: 1 })
  if (entry?.id !== operationId) throw unknownOperation(operationId)
  const of = RUNS.includes(entry.operation) ? (entry.run ?? entry.kept) : entry.kept
  if (keepsNothing(entry) || of === undefined) throw notKept(entry, dropped)
  const by = undone.get(of)
  if (by === undefined) return entry
  const recovery = `To do it again call undo({ operationId: ${by} }), which takes that undo back.`
  throw refusal('WRONG_STATUS', entry, 'is undone already', recovery, { undoneBy: by })
}

/** All entries a transaction logged; they follow each other. */
async function transactionOf(tx: ReadTransaction, { kept }: OperationRecord): Promise<OperationRecord[]> {
  if (kept === undefined) return []
  const entries: OperationRecord[] = []
  for (let before = kept + 1; ; ) {
    const page = await tx.queries.operations({ before, limit: PAGE })
    const own = page.filter((entry) => entry.kept === kept)
    entries.push(...own)
    before = own.at(-1)?.id ?? 0
    if (own.length < PAGE) return entries
  }
}

/** Takes a unit back in an open transaction, as far as the caller may; returns the ids of the blocks concerned. */
async function takeBack(
  engine: Engine,
  context: CallContext,
  tx: Transaction,
  unit: Unit,
): Promise<string[]> {
  const { edgeDegreeCap } = engine.settings.memory
  const were = new Map<string, Block>()
  const blockIds = new Set<string>()
  const [newest] = await tx.queries.operations({ operation: 'reembed', limit: 1 })
  for (const kept of unit.kept) {
    const except = [...unit.kept, ...cancelledSince(unit.undone, kept)]
    const done = await revert(tx, kept, { except, edgeDegreeCap }).catch(async (error: unknown) => {
      if (!ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
      throw await inTheWay(tx, callerOf(engine, context), unit.asked, error)
    })
    if (done === undefined)
      throw refusal(
        'WRONG_STATUS',
        unit.asked,
        'cannot be undone from one scope: it was done together with what is of other scopes',
        `The owner takes all of it back in the whole memory: undo({ operationId: ${unit.asked.id} }). forget() hides a single block instead.`,
      )
    // Vectors of then are of another model.
    if (done.vectorsBack && newest !== undefined && newest.id > kept) throw notKept(unit.asked, 0, newest.id)
    for (const block of done.were) if (!were.has(block.id)) were.set(block.id, block)
    for (const id of done.blockIds) blockIds.add(id)
  }
  if (!mayDo(callerOf(engine, context), 'owner'))
    mustBeWithinTrust(engine, context, unit, were, await blocksById(tx, [...blockIds]))
  await markReports(tx, engine.ids.random())
  return [...blockIds]
}

/** Transactions after one that leave nothing behind by now: what was taken back, and what took it back. */
function cancelledSince(undone: ReadonlyMap<number | string, number>, after: number): number[] {
  return [...undone].flatMap(([taken, by]) => (typeof taken === 'number' && taken > after ? [taken, by] : []))
}

/**
 * Throws `OWNER_ONLY` when taking something back changed what the caller could not change by an edit or a `forget`: a principle,
 * words that are trusted more than the caller, or the trust of words that stay. What a run did by rule is nobody's act.
 */
function mustBeWithinTrust(
  engine: Engine,
  context: CallContext,
  { asked }: Unit,
  before: ReadonlyMap<string, Block>,
  after: ReadonlyMap<string, Block>,
): void {
  const isHigh = (block: Block | undefined) =>
    block !== undefined &&
    (isConstitutional(block.tags) || (asked.run === undefined && isAbove(engine, context, block)))
  for (const blockId of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(blockId), after.get(blockId)]
    const isRaised = was?.content === is?.content && was && is && !mayCover(was, is)
    if (wordsOf(was) === wordsOf(is) || !(isRaised || isHigh(was) || isHigh(is))) continue
    const why = `changed block ${blockId}, which is trusted more, and is taken back by the owner alone`
    throw ownersAct(engine, context, asked, why, { details: { blockId } })
  }
}

/** The fields of a block that only those may change who are trusted as much. */
function wordsOf(block: Block | undefined): string {
  if (block === undefined) return ''
  const { content, cue, tags, category, sourceClass, status } = block
  return JSON.stringify([content, cue, tags, category, sourceClass, status === 'archived'])
}

/** The refusal of what only the owner takes back. */
function ownersAct(
  engine: Engine,
  context: CallContext,
  { id, operation }: OperationRecord,
  why: string,
  { details, ...said }: Pick<Parameters<typeof ownerOnly>[1], 'otherwise' | 'details'>,
): ElfmemError {
  return ownerOnly(callerOf(engine, context), {
    what: `Operation ${id} (${operation}) ${why}`,
    call: context.asOwner?.({ operationId: id }),
    ...said,
    details: { operationId: id, ...details },
  })
}

/** The refusal to undo an operation, with the number of the later one in the way, if one of the log is. */
async function inTheWay(
  tx: ReadTransaction,
  caller: Principal,
  asked: OperationRecord,
  cause: ElfmemError,
): Promise<ElfmemError> {
  const changedBy = factOf(cause, 'changedBy')
  const [entry] =
    typeof changedBy === 'number' ? await tx.queries.operations({ before: changedBy + 1, limit: 1 }) : []
  // The last entry of a run stands for all of it.
  const [end] = entry?.run === undefined ? [] : await tx.queries.operations({ run: entry.run, limit: 1 })
  const later = end ?? entry
  const why =
    later === undefined
      ? 'use, or an import, changed the same since'
      : `operation ${later.id} (${later.operation}) changed the same since`
  const details = { ...cause.details, ...defined({ laterOperationId: later?.id }) }
  return refusal('CONFLICT', asked, `cannot be undone: ${why}`, recoveryOf(caller, later, cause), details)
}

function recoveryOf(caller: Principal, later: OperationRecord | undefined, cause: ElfmemError): string {
  if (later !== undefined && isOwnOrNobodys(caller, later))
    return `Call undo({ operationId: ${later.id} }) first.`
  if (later !== undefined)
    return `Operation ${later.id} was done by ${later.actor}: only the owner takes it back.`
  return factOf(cause, 'isFull') === true
    ? 'disconnect() what joins the blocks of details.blockIds, or raise memory.edge_degree_cap.'
    : 'show() the blocks of details.blockIds; edit(), forget(), restore(), connect() and disconnect() change them.'
}

function toldOf({ asked, run, kept }: Unit): string {
  const all = run === undefined || kept.length === 1 ? '' : ` and all of its run, ${kept.length} transactions`
  return `${asked.operation} (operation ${asked.id})${all}`
}
