import type { Block } from '../../domain/block/block.ts'
import { isOwn } from '../../domain/block/source-class.ts'
import { isIdentityTag } from '../../domain/block/tags.ts'
import type { Principal } from '../../domain/safety/principal.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { ownerOnly } from '../guard/owner-only.ts'

/** Arguments of the trust check of `undo`. */
interface Taking {
  readonly asked: OperationRecord
  readonly reverted: readonly Reverted[]
  /** True if the caller may raise the trust of the words of others. */
  readonly mayAuthorise: boolean
}

/** A block that entries of the log name, as it is; absent if it is not there. */
interface Named {
  readonly id: string
  readonly block: Block | undefined
}

/** Reads the blocks that entries of the log name. */
export async function readNamed(
  tx: StoreReader,
  entries: readonly Pick<OperationRecord, 'blockIds'>[],
): Promise<readonly Named[]> {
  const ids = [...new Set(entries.flatMap(({ blockIds }) => blockIds))]
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  return ids.map((id) => ({ id, block: blocks.get(id) }))
}

interface Above {
  readonly asked: OperationRecord
  /** As they were before anything was taken back. */
  readonly named: readonly Named[]
  readonly isAbove: (block: Block) => boolean
  readonly caller: Principal
}

/**
 * Throws `OWNER_ONLY` when what was taken back in an open transaction changes words that are trusted more than the caller,
 * as an edit or a `forget` by the same caller could not. What a dream or a curation did by rule is nobody's act.
 */
export async function refuseAbove(tx: StoreReader, { asked, named, isAbove, caller }: Above): Promise<void> {
  if (named.length === 0 || asked.run !== undefined) return
  const now = new Map((await tx.blocks(named.map(({ id }) => id))).map((block) => [block.id, block]))
  const changed = named.find(({ id, block: was }) => {
    const is = now.get(id)
    const isHigh = [was, is].some((block) => block !== undefined && isAbove(block))
    return isHigh && wordsOf(was) !== wordsOf(is)
  })
  if (changed === undefined) return
  throw ownerOnly(caller, {
    what: `Operation ${asked.id} (${asked.operation}) changed the owner's words in block ${changed.id} and is taken back by the owner alone`,
    command: `elfmem undo ${asked.id}`,
    details: { operationId: asked.id, blockId: changed.id },
  })
}

/** The fields of a block that only those may change who are trusted as much. */
function wordsOf(block: Block | undefined): string {
  if (block === undefined) return ''
  const { content, cue, tags, category, sourceClass, status } = block
  return JSON.stringify([content, cue, tags, category, sourceClass, status === 'archived'])
}

/**
 * Throws `PROTECTED` when what was taken back in an open transaction gives words a trust that an edit by the
 * same caller could not: an agent authorises no words, and the words of others get no identity from anybody.
 */
export async function refuseTrust(tx: StoreReader, { asked, reverted, mayAuthorise }: Taking): Promise<void> {
  if (!mayAuthorise && reverted.some(({ trustBack }) => trustBack)) throw notAuthorised(asked)
  if (!reverted.some(({ standingBack }) => standingBack)) return
  const blocks = await tx.blocks([...new Set(reverted.flatMap(({ blockIds }) => blockIds))])
  const foreign = blocks.find((block) => !isOwn(block) && block.tags.some(isIdentityTag))
  if (foreign !== undefined) throw notIdentity(asked, foreign.id)
}

function notAuthorised({ id, operation }: OperationRecord): ElfmemError {
  return new ElfmemError(
    'PROTECTED',
    `Operation ${id} (${operation}) cannot be undone by an agent: words would be trusted more again.`,
    {
      recovery: `The owner may take it back, in a program or on the command line: elfmem undo ${id}.`,
      details: { operationId: id },
    },
  )
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
