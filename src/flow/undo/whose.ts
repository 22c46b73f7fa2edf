import { isConstitutional } from '../../domain/block/tags.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { AUTO, CURATE, mayDo, type Principal } from '../engine/engine.ts'
import { ownerOnly } from '../guard/owner-only.ts'

/** Actors of what nobody asked for; `dream` is that of the steps of dreams in older logs. */
const NOBODYS: ReadonlySet<string> = new Set([AUTO, CURATE, 'dream'])

/** Principles read at a time. */
const PAGE = 1_000

/** Whose acts an undo without a number means: an owner's are those of anybody, another caller's its own alone. */
export function ownActs(caller: Principal): string | undefined {
  return mayDo(caller, 'owner') ? undefined : caller.actor
}

/** Throws `OWNER_ONLY` when others than the caller did what is to be taken back. What the memory did by itself is nobody's. */
export function mustBeOwnAct(
  caller: Principal,
  asked: OperationRecord,
  entries: readonly OperationRecord[],
): void {
  if (mayDo(caller, 'owner')) return
  const others = entries.find(({ actor }) => actor !== caller.actor && !NOBODYS.has(actor))
  if (others === undefined) return
  throw ownerOnly(caller, {
    what: `Operation ${asked.id} (${asked.operation}) was done by ${others.actor}`,
    command: `elfmem undo ${asked.id}`,
    otherwise: 'Without a number undo takes back what you did last.',
    details: { operationId: asked.id },
  })
}

/** The principles of a memory as far as only the owner changes them, by id; archived ones too. */
export async function principlesIn(tx: StoreReader): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const status of ['active', 'inbox', 'archived'] as const) {
    const filter = { status, tag: 'self/constitutional', order: 'arrival', limit: PAGE } as const
    for (let page = await tx.page(filter); ; page = await tx.page({ ...filter, cursor: page.cursor })) {
      for (const { id, content, cue, tags, category, sourceClass } of page.blocks.filter(({ tags: all }) =>
        isConstitutional(all),
      ))
        found.set(id, JSON.stringify([status, content, cue, tags, category, sourceClass]))
      if (page.cursor === undefined) break
    }
  }
  return found
}

/** Throws `OWNER_ONLY` when taking an operation back changed a principle, or brought or took one. */
export async function mustKeepPrinciples(
  tx: StoreReader,
  caller: Principal,
  { asked, before }: { readonly asked: OperationRecord; readonly before: ReadonlyMap<string, string> },
): Promise<void> {
  const after = await principlesIn(tx)
  const isSame = after.size === before.size && [...before].every(([id, was]) => after.get(id) === was)
  if (isSame) return
  throw ownerOnly(caller, {
    what: `Taking back operation ${asked.id} (${asked.operation}) changes a principle`,
    command: `elfmem undo ${asked.id}`,
    details: { operationId: asked.id },
  })
}
