import type { Block } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import { CONSTITUTIONAL_TAG, isConstitutional, isIdentityTag } from '../../domain/block/tags.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { blocksById, blocksWith } from '../blocks/look-up.ts'
import { AUTO, CURATE, type Engine, mayDo, type OwnersCall, type Principal } from '../engine/engine.ts'
import { isAbove, ownerOnly } from '../guard/caller.ts'
import { isActOf } from './undone.ts'

/** The actors of operations that nobody asked for. */
const NOBODYS: ReadonlySet<string> = new Set([AUTO, CURATE])

/** Who takes something back, and the call by which the owner takes an operation back in this caller's place. */
export interface Undoer extends Principal {
  readonly asOwner: (operationId: number) => OwnersCall | undefined
}

/** True if a caller may take back what somebody did, as far as that depends on who did it. */
export function isOwnOrNobodys(caller: Principal, entry: Pick<OperationRecord, 'actor'>): boolean {
  return mayDo(caller, 'owner') || isActOf(caller.actor, entry) || NOBODYS.has(entry.actor)
}

/** Whose acts an undo without a number means: an owner's are those of anybody, another caller's its own alone. */
export function ownActs(caller: Principal): string | undefined {
  return mayDo(caller, 'owner') ? undefined : caller.actor
}

/** Throws `OWNER_ONLY` when others than the caller did what is to be taken back. What the memory did by itself is nobody's. */
export function mustBeOwnAct(
  caller: Undoer,
  asked: OperationRecord,
  entries: readonly OperationRecord[],
): void {
  const others = entries.find((entry) => !isOwnOrNobodys(caller, entry))
  if (others === undefined) return
  throw ownersAct(caller, asked, {
    what: `Operation ${asked.id} (${asked.operation}) was done by ${others.actor}`,
    otherwise: 'Without a number undo() takes back what you did last.',
  })
}

/** The operations to take back, and for whom. */
interface Undoing {
  readonly caller: Undoer
  readonly asked: OperationRecord
  readonly entries: readonly OperationRecord[]
}

/**
 * Takes back in an open transaction as far as the caller may: neither trust, the owner's words nor principles change by
 * anybody but the owner.
 */
export async function withinTrust<T extends { readonly reverted: readonly Reverted[] }>(
  engine: Engine,
  tx: StoreReader,
  undoing: Undoing,
  takeBack: () => Promise<T>,
): Promise<T> {
  const isOwner = mayDo(undoing.caller, 'owner')
  const ids = [...new Set(undoing.entries.flatMap(({ blockIds }) => blockIds))]
  const [principles, named] = isOwner ? [] : [await principlesIn(tx), await blocksById(tx, ids)]
  const done = await takeBack()
  if (named) refuseAbove(engine, undoing, ids, [named, await blocksById(tx, ids)])
  await refuseTrust(tx, undoing, done.reverted)
  if (principles) mustBeSame(undoing, principles, await principlesIn(tx))
  return done
}

type ById = ReadonlyMap<string, Block>

/**
 * Throws `OWNER_ONLY` when what was taken back changes words that are trusted more than the caller, as an edit or a
 * `forget` by the same caller could not. What a dream or a curation did by rule is nobody's act.
 */
function refuseAbove(
  engine: Engine,
  { asked, caller }: Undoing,
  ids: readonly string[],
  [before, after]: readonly [ById, ById],
): void {
  if (asked.run !== undefined) return
  const changed = ids.find((id) => {
    const [was, is] = [before.get(id), after.get(id)]
    const isHigh = [was, is].some((block) => block && isAbove(engine, { principal: caller }, block))
    return isHigh && wordsOf(was) !== wordsOf(is)
  })
  if (changed === undefined) return
  throw ownersAct(caller, asked, {
    what: `Operation ${asked.id} (${asked.operation}) changed the owner's words in block ${changed} and is taken back by the owner alone`,
    details: { blockId: changed },
  })
}

/** The fields of a block that only those may change who are trusted as much. */
function wordsOf(block: Block | undefined): string {
  if (block === undefined) return ''
  const { content, cue, tags, category, sourceClass, status } = block
  return JSON.stringify([content, cue, tags, category, sourceClass, status === 'archived'])
}

/**
 * Throws when what was taken back gives words a trust that an edit by the same caller could not: `OWNER_ONLY` as an agent
 * authorises no words, `PROTECTED` as the words of others get no identity from anybody.
 */
async function refuseTrust(
  tx: StoreReader,
  { asked, caller }: Undoing,
  reverted: readonly Reverted[],
): Promise<void> {
  if (!mayDo(caller, 'owner') && reverted.some(({ trustBack }) => trustBack)) {
    const what = `Taking back operation ${asked.id} (${asked.operation}) makes words trusted more again`
    throw ownersAct(caller, asked, { what })
  }
  if (!reverted.some(({ standingBack }) => standingBack)) return
  const blocks = await tx.blocks([...new Set(reverted.flatMap(({ blockIds }) => blockIds))])
  const foreign = blocks.find((block) => !isOwn(block) && block.tags.some(isIdentityTag))
  if (foreign !== undefined) throw notIdentity(asked, foreign.id)
}

/** Tags and who counts as speaking are taken back apart when they were changed apart. */
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

/** The principles of a memory as far as only the owner changes them, by id; archived ones too. */
async function principlesIn(tx: StoreReader): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const all = blocksWith(tx, CONSTITUTIONAL_TAG, ['active', 'inbox', 'archived'])
  for await (const { id, status, content, cue, tags, category, sourceClass } of all)
    if (isConstitutional(tags))
      found.set(id, JSON.stringify([status, content, cue, tags, category, sourceClass]))
  return found
}

/** Throws `OWNER_ONLY` when taking an operation back changed a principle, or brought or took one. */
function mustBeSame(
  { caller, asked }: Undoing,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  if (after.size === before.size && [...before].every(([id, was]) => after.get(id) === was)) return
  const what = `Taking back operation ${asked.id} (${asked.operation}) changes a principle`
  throw ownersAct(caller, asked, { what })
}

/** The refusal of what only the owner takes back. */
function ownersAct(
  caller: Undoer,
  { id }: OperationRecord,
  { details, ...said }: Pick<Parameters<typeof ownerOnly>[1], 'what' | 'otherwise' | 'details'>,
): ElfmemError {
  return ownerOnly(caller, {
    ...said,
    call: caller.asOwner(id),
    details: { operationId: id, ...details },
  })
}
