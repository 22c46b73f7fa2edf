import { CONSTITUTIONAL_TAG, isConstitutional } from '../../domain/block/tags.ts'
import { mayDo, type OwnersWay, type Principal } from '../../domain/safety/principal.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { blocksWith } from '../blocks/look-up.ts'
import { AUTO, CURATE } from '../engine/engine.ts'
import { ownerOnly } from '../guard/owner-only.ts'

/** Actors of what nobody asked for; `dream` is that of the steps of dreams in older logs. */
const NOBODYS: ReadonlySet<string> = new Set([AUTO, CURATE, 'dream'])

/** Who takes something back, and how the owner takes an operation back in this caller's place. */
export interface Undoer extends Principal {
  readonly wayTo: (operationId: number) => OwnersWay
}

/** True if a caller may take back what somebody did, as far as that depends on who did it. */
export function isOwnOrNobodys(caller: Principal, { actor }: Pick<OperationRecord, 'actor'>): boolean {
  return mayDo(caller, 'owner') || actor === caller.actor || NOBODYS.has(actor)
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
  throw ownerOnly(caller, {
    what: `Operation ${asked.id} (${asked.operation}) was done by ${others.actor}`,
    way: caller.wayTo(asked.id),
    otherwise: 'Without a number undo takes back what you did last.',
    details: { operationId: asked.id },
  })
}

/** The principles of a memory as far as only the owner changes them, by id; archived ones too. */
export async function principlesIn(tx: StoreReader): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const all = blocksWith(tx, CONSTITUTIONAL_TAG, ['active', 'inbox', 'archived'])
  for await (const { id, status, content, cue, tags, category, sourceClass } of all)
    if (isConstitutional(tags))
      found.set(id, JSON.stringify([status, content, cue, tags, category, sourceClass]))
  return found
}

/** Throws `OWNER_ONLY` when taking an operation back changed a principle, or brought or took one. */
export async function mustKeepPrinciples(
  tx: StoreReader,
  caller: Undoer,
  { asked, before }: { readonly asked: OperationRecord; readonly before: ReadonlyMap<string, string> },
): Promise<void> {
  const after = await principlesIn(tx)
  const isSame = after.size === before.size && [...before].every(([id, was]) => after.get(id) === was)
  if (isSame) return
  throw ownerOnly(caller, {
    what: `Taking back operation ${asked.id} (${asked.operation}) changes a principle`,
    way: caller.wayTo(asked.id),
    details: { operationId: asked.id },
  })
}
