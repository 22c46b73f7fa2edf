import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { capabilityOf } from '../guard/accept-caller.ts'
import { eraseBlocks } from './erase.ts'

/** Entries of the log read at a time. */
const PAGE = 1_000
const DAY_MS = 86_400_000

/**
 * Erases blocks that the owner forgot longer ago than `memory.keepForgottenDays`; none unless it is set, in one scope, or
 * where there is no file. It is part of no run, since nobody can take it back. When a block was forgotten is known as long as the log has the entry.
 */
export async function eraseForgotten(
  engine: Engine,
  { run: _none, ...context }: CallContext,
): Promise<readonly string[]> {
  const { store, scope, clock, settings } = engine
  const days = settings.memory.keepForgottenDays
  if (days === 0 || scope !== undefined || store.files === undefined) return []
  const limit = new Date(clock.now() - days * DAY_MS).toISOString()
  const due = await store.read((tx) => forgottenBefore(tx, limit))
  if (due.length === 0) return []
  const blocks = due.map(({ id, content }) => ({ id, content, status: 'archived' as const }))
  await eraseBlocks(engine, context, { blocks, copies: 'keep' })
  return due.map(({ id }) => id)
}

async function forgottenBefore(tx: StoreReader, limit: string) {
  const again = new Set(
    (await forgets(tx, (before) => ({ since: limit, ...before }))).flatMap(({ blockIds }) => blockIds),
  )
  const long = await forgets(tx, (before) => ({ until: limit, ...before }))
  // Newest first: who forgot a block last is who forgot it.
  const by = new Map<string, string>()
  for (const { blockIds, actor } of long) for (const id of blockIds) if (!by.has(id)) by.set(id, actor)
  const ids = [...by].filter(([id, actor]) => !again.has(id) && capabilityOf(actor) === 'owner')
  const blocks = await tx.blocks(ids.map(([id]) => id))
  return blocks.filter(({ status, archiveReason }) => status === 'archived' && archiveReason === 'forgotten')
}

async function forgets(
  tx: StoreReader,
  filter: (before: { readonly before?: number }) => object,
): Promise<OperationRecord[]> {
  const entries: OperationRecord[] = []
  for (let before: number | undefined; ; ) {
    const page = await tx.operations({
      operation: 'forget',
      limit: PAGE,
      ...filter(before === undefined ? {} : { before }),
    })
    entries.push(...page)
    before = page.at(-1)?.id
    if (page.length < PAGE) return entries
  }
}
