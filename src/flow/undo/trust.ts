import { isOwn } from '../../domain/block/source-class.ts'
import { isIdentityTag } from '../../domain/block/tags.ts'
import { mayDo } from '../../domain/safety/principal.ts'
import { ElfmemError } from '../../errors.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { ownerOnly } from '../guard/owner-only.ts'
import type { Undoer } from './whose.ts'

/** Arguments of the trust check of `undo`. */
interface Taking {
  readonly asked: OperationRecord
  readonly reverted: readonly Reverted[]
  readonly caller: Undoer
}

/**
 * Throws when what was taken back in an open transaction gives words a trust that an edit by the same caller could not:
 * `OWNER_ONLY` as an agent authorises no words, `PROTECTED` as the words of others get no identity from anybody.
 */
export async function refuseTrust(tx: StoreReader, { asked, reverted, caller }: Taking): Promise<void> {
  if (!mayDo(caller, 'owner') && reverted.some(({ trustBack }) => trustBack))
    throw notAuthorised(caller, asked)
  if (!reverted.some(({ standingBack }) => standingBack)) return
  const blocks = await tx.blocks([...new Set(reverted.flatMap(({ blockIds }) => blockIds))])
  const foreign = blocks.find((block) => !isOwn(block) && block.tags.some(isIdentityTag))
  if (foreign !== undefined) throw notIdentity(asked, foreign.id)
}

function notAuthorised(caller: Undoer, { id, operation }: OperationRecord): ElfmemError {
  return ownerOnly(caller, {
    what: `Taking back operation ${id} (${operation}) makes words trusted more again`,
    way: caller.wayTo(id),
    details: { operationId: id },
  })
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
