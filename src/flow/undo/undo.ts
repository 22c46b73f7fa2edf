import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn } from '../../domain/block/source-class.ts'
import { isConstitutional, isIdentityTag } from '../../domain/block/tags.ts'
import { defined } from '../../domain/text/text.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import type { OperationRecord, StoreReader, StoreWriter } from '../../ports/store/transaction.ts'
import { blocksById } from '../blocks/look-up.ts'
import {
  type CallContext,
  callerOf,
  type Engine,
  mayDo,
  type OwnersWay,
  type Principal,
} from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { droppedUpTo } from '../engine/trim-log.ts'
import { isAbove } from '../guard/claimed-class.ts'
import { ownerOnly } from '../guard/owner-only.ts'
import { wayOfCall } from '../guard/owners-way.ts'
import { markReports } from '../learning/keep-lesson.ts'
import {
  alreadyUndone,
  isCutOff,
  isErased,
  isOwnOrNobodys,
  keepsNothing,
  lastDone,
  notKept,
  RUNS,
  sharedAmong,
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

/** Who takes something back, and how the owner does it: here, and in the whole memory. */
interface Undoer {
  readonly caller: Principal
  readonly wayTo: (operationId: number) => OwnersWay
  readonly wayInWhole: (operationId: number) => OwnersWay
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
  const undoer: Undoer = {
    caller: callerOf(engine, context),
    wayTo: (operationId) => wayOfCall(context, 'undo', { operationId }),
    wayInWhole: (operationId) => wayOfCall(context, 'undo', { operationId, scope: null, dryRun: undefined }),
  }
  try {
    return await mutate(engine, context, async ({ tx, log }) => {
      const unit = await unitOf(tx, undoer, input.operationId)
      if ((await sharedAmong(tx, unit.entries)).size > 0)
        throw togetherWithOthers(unit.asked, undoer.wayInWhole(unit.asked.id))
      const blockIds = await takeBack(engine, tx, undoer, unit)
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

async function unitOf(tx: StoreReader, undoer: Undoer, operationId: number | undefined): Promise<Unit> {
  const { caller } = undoer
  const undone = await undoneBy(tx)
  const asked =
    operationId === undefined
      ? await lastDone(tx, undone, caller)
      : await entryOf(tx, caller, operationId, undone)
  const run = operationId === undefined || RUNS.includes(asked.operation) ? asked.run : undefined
  const all =
    run === undefined ? await transactionOf(tx, asked) : await tx.operations({ run, limit: RUN_MAX })
  const dropped = await droppedUpTo(tx)
  // Half of a run is not to be taken back.
  const lost = all.find((entry) => entry.kept === undefined && isErased(entry))
  if (lost !== undefined) throw notKept({ ...asked, before: lost.before }, 0)
  if (run !== undefined && isCutOff(all)) throw notKept(asked, asked.id)
  const entries = all
    .filter(({ kept }) => kept !== undefined && !undone.has(kept))
    .sort((one, other) => other.id - one.id)
  if (entries.length === 0) throw notKept(asked, dropped)
  const others = all.find((entry) => !isOwnOrNobodys(caller, entry))
  if (others !== undefined)
    throw ownersAct(undoer, asked, {
      what: `Operation ${asked.id} (${asked.operation}) was done by ${others.actor}`,
      otherwise: 'Without a number undo() takes back what you did last.',
    })
  const kept = [...new Set(entries.flatMap((entry) => entry.kept ?? []))].sort((one, other) => other - one)
  return { asked, undone, entries, kept, run }
}

async function entryOf(
  tx: StoreReader,
  caller: Principal,
  operationId: number,
  undone: ReadonlyMap<number | string, number>,
): Promise<OperationRecord> {
  const [entry] = await tx.operations({ before: operationId + 1, limit: 1 })
  if (entry?.id !== operationId) throw unknownOperation(operationId)
  if (keepsNothing(entry)) throw notKept(entry, 0)
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

/** Takes a unit back in an open transaction, as far as the caller may; returns the ids of the blocks concerned. */
async function takeBack(engine: Engine, tx: StoreWriter, undoer: Undoer, unit: Unit): Promise<string[]> {
  const { edgeDegreeCap } = engine.settings.memory
  const were = new Map<string, Block>()
  const blockIds = new Set<string>()
  let vectorsBack = false
  for (const kept of unit.kept) {
    const except = [...unit.kept, ...cancelledSince(unit.undone, kept)]
    const done = await reverted(tx, kept, { except, edgeDegreeCap }, (cause) =>
      inTheWay(tx, undoer, unit, cause),
    )
    if (done === undefined) throw notKept(unit.asked, await droppedUpTo(tx))
    for (const block of done.were) if (!were.has(block.id)) were.set(block.id, block)
    for (const id of done.blockIds) blockIds.add(id)
    vectorsBack ||= done.vectorsBack
  }
  const [newest] = await tx.operations({ operation: 'reembed', limit: 1 })
  if (vectorsBack && newest !== undefined && newest.id > (unit.entries.at(-1)?.id ?? 0))
    throw madeAnew(unit.asked, newest.id)
  mustBeWithinTrust(engine, undoer, unit, were, await blocksById(tx, [...blockIds]))
  await markReports(tx, engine.ids.random())
  return [...blockIds]
}

async function reverted(
  tx: StoreWriter,
  kept: number,
  options: Parameters<StoreWriter['revert']>[1],
  refusalOf: (cause: ElfmemError) => Promise<ElfmemError>,
) {
  try {
    return await tx.revert(kept, options)
  } catch (error) {
    if (!ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
    throw await refusalOf(error)
  }
}

/** Transactions after one that leave nothing behind by now: what was taken back, and what took it back. */
function cancelledSince(undone: ReadonlyMap<number | string, number>, after: number): number[] {
  return [...undone].flatMap(([taken, by]) => (typeof taken === 'number' && taken > after ? [taken, by] : []))
}

/**
 * Throws when what was taken back changed what the caller could not change by an edit or a `forget`. `OWNER_ONLY`: a principle,
 * words that are trusted more than the caller, or the trust of words that stay. `PROTECTED`, for the owner too: words of
 * others would get an identity. What a dream or a curation did by rule is nobody's act.
 */
function mustBeWithinTrust(
  engine: Engine,
  undoer: Undoer,
  { asked }: Unit,
  before: ReadonlyMap<string, Block>,
  after: ReadonlyMap<string, Block>,
): void {
  const { caller } = undoer
  const isHigh = (block: Block) =>
    isConstitutional(block.tags) || (asked.run === undefined && isAbove(engine, { principal: caller }, block))
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(id), after.get(id)]
    if (wordsOf(was) === wordsOf(is)) continue
    const isRaised =
      was?.content === is?.content && was && is && isLessTrusted(was.sourceClass, is.sourceClass)
    if (!mayDo(caller, 'owner') && (isRaised || [was, is].some((block) => block && isHigh(block))))
      throw ownersAct(undoer, asked, {
        what: `Operation ${asked.id} (${asked.operation}) changed block ${id}, which is trusted more than you, and is taken back by the owner alone`,
        details: { blockId: id },
      })
    if (is !== undefined && !isOwn(is) && is.tags.some(isIdentityTag)) throw notIdentity(asked, id)
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
  { caller, wayTo }: Undoer,
  { id }: OperationRecord,
  { details, ...said }: Pick<Parameters<typeof ownerOnly>[1], 'what' | 'otherwise' | 'details'>,
): ElfmemError {
  return ownerOnly(caller, { ...said, way: wayTo(id), details: { operationId: id, ...details } })
}

function notIdentity({ id, operation }: OperationRecord, blockId: string): ElfmemError {
  return new ElfmemError(
    'PROTECTED',
    `Operation ${id} (${operation}) cannot be undone: block ${blockId} would be words of others with an identity.`,
    {
      recovery: `Take its tags under self/ away first, or let the owner vouch for it: elfmem edit ${blockId} --source-class user.`,
      details: { operationId: id, blockId },
    },
  )
}

/** The refusal to undo an operation, with the number of the later one in the way, if one of the log is. */
async function inTheWay(
  tx: StoreReader,
  undoer: Undoer,
  unit: Unit,
  cause: ElfmemError,
): Promise<ElfmemError> {
  const { id, operation } = unit.asked
  const changedBy = factOf(cause, 'changedBy')
  const [entry] =
    typeof changedBy === 'number' ? await tx.operations({ before: changedBy + 1, limit: 1 }) : []
  // The last entry of a run stands for all of it.
  const [end] = entry?.run === undefined ? [] : await tx.operations({ run: entry.run, limit: 1 })
  const later = end ?? entry
  const { why, first } = later === undefined ? byUse(cause) : await byLater(tx, undoer, later)
  return new ElfmemError('CONFLICT', `Operation ${id} (${operation}) cannot be undone: ${why}.`, {
    recovery: first,
    details: { ...cause.details, operationId: id, ...defined({ laterOperationId: later?.id }) },
    cause,
  })
}

function byUse(cause: ElfmemError): { readonly why: string; readonly first: string } {
  if (factOf(cause, 'isFull') === true)
    return {
      why: 'its edges would come back at blocks that have as many as they may (memory.edge_degree_cap)',
      first: 'disconnect() what joins the blocks of details.blockIds (show() lists it), or raise the cap.',
    }
  return {
    why: 'what it changed was changed since by use, or by an import',
    first:
      'show() the blocks of details.blockIds; edit(), forget(), restore(), connect() and disconnect() change them.',
  }
}

async function byLater(tx: StoreReader, { caller, wayInWhole }: Undoer, later: OperationRecord) {
  const { id, operation, actor } = later
  if ((await sharedAmong(tx, [later])).size > 0)
    return {
      why: `operation ${id} (${operation}), which was about other scopes as well, changed the same since`,
      first: `The owner takes that back in the whole memory first: ${saidWay(wayInWhole(id))}. Or forget() the block, which hides it and can be undone.`,
    }
  return {
    why: `operation ${id} (${operation}) changed the same since`,
    first: isOwnOrNobodys(caller, later)
      ? `Call undo({ operationId: ${id} }) first.`
      : `Operation ${id} was done by ${actor}: only the owner takes it back.`,
  }
}

/** The refusal of a view to take back what was about other scopes as well. */
function togetherWithOthers({ id, operation }: OperationRecord, whole: OwnersWay): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone from one scope: it was done together with what is of other scopes.`,
    {
      recovery: `The owner takes all of it back in the whole memory: ${saidWay(whole)}. forget() hides a single block instead.`,
      details: { operationId: id, ...defined({ command: whole.command }) },
    },
  )
}

function saidWay({ command, named, needs }: OwnersWay): string {
  return command ?? [named, ...(needs.length === 0 ? [] : [`with ${needs.join(', ')}`])].join(' ')
}

/** The error `WRONG_STATUS` for an operation whose vectors are of a model that was replaced since. */
function madeAnew({ id, operation }: OperationRecord, reembedded: number): ElfmemError {
  return new ElfmemError(
    'WRONG_STATUS',
    `Operation ${id} (${operation}) cannot be undone: all vectors were made anew since (operation ${reembedded}).`,
    {
      recovery: 'history({ blockId }) shows what the block was; edit() writes it.',
      details: { operationId: id, laterOperationId: reembedded },
    },
  )
}

function toldOf({ asked, run, kept }: Unit): string {
  const all = run === undefined || kept.length === 1 ? '' : ` and all of its run, ${kept.length} transactions`
  return `${asked.operation} (operation ${asked.id})${all}`
}
